import { authTokens } from '../../catalog/auth-tokens.ts';
import { workspace } from '../../catalog/workspace.ts';
import { messageOf, SvcError } from '../../kernel/errors.ts';
import { withLock } from '../../kernel/lock.ts';
import { closeAfter } from '../../kernel/resource.ts';
import {
  createRecoveryFile,
  ensureRecoveryFolder,
  fingerprintOf,
  isForSubject,
  listPendingRecoveries,
  type PendingRecovery,
  type RecoveryFile,
  type ResetSubject,
  recoveryLockOf,
  removeRecord,
} from '../../profiles/recovery.ts';
import { readInputData } from '../call/input-data.ts';
import { printResults } from '../call/print-results.ts';
import { checkInput } from '../call/validation.ts';
import { connect } from '../connection/connect.ts';
import { connectionFilesOf } from '../connection/describe-target.ts';
import { ensureAllowed } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { RunOperation } from '../definition.ts';
import { openCommand, openFile, openGithub, type TokenDestination } from './destination.ts';
import type { ResetFlags } from './flags.ts';
import { type ApiKeyToken, currentService, findKnownToken } from './known-token.ts';
import {
  createDeferrableSignal,
  createNotDeliveredError,
  createNotSavedError,
  createResetInProgressError,
  type NewToken,
  type ResetRequest,
  resetToken,
} from './reset-token.ts';
import { findProfileFor, openProfile, reportStaleProfile } from './to-profile.ts';

const RESET = authTokens['auth-tokens.reset'];

/**
 * Replaces the auth token of an API key. The request invalidates the old token, and only the
 * response contains the new one, so each step prepares for a failure of the next: lock the API key,
 * open every destination, write a recovery record, send the request on a new connection, save the
 * new token in the record, deliver it, and delete the record.
 *
 * If a destination fails, the record is kept (exit code 12). Without a usable response, a probe of
 * the old token detects whether the reset was applied. If the new token is lost or the probe is
 * inconclusive, exits with 9.
 */
export const resetAuthToken: RunOperation<ResetFlags> = async (context, [entry], invocation) => {
  await ensureAllowed(context, entry);
  const { data: given, usesDataFlag } = await readInputData(context, entry, invocation);
  const data = { ...(await findOnlyLocalKey(context)), ...given };
  const failure = usesDataFlag ? 'invalid_input' : 'usage';
  const { apiKey } = RESET.input.parse(checkInput(context, entry, RESET, data, failure));
  if (context.options.dryRun)
    return printResults(context, entry, RESET, { inputs: [data], all: false });
  const { options } = invocation;
  requireDestination(context, options);
  const deferrable = createDeferrableSignal(context.signal);
  // Rejects an invalid jq expression before the request is sent.
  await context.printer();
  await closeAfter(await connect({ ...context, signal: deferrable.signal }), async ({ client }) => {
    await context.confirm(RESET.confirm?.({ apiKey }) ?? '');
    await client.ensureWritesAllowed();
    const input = { ...data, apiKey };
    await runWithLock(
      { context, client, deferrable, input, ensure: options.ensure === true },
      options,
    );
  });
};

/** Returns the API key of the embedded service, if `--local` is used and there is only one. */
async function findOnlyLocalKey(context: Context): Promise<{ readonly apiKey?: string }> {
  if (!context.options.local) return {};
  const options = { ...context.options, dryRun: false };
  return closeAfter(await connect({ ...context, options }), async ({ client }) => {
    const reply = await client.call(workspace['workspace.get'], {});
    const [apiKey, ...others] = Object.keys((reply.sent && reply.data?.apiKeyList) || {});
    return apiKey === undefined || others.length > 0 ? {} : { apiKey };
  });
}

/** @throws SvcError `local` if stdout is closed and there is no other destination */
function requireDestination({ io }: Context, { save, to, outputFile, github }: ResetFlags): void {
  if (!io.stdout.isDiscarded || save || to !== undefined || outputFile !== undefined || github)
    return;
  throw new SvcError(
    'local',
    'stdout is closed, so the new token could not be printed; nothing was sent',
    {
      hint: 'use --output-file to write the token to a file, or --save to save it in the profile',
    },
  );
}

async function runWithLock(
  reset: Omit<ResetRequest, 'oldToken'>,
  options: ResetFlags,
): Promise<void> {
  const { context, input } = reset;
  const { folders, clock, signal } = context;
  const { apiKey } = input;
  const subject: ResetSubject = { apiKey, place: await currentService(context) };
  await ensureRecoveryFolder(folders);
  const createError = (owner: string) => createResetInProgressError(apiKey, owner);
  // Does not wait for another reset, because this reset would then invalidate the other one's
  // token.
  const locking = { clock, timeout: 0, signal, createError };
  const token = await withLock(recoveryLockOf(folders, subject), locking, () =>
    runReset(reset, options, subject),
  );
  if (options.save) return;
  await reportStaleProfile(context, { apiKey, token, outputFile: options.outputFile });
}

