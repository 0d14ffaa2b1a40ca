import { hostname } from 'node:os';
import { basename } from 'node:path';
import { credentialVariablesOf } from '../../client/credentials.ts';
import { selectConnectionFiles } from '../../client/target.ts';
import { type Hint, hint, SvcError, step } from '../../kernel/errors.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { isProcessRunning } from '../../kernel/process.ts';
import { originOf } from '../../profiles/profile.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import {
  listPendingRecoveries,
  type PendingRecovery,
  type RecoveryRecord,
  removeRecord,
} from '../../profiles/recovery.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { EMBEDDED_SERVICE, type ServiceFlags, stepForService } from '../service-flags.ts';
import type { RecoverFlags } from './flags.ts';
import { currentService, findOldToken, probeToken, probeUntilSettled } from './known-token.ts';
import { ensureStep } from './reset-token.ts';
import { openProfile } from './to-profile.ts';

const COLUMNS = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'API KEY', field: 'apiKey', kind: 'whole' },
  { header: 'SERVICE', field: 'service' },
  { header: 'STATE', field: 'state' },
  { header: 'TOKEN', field: 'token', kind: 'whole' },
  { header: 'STARTED', field: 'startedAt', kind: 'time' },
] as const;

export async function authRecover(
  context: Context,
  { options }: Invocation<RecoverFlags>,
): Promise<void> {
  const pending = await listPendingRecoveries(context.folders);
  const { save, remove, check = true } = options;
  if (remove !== undefined && save)
    throw new SvcError('usage', '--save and --remove cannot be combined');
  if (remove !== undefined) return removeRecovery(context, pending, remove);
  if (save) return saveRecoveredToken(context, pending);
  await list(context, pending, check);
}

async function list(
  context: Context,
  pending: readonly PendingRecovery[],
  check: boolean,
): Promise<void> {
  const printer = await context.printer();
  const lines = await Array.fromAsync(pending, (recovery) =>
    describeRecovery(context, recovery, check),
  );
  await printer.value(
    lines.map((line) => ({ ...line, next: line.next.format() })),
    { columns: COLUMNS, secrets: [['*', 'token']] },
  );
  if (lines.length === 0) await context.note('no unfinished token resets');
  for (const { id, next } of lines) await context.note(hint`${id}: ${next}`);
}

async function removeRecovery(
  context: Context,
  pending: readonly PendingRecovery[],
  id: string,
): Promise<void> {
  const found = pending.find(({ path }) => recoveryIdOf(path) === id);
  if (!found) {
    const ids = pending.map(({ path }) => recoveryIdOf(path));
    throw new SvcError('not_found', `no recovery record with ID ${id}`, {
      hint: ids.length > 0 ? didYouMean(id, ids) : 'there are no recovery records',
    });
  }
  const { path, record } = found;
  if (record && isInProgress(record)) {
    const hint = 'wait until the reset has finished';
    throw new SvcError('locked', `process ${record.pid} is still running the reset`, { hint });
  }
  if (record?.state === 'kept') {
    const question = `Delete the record with the auth token of API key ${record.apiKey}? It may be the only copy.`;
    await context.confirm(question, 'this machine');
  }
  await removeRecord(path);
  await context.note(`Removed ${path}`);
}

async function saveRecoveredToken(
  context: Context,
  pending: readonly PendingRecovery[],
): Promise<void> {
  const [place, { apiKey }] = [await currentService(context), await context.target()];
  const kept = pending.filter(({ record }) => record?.state === 'kept' && record.place === place);
  const matching = kept.filter(({ record }) => !apiKey || record?.apiKey === apiKey.value);
  const token = matching.at(-1)?.record;
  if (!token?.token) {
    const service = context.options.local ? `the ${place}` : place || 'this profile';
    const owner = `${apiKey?.value ?? 'an API key'} of ${service}`;
    throw new SvcError('not_found', `no saved token found for ${owner}`, {
      hint: hint`to list the saved tokens, run ${step('list', 'auth-tokens', 'recover')}; to choose a different profile, use --profile`,
    });
  }
  const profile = await openProfile(context, token.apiKey);
  await profile.deliver(token.token);
  const saved = matching.filter(({ record }) => record?.apiKey === token.apiKey);
  for (const { path } of saved) await removeRecord(path);
  await context.note(
    `Saved the auth token of API key ${token.apiKey} in ${profile.name}; removed ${formatNounCount(saved.length, 'record')}`,
  );
}

