import { createHash, createHmac, randomBytes } from 'node:crypto';
import { SvcError } from '../kernel/errors.ts';
import { formatCanonicalJson, isObject, tryParseJson } from '../kernel/json.ts';
import { findLiveRecord, type LiveRecords } from './live/live-records.ts';
import type { Plan, PlanTarget, RecordKey } from './plan.ts';
import { formatReference, type SecretValue } from './secret-value.ts';
import type { DeclaredSettings, SettingsFile } from './settings.ts';

/** A plan in a file. Live records and secrets are contained only as salted hashes. */
export interface SavedPlan extends Omit<Plan, 'read'> {
  readonly svc: 1;
  readonly createdAt: string;
  readonly environment: string | null;
  readonly profile: string | null;
  readonly stack: string | null;
  readonly files: readonly SettingsFile[];
  readonly salt: string;
  /** Hash of each record that the plan depends on; null if the record did not exist. */
  readonly records: Readonly<Record<RecordKey, string | null>>;
  /** Hash of each secret by its reference: `env:TOKEN`. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly allowReplace: boolean;
  /** SHA-256 of all other fields as canonical JSON. */
  readonly sha256: string;
}

export interface SavedPlanOrigin
  extends Pick<DeclaredSettings, 'files' | 'secrets'>,
    Partial<Pick<DeclaredSettings, 'environment' | 'profile' | 'stack'>> {
  readonly allowReplace: boolean;
  /** Time in Unix milliseconds. */
  readonly now: number;
}

const MAX_AGE = 24 * 60 * 60 * 1000;
/** Fields that change without a change of the record. */
const VOLATILE = new Set(['lastUpdated', 'updatedAt', 'executionCount', 'lastExecutedAt']);

export function createSavedPlan(plan: Plan, origin: SavedPlanOrigin): SavedPlan {
  const { read, ...rest } = plan;
  const salt = randomBytes(16).toString('hex');
  const hashes = Array.from(read, ([key, record]) => [key, hashRecord(salt, record)]);
  const content = {
    svc: 1 as const,
    createdAt: new Date(origin.now).toISOString(),
    environment: origin.environment ?? null,
    profile: origin.profile ?? null,
    stack: origin.stack ?? null,
    files: origin.files,
    salt,
    records: Object.fromEntries(hashes) as SavedPlan['records'],
    secrets: hashSecrets(salt, origin.secrets),
    ...rest,
    allowReplace: origin.allowReplace,
  };
  return { ...content, sha256: digestOf(content) };
}

/** Parses a saved plan. @throws SvcError `invalid_input` if the text is not a plan, or was edited */
export function parseSavedPlan(text: string, name: string): SavedPlan {
  const content = tryParseJson(text);
  if (
    !isObject(content) ||
    typeof content['sha256'] !== 'string' ||
    !Array.isArray(content['changes'])
  )
    throw new SvcError('invalid_input', `${name} is not a saved plan`);
  if (content['svc'] !== 1)
    throw new SvcError('invalid_input', `${name} was saved by a newer version of svc`);
  const { sha256, ...rest } = content;
  if (digestOf(rest) !== sha256)
    throw new SvcError('invalid_input', `${name} was edited after it was saved`);
  return content as unknown as SavedPlan;
}

interface CurrentState {
  readonly target: PlanTarget;
  readonly live: LiveRecords;
  readonly secrets: readonly SecretValue[];
  /** Hashes of the plan's files now; without those that cannot be read. */
  readonly files: readonly SettingsFile[];
  readonly now: number;
  readonly wasApplied: boolean;
}

/**
 * Returns the first reason why a saved plan must not be applied; undefined if nothing has changed
 * since it was saved.
 */
export function findStaleness(saved: SavedPlan, current: CurrentState): string | undefined {
  const { target, createdAt, salt } = saved;
  if (current.wasApplied) return 'the plan was applied before';
  if (target.url !== current.target.url)
    return `the plan is for ${target.url}, not for ${current.target.url}`;
  if (target.apiKey !== current.target.apiKey) return 'the plan is for another API key';
  const age = current.now - Date.parse(createdAt);
  if (!(age >= 0 && age <= MAX_AGE)) return 'the plan is older than 24 hours';
  const files = new Map(current.files.map(({ path, sha256 }) => [path, sha256]));
  const file = saved.files.find(({ path, sha256 }) => files.get(path) !== sha256)?.path;
  const secrets = hashSecrets(salt, current.secrets);
  const secret = Object.keys(saved.secrets).find((name) => secrets[name] !== saved.secrets[name]);
  const isChanged = (key: RecordKey) =>
    saved.records[key] !== hashRecord(salt, findLiveRecord(current.live, key));
  const changed =
    file ?? (secret && `the secret ${secret}`) ?? Object.keys(saved.records).find(isChanged);
  return changed && `${changed} has changed since the plan was saved`;
}

function hashSecrets(
  salt: string,
  secrets: readonly SecretValue[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    secrets.map((each) => [formatReference(each.reference), hash(salt, each.reveal())]),
  );
}

function hashRecord(salt: string, record: unknown): string | null {
  if (record === undefined) return null;
  const stable = isObject(record)
    ? Object.entries(record).filter(([field]) => !VOLATILE.has(field))
    : [];
  return hash(salt, formatCanonicalJson(Object.fromEntries(stable)));
}

function hash(salt: string, text: string): string {
  return createHmac('sha256', salt).update(text).digest('base64url');
}

function digestOf(content: object): string {
  return createHash('sha256').update(formatCanonicalJson(content)).digest('hex');
}
