import type { OperationEntry } from '../../catalog/manifest.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { PendingRecovery } from '../../profiles/recovery/pending.ts';
import { type Recovery, removeRecord } from '../../profiles/recovery/recovery.ts';
import type { Context } from '../context.ts';
import type { Destination } from './destination.ts';
import { notDelivered, notKept } from './failures.ts';
import type { Obtained } from './obtain.ts';

/** A token in hand, and all who get it. */
export interface Delivery extends Obtained {
  readonly context: Context;
  readonly entry: OperationEntry;
  readonly apiKey: string;
  readonly destinations: readonly Destination[];
  readonly recovery: Recovery;
  /** Records of earlier resets of the same token: what they hold is dead by now. */
  readonly superseded: readonly PendingRecovery[];
}

/**
 * Keeps the token in its record, hands it to every destination, prints it, and then takes the record away.
 * @throws SvcError `local` when the token is not everywhere it should be
 */
export async function deliver(delivery: Delivery): Promise<void> {
  const { context, recovery, token, apiKey } = delivery;
  const unkept = await failureOf(() => recovery.keep(token));
  if (unkept) await tell(context, unkept);
  else await discardSuperseded(delivery);
  const failures = await handOut(delivery);
  const told = { context, apiKey, path: recovery.path };
  const problems = failures.map(({ name, error }) => `${name}: ${messageOf(error)}`);
  const cause = failures[0]?.error;
  if (failures.length > 0) {
    await recovery.close().catch(() => undefined); // it is on disk
    if (unkept) throw notKept(told, problems, cause);
    const { hasProfileFor } = await import('./to-profile.ts');
    throw notDelivered({ ...told, canSave: await hasProfileFor(context, apiKey) }, problems, cause);
  }
  const remaining = await failureOf(() => recovery.remove());
  if (remaining) await tell(context, remaining);
}

/** The token comes first: what is wrong beside it is told, and fails nothing. */
async function tell({ warn }: Context, error: Error): Promise<void> {
  await warn(error.message).catch(() => undefined);
}

async function discardSuperseded({ context, superseded }: Delivery): Promise<void> {
  const error = await failureOf(async () => {
    for (const { path } of superseded) await removeRecord(path);
  });
  if (error) await tell(context, error);
}

interface Undelivered {
  readonly name: string;
  readonly error: unknown;
}

/** One that fails keeps none of the others from the token. */
async function handOut(delivery: Delivery): Promise<readonly Undelivered[]> {
  const { destinations, token } = delivery;
  const stdout = { name: 'stdout', deliver: () => print(delivery) };
  const failures: Undelivered[] = [];
  for (const { name, deliver: hand } of [...destinations, stdout]) {
    const error = await failureOf(() => hand(token));
    if (error) failures.push({ name, error });
  }
  return failures;
}

/** As any reply is printed; with `--quiet` the token alone. */
async function print({ context, token, answer }: Delivery): Promise<void> {
  const { quiet, envelope } = context.options;
  const printer = await context.printer();
  if (quiet) return printer.bare(token);
  return printer.value(envelope ? answer.result : answer.data, {});
}

async function failureOf(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