type RecoveryState = 'kept' | 'running' | 'unknown' | 'lost' | 'not_applied';

async function describeRecovery(
  context: Context,
  { path, record }: PendingRecovery,
  check: boolean,
) {
  const id = recoveryIdOf(path);
  const operation = 'auth-tokens.reset';
  if (!record) {
    const emptyFields = {
      apiKey: null,
      service: null,
      profile: null,
      startedAt: null,
      token: null,
    };
    return {
      id,
      operation,
      state: 'damaged',
      ...emptyFields,
      path,
      next: hint`inspect and delete ${path}`,
    };
  }
  const { apiKey, place: service, profile, startedAt, token } = record;
  const state = await determineState(context, record, check);
  const next = describeNextStep(id, state, record, await serviceFlagsOf(context, record));
  return { id, operation, state, apiKey, service, profile, startedAt, token, path, next };
}

/** Upper bound on the time that the service takes to process a reset, in milliseconds. */
const MAX_RESET_DURATION = 120_000;

async function determineState(
  context: Context,
  record: RecoveryRecord,
  check: boolean,
): Promise<RecoveryState> {
  const { state } = record;
  if (state === 'kept' || state === 'lost') return state;
  if (isInProgress(record)) return 'running';
  const token = check ? await findOldToken(context, record) : undefined;
  if (!token) return 'unknown';
  const age = context.clock.now() - Date.parse(record.startedAt);
  const tokenState =
    age > MAX_RESET_DURATION
      ? await probeToken(context, token)
      : await probeUntilSettled(context, token);
  return ({ alive: 'not_applied', dead: 'lost', unknown: 'unknown' } as const)[tokenState];
}

function describeNextStep(
  id: string,
  state: RecoveryState,
  record: RecoveryRecord,
  flags: ServiceFlags,
): Hint {
  switch (state) {
    case 'kept':
      return hint`the record contains the new token: print it with --show-secrets, or save it in the profile with --save`;
    case 'running':
      return hint`process ${String(record.pid)} is still running the reset`;
    case 'unknown':
      return hint`the token may have been replaced: ${describeCheck(record, flags)}; or ${describeReset(record, flags)}`;
    case 'lost':
      return hint`the token was replaced, but the new token is lost: ${describeReset(record, flags)}`;
    case 'not_applied':
      return hint`the reset was not applied and the old token still works; to remove the record, run ${stepForService(flags, step('change', 'auth-tokens', 'recover', '--remove', id))}`;
  }
}

function describeCheck({ oldToken, profile }: RecoveryRecord, flags: ServiceFlags): Hint {
  if (oldToken === null) return hint`the old token is not known, so it cannot be checked`;
  const from = profile === null ? credentialVariablesOf('key') : `profile '${profile}'`;
  return hint`provide the old token (${from}) and run ${stepForService(flags, step('show', 'auth-tokens', 'recover'))} to check it`;
}

function describeReset({ apiKey }: RecoveryRecord, flags: ServiceFlags): Hint {
  return hint`reset it again with ${stepForService(flags, ensureStep(apiKey))}`;
}

async function serviceFlagsOf(context: Context, record: RecoveryRecord): Promise<ServiceFlags> {
  const { place, profile } = record;
  if (place === EMBEDDED_SERVICE) return { local: true };
  if (place.startsWith(`${EMBEDDED_SERVICE} `))
    return { local: true, store: place.slice(EMBEDDED_SERVICE.length + 1) };
  const { profile: own } = await context.target();
  if ((await currentService(context)) === place && (own?.value ?? null) === profile)
    return context.options;
  const { profiles } = await readProfiles(context.folders);
  const isProfileOrigin =
    originOf((profile === null ? undefined : profiles.get(profile)) ?? {}) === place;
  const url = URL.parse(place);
  return {
    local: false,
    ...(isProfileOrigin
      ? optionalProperty('profile', profile ?? undefined)
      : optionalProperty('baseUrl', place || undefined)),
    ...selectConnectionFiles(record),
    insecureHttp: url?.protocol === 'http:' && !isLoopback(url),
  };
}

function isInProgress({ state, machine, pid }: RecoveryRecord): boolean {
  return state === 'sending' && machine === hostname() && isProcessRunning(pid);
}

function recoveryIdOf(path: string): string {
  return basename(path, '.json');
}
