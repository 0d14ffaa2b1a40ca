import { hostname } from 'node:os';
import { basename } from 'node:path';
import { credentialVariables } from '../../client/credentials.ts';
import { isRunning } from '../../kernel/io.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import { readProfiles } from '../../profiles/book.ts';
import { originOf } from '../../profiles/profile.ts';
import type { PendingRecovery } from '../../profiles/recovery/pending.ts';
import type { RecoveryRecord } from '../../profiles/recovery/record.ts';
import type { Context } from '../context.ts';
import { EMBEDDED } from '../embedded.ts';
import { hintedCommand, type ServiceFlags } from '../hinted-command.ts';
import { given } from '../option-values.ts';
import { ensureStep } from './failures.ts';
import { probeToken, settledState } from './probe.ts';
import { placeOf, tokenBefore } from './subject.ts';

/**
 * What a record comes to by now.
 * - `kept`: it holds the new token.
 * - `running`: the reset is under way.
 * - `unknown`: the token may have been replaced.
 * - `lost`: it was, and nobody has the new one.
 * - `not_applied`: it was not; the old one still works.
 * - `damaged`: the file is no record that can be read.
 */
type Standing = 'kept' | 'running' | 'unknown' | 'lost' | 'not_applied' | 'damaged';

/** One line of `auth recover`. */
export interface RecoverLine {
  readonly id: string;
  readonly operation: 'auth-tokens.reset';
  readonly state: Standing;
  readonly apiKey: string | null;
  readonly service: string | null;
  readonly profile: string | null;
  readonly startedAt: string | null;
  readonly token: string | null;
  readonly path: string;
  /** What to do about it. */
  readonly next: string;
}

/** What a record comes to. With `check` the old token is tried, where the settings still hold it. */
export async function recoverLine(
  context: Context,
  { path, record }: PendingRecovery,
  check: boolean,
): Promise<RecoverLine> {
  const id = idOf(path);
  const operation = 'auth-tokens.reset';
  if (!record) {
    const nothing = { apiKey: null, service: null, profile: null, startedAt: null, token: null };
    return { id, operation, state: 'damaged', ...nothing, path, next: `look into ${path}, then remove it` };
  }
  const { apiKey, place, profile, startedAt, token } = record;
  const state = await standing(context, record, check);
  return {
    id,
    operation,
    state,
    apiKey,
    service: place,
    profile,
    startedAt,
    token,
    path,
    next: nextStep(id, state, record, await flagsFor(context, record)),
  };
}

/** Milliseconds after which a reset is no longer on its way inside the service. */
const SETTLED_AFTER = 120_000;

async function standing(context: Context, record: RecoveryRecord, check: boolean): Promise<Standing> {
  const { state } = record;
  if (state === 'kept' || state === 'lost') return state;
  if (isUnderWay(record)) return 'running';
  const token = check ? await tokenBefore(context, record) : undefined;
  if (!token) return 'unknown';
  const age = context.clock.now() - Date.parse(record.startedAt);
  const found = age > SETTLED_AFTER ? await probeToken(context, token) : await settledState(context, token);
  return ({ alive: 'not_applied', dead: 'lost', unknown: 'unknown' } as const)[found];
}

function nextStep(id: string, state: Standing, record: RecoveryRecord, flags: ServiceFlags): string {
  switch (state) {
    case 'kept':
      return 'the new token is kept: see it with --show-secrets, or put it into the profile with --save';
    case 'running':
      return `process ${record.pid} is still at it`;
    case 'unknown':
      return `the token may have been replaced: ${howToTell(record, flags)}; or ${setAnother(record, flags)}`;
    case 'lost':
      return `the token was replaced, and the new one is lost: ${setAnother(record, flags)}`;
    case 'not_applied':
      return `nothing was applied, the old token still works: ${hintedCommand(flags, 'auth', 'recover', '--remove', id)}`;
    case 'damaged':
      return 'it cannot be read';
  }
}

function howToTell({ oldToken, profile }: RecoveryRecord, flags: ServiceFlags): string {
  if (oldToken === null) return 'the old one was not known here, so nobody can try it';
  const from = profile === null ? credentialVariables('key') : `profile '${profile}'`;
  return `where the old one is at hand (${from}) ${hintedCommand(flags, 'auth', 'recover')} tries it`;
}

function setAnother({ apiKey }: RecoveryRecord, flags: ServiceFlags): string {
  return `set another one with ${hintedCommand(flags, ...ensureStep(apiKey).command)}`;
}

/** The flags that lead to the service of a record: those of this run where it is the same one. */
async function flagsFor(context: Context, record: RecoveryRecord): Promise<ServiceFlags> {
  const { place, profile, caFile } = record;
  if (place === EMBEDDED) return { local: true };
  if (place.startsWith(`${EMBEDDED} `)) return { local: true, store: place.slice(EMBEDDED.length + 1) };
  const { profile: own } = await context.openSettings();
  if ((await placeOf(context)) === place && (own?.value ?? null) === profile) return context.options;
  const { profiles } = await readProfiles(context.folders);
  const isHome = originOf((profile === null ? undefined : profiles.get(profile)) ?? {}) === place;
  const url = URL.parse(place);
  return {
    local: false,
    ...given('profile', profile ?? undefined),
    ...given('baseUrl', isHome || place === '' ? undefined : place),
    ...given('caFile', caFile),
    insecureHttp: url?.protocol === 'http:' && !isLoopback(url),
  };
}

/** Whether the reset of a record is under way on this machine. */
export function isUnderWay({ state, machine, pid }: RecoveryRecord): boolean {
  return state === 'sending' && machine === hostname() && isRunning(pid);
}

/** The id of the record in a file. */
export function idOf(path: string): string {
  return basename(path, '.json');
}