async function runReset(
  reset: Omit<ResetRequest, 'oldToken'>,
  options: ResetFlags,
  subject: ResetSubject,
): Promise<string> {
  const { context } = reset;
  const { apiKey } = subject;
  const destinations = await openDestinations(context, apiKey, options);
  const superseded = await findEarlierRecords(context, subject);
  const oldToken = await findKnownToken(context, apiKey, superseded);
  const send = async () => {
    const recovery = await startRecovery(context, subject, oldToken);
    return { recovery, ...(await resetToken({ ...reset, oldToken }, recovery)) };
  };
  const sent = await send().catch(async (error: unknown) => {
    await discardAll(destinations);
    throw error;
  });
  const isPrinted = options.print === true || destinations.length === 0;
  await deliverToken({ context, apiKey, ...sent, destinations, superseded, isPrinted });
  return sent.token;
}

async function findEarlierRecords(
  context: Context,
  subject: ResetSubject,
): Promise<readonly PendingRecovery[]> {
  const pending = await listPendingRecoveries(context.folders);
  const earlier = pending.filter(({ record }) => record && isForSubject(record, subject));
  for (const { path, record } of earlier) {
    if (record?.state !== 'kept') continue;
    await context.warn(`an earlier reset saved a token in ${path}; this reset invalidates it`);
  }
  return earlier;
}

async function startRecovery(
  context: Context,
  subject: ResetSubject,
  oldToken: ApiKeyToken | undefined,
) {
  const { folders, clock, options } = context;
  const { profile } = await context.target();
  return createRecoveryFile(folders, {
    ...subject,
    profile: profile?.value ?? null,
    ...connectionFilesOf(options, context.cwd),
    startedAt: new Date(clock.now()).toISOString(),
    oldToken: oldToken ? fingerprintOf(oldToken.authToken) : null,
  });
}

/**
 * Discards all if one cannot be opened.
 * @throws SvcError `usage` or `local`. The caller must not send the reset.
 */
async function openDestinations(
  context: Context,
  apiKey: string,
  { save, to, outputFile, github }: ResetFlags,
) {
  const opened: TokenDestination[] = [];
  try {
    if (save) opened.push(await openProfile(context, apiKey));
    if (to !== undefined) opened.push(await openCommand(context, to));
    if (outputFile !== undefined) opened.push(await openFile(context, outputFile));
    if (github) opened.push(await openGithub(context));
    return opened;
  } catch (error) {
    await discardAll(opened);
    throw error;
  }
}

async function discardAll(destinations: readonly TokenDestination[]): Promise<void> {
  for (const destination of destinations) await destination.discard();
}

interface TokenDelivery extends NewToken {
  readonly context: Context;
  readonly apiKey: string;
  readonly destinations: readonly TokenDestination[];
  readonly isPrinted: boolean;
  readonly recovery: RecoveryFile;
  readonly superseded: readonly PendingRecovery[];
}

/**
 * Saves the token in its recovery record, delivers it to every destination, and deletes the record.
 * If neither the record nor any destination has the token, prints it to stdout.
 * @throws SvcError `local` if a destination did not receive the token
 */
async function deliverToken(delivery: TokenDelivery): Promise<void> {
  const { context, recovery, token, apiKey, destinations, isPrinted, superseded } = delivery;
  const saveError = await catchError(() => recovery.storeToken(token));
  const discard = async () => {
    for (const { path } of superseded) await removeRecord(path);
  };
  const firstError = saveError ?? (await catchError(discard));
  if (firstError) await warnSafely(context, firstError);
  const stdout = { name: 'stdout', deliver: () => printToken(delivery) };
  const failures = await deliverToAll(token, isPrinted ? [...destinations, stdout] : destinations);
  if (saveError && !isPrinted && failures.length === destinations.length)
    await catchError(stdout.deliver);
  const problems = failures.map(({ name, error }) => `${name}: ${messageOf(error)}`);
  const cause = failures[0]?.error;
  if (failures.length > 0) {
    await recovery.close().catch(() => undefined); // the token is already on disk
    if (saveError) throw createNotSavedError(apiKey, problems, cause);
    const canSave = (await findProfileFor(context, apiKey)) !== undefined;
    const details = { apiKey, path: recovery.path, canSave };
    throw createNotDeliveredError(details, problems, cause);
  }
  const remaining = await catchError(() => recovery.remove());
  if (remaining) await warnSafely(context, remaining);
  if (isPrinted) return;
  const names = destinations.map(({ name }) => name).join(', ');
  await context
    .note(`Delivered the new auth token of API key ${apiKey} to ${names}`)
    .catch(() => undefined);
}

/** Prints a warning. Ignores a failure to print, because the token must still be delivered. */
async function warnSafely({ warn }: Context, error: Error): Promise<void> {
  await warn(error.message).catch(() => undefined);
}

async function deliverToAll(
  token: string,
  destinations: readonly Pick<TokenDestination, 'name' | 'deliver'>[],
) {
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
  return work().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
}
