import { messageOf } from '../../kernel/errors.ts';
import type { PendingRecovery } from '../../profiles/recovery/pending.ts';
import { type RecoveryFile, removeRecord } from '../../profiles/recovery/recovery.ts';
import type { Context } from '../context.ts';
import type { TokenDestination } from './destination.ts';
import { notDeliveredError, notSavedError } from './reset-errors.ts';
import type { NewToken } from './reset-token.ts';

export interface TokenDelivery extends NewToken {
  readonly context: Context;
  readonly apiKey: string;
  readonly destinations: readonly TokenDestination[];
  readonly isPrinted: boolean;
  readonly recovery: RecoveryFile;
  readonly superseded: readonly PendingRecovery[];
}

/**
 * Saves the token in its recovery record, delivers it to every destination, and deletes the record. If neither the
 * record nor any destination has the token, prints it to stdout.
 * @throws SvcError `local` if a destination did not receive the token
 */
export async function deliverToken(delivery: TokenDelivery): Promise<void> {
  const { context, recovery, token, apiKey, destinations, isPrinted, superseded } = delivery;
  const saveError = await catchError(() => recovery.storeToken(token));
  const discard = async () => {
    for (const { path } of superseded) await removeRecord(path);
  };
  const firstError = saveError ?? (await catchError(discard));
  if (firstError) await warnSafely(context, firstError);
  const stdout = { name: 'stdout', deliver: () => printToken(delivery) };
  const failures = await deliverToAll(token, isPrinted ? [...destinations, stdout] : destinations);
  if (saveError && !isPrinted && failures.length === destinations.length) await catchError(stdout.deliver);
  const problems = failures.map(({ name, error }) => `${name}: ${messageOf(error)}`);
  const cause = failures[0]?.error;
  if (failures.length > 0) {
    await recovery.close().catch(() => undefined); // the token is already on disk
    if (saveError) throw notSavedError(apiKey, problems, cause);
    const { hasProfileFor } = await import('./to-profile.ts');
    const details = { apiKey, path: recovery.path, canSave: await hasProfileFor(context, apiKey) };
    throw notDeliveredError(details, problems, cause);
  }
  const remaining = await catchError(() => recovery.remove());
  if (remaining) await warnSafely(context, remaining);
  if (isPrinted) return;
  const names = destinations.map(({ name }) => name).join(', ');
  await context.note(`Delivered the new auth token of API key ${apiKey} to ${names}`).catch(() => undefined);
}

/** Prints a warning. Ignores a failure to print, because the token must still be delivered. */
async function warnSafely({ warn }: Context, error: Error): Promise<void> {
  await warn(error.message).catch(() => undefined);
}

async function deliverToAll(token: string, destinations: readonly Pick<TokenDestination, 'name' | 'deliver'>[]) {
  const failures: { readonly name: string; readonly error: Error }[] = [];
  for (const { name, deliver } of destinations) {
    const error = await catchError(() => deliver(token));
    if (error) failures.push({ name, error });
  }
  return failures;
}

async function printToken({ context, token, answer }: TokenDelivery): Promise<void> {
  const { quiet, envelope } = context.options;
  const printer = await context.printer();
  if (quiet) return printer.line(token);
  return printer.value(envelope ? answer.result : answer.data, {});
}

async function catchError(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
