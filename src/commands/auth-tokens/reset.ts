import { resolve } from 'node:path';
import { authTokens } from '../../catalog/auth-tokens.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { withLock } from '../../kernel/lock.ts';
import { type PendingRecovery, pendingRecoveries } from '../../profiles/recovery/pending.ts';
import { fingerprint, isAbout, type ResetSubject } from '../../profiles/recovery/record.ts';
import { beginRecovery, type Recovery, recoveryFolder, recoveryLock } from '../../profiles/recovery/recovery.ts';
import { showAnswers } from '../call/answers.ts';
import { type Connection, connect } from '../call/connect.ts';
import { inputData } from '../call/input-data.ts';
import { checkInput } from '../call/validation.ts';
import type { Context } from '../context.ts';
import type { RunOperation } from '../definition.ts';
import { given } from '../option-values.ts';
import { deliver } from './deliver.ts';
import { type DestinationOptions, destinationOptions, discardAll, openDestinations } from './destinations.ts';
import { resetInProgress } from './failures.ts';
import { type HeldSignal, heldSignal } from './held-signal.ts';
import { type Obtained, obtainToken } from './obtain.ts';
import type { KeyToken } from './probe.ts';
import { knownToken, placeOf } from './subject.ts';

const RESET = authTokens['auth-tokens.reset'];

/**
 * Replaces the auth token of an API key. The old token dies with the request and the new one is said once, in the
 * reply, so every step is made before the one that could lose it:
 *
 * 1. A lock for the API key and the service, since a second reset would kill the first one's token: 13 names the holder.
 * 2. Every destination is opened: the profile (`--save`), the command (`--to`), the file (`--output-file`), the step's
 *    output (`--github`). What cannot be opened ends the run, and nothing was sent.
 *    A closed stdout without another destination ends the run as well.
 * 3. A record, and room on disk for the token, are flushed: what is reset where, the fingerprint of the old token.
 * 4. The request is sent once, as the first of its connection; again only while nothing of it has left. Ctrl-C waits
 *    for the answer; the second one ends at once, and the record stays.
 * 5. The new token is flushed into the record before it goes to the destinations, in the order above, and then to
 *    stdout. Then the record goes.
 * 6. A destination that fails keeps none of the others from the token. The record stays: 12, with its path.
 * 7. A response without the service's own envelope proves nothing, whatever its HTTP status: the old token is tried. It
 *    lives: not applied, with the code of the failure. It is dead: 9, applied and lost, and the workspace's token can
 *    reset again, which `--ensure` does. Neither can be told: 9, and the record stays.
 *
 * What an earlier reset of the same token left is told, and no reason to refuse: a token that it kept stays in its
 * record until this one is safe, and is dead from then on.
 */
export const resetAuthToken: RunOperation = async (context, [entry], invocation) => {
  const { data, fromDocument } = await inputData(context, entry, invocation);
  const failure = fromDocument ? 'bad_data' : 'usage';
  const { apiKey } = RESET.input.parse(checkInput(entry, RESET, data, failure, context.clock.now()));
  if (context.options.dryRun) return showAnswers(context, entry, RESET, { inputs: [data], all: false });
  const options = { ...destinationOptions(invocation), ensure: invocation.options['ensure'] === true };
  requireSomewhere(context, options);
  const held = heldSignal(context.signal);
  // A jq expression that does not compile ends the run here.
  await context.printer();
  const connection = await connect({ ...context, signal: held.signal });
  try {
    await context.confirm(RESET.confirm?.({ apiKey }) ?? '');
    await connection.client.permitWrites();
    await underLock({ context, entry, held, connection, data: { ...data, apiKey }, options });
  } finally {
    await connection.close();
  }
};

/** @throws SvcError `local` when the new token would reach nobody */
function requireSomewhere({ io }: Context, { save, to, outputFile, github }: DestinationOptions): void {
  if (!io.stdout.isDiscarded || save || to !== undefined || outputFile !== undefined || github) return;
  throw new SvcError('local', 'stdout is closed, so the new token could not be printed; nothing was sent', {
    hint: '--output-file writes the token to a file, --save puts it into the profile',
  });
}

interface Reset {
  readonly context: Context;
  readonly entry: OperationEntry;
  readonly held: HeldSignal;
  readonly connection: Connection;
  readonly data: Readonly<Record<string, unknown>> & { readonly apiKey: string };
  readonly options: DestinationOptions & { readonly ensure: boolean };
}

async function underLock(reset: Reset): Promise<void> {
  const { context, data } = reset;
  const { folders, clock, signal } = context;
  const { apiKey } = data;
  const subject: ResetSubject = { apiKey, place: await placeOf(context) };
  await recoveryFolder(folders);
  const lock = recoveryLock(folders, subject);
  const refusal = (owner: string) => resetInProgress(apiKey, owner);
  // Waiting for another reset would only invalidate its token once it has finished.
  await withLock(lock, { clock, patience: 0, signal, refusal }, () => run(reset, subject));
}

async function run(reset: Reset, subject: ResetSubject): Promise<void> {
  const { context, entry, connection, held, data, options } = reset;
  const { apiKey } = subject;
  const destinations = await openDestinations(context, apiKey, options);
  const superseded = await earlierRecords(context, subject);
  const oldToken = await knownToken(context, apiKey, superseded);
  let sent: { readonly recovery: Recovery; readonly obtained: Obtained };
  try {
    const recovery = await begin(context, subject, oldToken);
    const sending = { context, client: connection.client, held, input: data, oldToken, ensure: options.ensure };
    sent = { recovery, obtained: await obtainToken(sending, recovery) };
  } catch (error) {
    await discardAll(destinations);
    throw error;
  }
  const { recovery, obtained } = sent;
  await deliver({ context, entry, apiKey, ...obtained, destinations, recovery, superseded });
}

/** What earlier resets of the same token left. */
async function earlierRecords(context: Context, subject: ResetSubject): Promise<readonly PendingRecovery[]> {
  const pending = await pendingRecoveries(context.folders);
  const earlier = pending.filter(({ record }) => record && isAbout(record, subject));
  for (const { path, record } of earlier) {
    if (record?.state !== 'kept') continue;
    await context.warn(`an earlier reset kept a token in ${path}; once this one is done, that token is dead`);
  }
  return earlier;
}

async function begin(context: Context, subject: ResetSubject, oldToken: KeyToken | undefined): Promise<Recovery> {
  const { folders, clock, options } = context;
  const profile = options.local ? undefined : (await context.openSettings()).profile;
  return beginRecovery(folders, {
    ...subject,
    profile: profile?.value ?? null,
    ...given('caFile', options.caFile === undefined ? undefined : resolve(context.cwd, options.caFile)),
    startedAt: new Date(clock.now()).toISOString(),
    oldToken: oldToken ? fingerprint(oldToken.authToken) : null,
  });
}
