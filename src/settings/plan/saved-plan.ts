import { createHash, createHmac, randomBytes, scrypt } from 'node:crypto';
import type * as z from 'zod/mini';
import { explainIssue } from '../../catalog/explain-issue.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { type Fields, formatCanonicalJson, isObject, tryParseJson } from '../../kernel/json.ts';
import { MAX_NESTING, nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { findLiveRecord, type LiveRecords } from '../live-records.ts';
import {
  findUsersFile,
  nameInSentence,
  type Plan,
  type PlanTarget,
  type RecordKey,
} from '../plan.ts';
import { formatReference, type SecretValue } from '../secret-value.ts';
import { type DeclaredSettings, parseRecordKey, type SettingsFile } from '../settings.ts';

/**
 * A plan in a file: what it shows, and the values that its writes are made of. Contains live records
 * and secrets only as salted hashes.
 */
export interface SavedPlan extends Omit<Plan, 'read' | 'writes'> {
  readonly svc: 1;
  readonly createdAt: string;
  readonly environment: string | null;
  readonly profile: string | null;
  readonly stack: string | null;
  /** How the user named the target. Absent in plans of `svc undo`, and of earlier versions. */
  readonly names?: TargetNames;
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

/** How the user named the target of a plan, to show it. Nothing is sent because of it. */
export interface TargetNames {
  /** The settings file, or the folder of settings files. */
  readonly file: string;
  readonly profile: string | null;
  /** Source of the address, if no profile has it: `SVC_BASE_URL`. */
  readonly source?: string;
  /** The `.svc.json` that chose the profile. */
  readonly folderFile?: string;
  /** Data of the embedded service, if it was given. */
  readonly store?: string;
  /** Environments of the settings file, if none was chosen. */
  readonly environments?: readonly string[];
}

/** A saved plan with its writes: what a job applies, and keeps in its journal. */
export interface ReadyPlan extends SavedPlan, Pick<Plan, 'writes'> {}

export interface SavedPlanOrigin
  extends Pick<DeclaredSettings, 'files' | 'secrets'>,
    Partial<Pick<DeclaredSettings, 'environment' | 'profile' | 'stack'>> {
  readonly names?: TargetNames;
  readonly allowReplace: boolean;
  /** Time in Unix milliseconds. */
  readonly now: number;
}

const MAX_AGE = 24 * 60 * 60 * 1000;
const VOLATILE = new Set(['lastUpdated', 'updatedAt', 'executionCount', 'lastExecutedAt']);

export async function createSavedPlan(plan: Plan, origin: SavedPlanOrigin): Promise<SavedPlan> {
  const { read, writes: _writes, ...rest } = plan;
  const salt = randomBytes(16).toString('hex');
  const content = {
    svc: 1 as const,
    createdAt: new Date(origin.now).toISOString(),
    environment: origin.environment ?? null,
    profile: origin.profile ?? null,
    stack: origin.stack ?? null,
    ...(origin.names && { names: origin.names }),
    files: origin.files,
    salt,
    records: Object.fromEntries(await hashRecords(salt, read)),
    secrets: Object.fromEntries(await hashSecrets(salt, origin.secrets)),
    ...rest,
    allowReplace: origin.allowReplace,
  };
  return { ...content, sha256: digestOf(content) };
}

/**
 * Parses a saved plan of settings.
 * @throws SvcError `invalid_input` if the text is not a plan, or was edited
 */
export async function parseSavedPlan(text: string, name: string): Promise<SavedPlan> {
  return checkSavedPlan(parseUnedited(text, name), name);
}

/**
 * Parses the JSON of a saved plan of any kind, and checks its digest.
 * @throws SvcError `invalid_input` if the text is not a plan, or was edited
 */
export function parseUnedited(text: string, name: string): Fields {
  const content = nestsDeeperThan(MAX_NESTING, text) ? undefined : tryParseJson(text);
  if (
    !isObject(content) ||
    typeof content['sha256'] !== 'string' ||
    !(Array.isArray(content['changes']) || isObject(content['write']))
  )
    throw new SvcError('invalid_input', `${name} is not a saved plan`);
  if (content['svc'] !== 1)
    throw new SvcError('invalid_input', `${name} was saved by a newer version of svc`);
  const { sha256, ...rest } = content;
  if (digestOf(rest) !== sha256)
    throw new SvcError('invalid_input', `${name} was edited after it was saved`);
  return content;
}

/** @throws SvcError `invalid_input` if the content is not a plan of settings */
export async function checkSavedPlan(content: Fields, name: string): Promise<SavedPlan> {
  const { savedPlanSchema } = await import('./saved-plan-schema.ts');
  return checkShape<SavedPlan>(savedPlanSchema, content, name);
}

/** @throws SvcError `invalid_input` with the first field that does not match the schema */
export async function checkShape<Saved>(
  schema: z.ZodMiniType,
  content: Fields,
  name: string,
): Promise<Saved> {
  const { data, error } = schema.safeParse(content);
  const [issue] = error?.issues ?? [];
  if (!issue) return data as Saved;
  const field = formatFieldPath(issue.path);
  const reason = explainIssue(issue, valueAt(content, issue.path));
  throw new SvcError(
    'invalid_input',
    `${name} is not a saved plan: ${field === '' ? reason : `${field}: ${reason}`}`,
  );
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
export async function findStaleness(
  saved: SavedPlan,
  current: CurrentState,
): Promise<string | undefined> {
  const { salt } = saved;
  if (current.wasApplied) return 'the plan was applied before';
  const unusable = findUnusable(saved, current.target, current.now);
  if (unusable !== undefined) return unusable;
  const files = new Map(current.files.map(({ path, sha256 }) => [path, sha256]));
  const file = findPlanFiles(saved).find(({ path, sha256 }) => files.get(path) !== sha256)?.path;
  if (file !== undefined) return `${file} has changed since the plan was saved`;
  const secrets = new Map(await hashSecrets(salt, current.secrets));
  const secret = Object.keys(saved.secrets).find(
    (name) => secrets.get(name) !== saved.secrets[name],
  );
  const changed =
    (secret && `the secret ${secret}`) ?? (await findChangedRecord(saved, current.live));
  return changed && `${changed} has changed since the plan was saved`;
}

/** Returns why a plan cannot be applied to a target now, whatever it contains. */
export function findUnusable(
  { target, createdAt }: Pick<SavedPlan, 'target' | 'createdAt'>,
  current: PlanTarget,
  now: number,
): string | undefined {
  if (target.url !== current.url)
    return `the plan is for ${nameInSentence(target)}, not for ${nameInSentence(current)}`;
  if (target.apiKey !== current.apiKey) return 'the plan is for another API key';
  return isExpired({ createdAt }, now) ? EXPIRED : undefined;
}

export const EXPIRED = 'the plan is older than 24 hours';

/** Whether a saved plan is too old to be applied. @param now Unix milliseconds */
export function isExpired({ createdAt }: Pick<SavedPlan, 'createdAt'>, now: number): boolean {
  const age = now - Date.parse(createdAt);
  return !(age >= 0 && age <= MAX_AGE);
}

/** Whether applying a saved plan would write anything. */
export function hasWrites({ summary }: Pick<SavedPlan, 'summary'>): boolean {
  return Object.values(summary).some((count) => count > 0);
}

/** Returns the files that a plan depends on: those of the settings, and the file of users. */
export function findPlanFiles({ files, changes }: SavedPlan): readonly SettingsFile[] {
  const users = findUsersFile(changes);
  if (!users || files.some(({ path, sha256 }) => path === users.from && sha256 === users.sha256))
    return files;
  return [...files, { path: users.from, sha256: users.sha256 }];
}

/** Whether a record differs from the one that a plan was made for. */
export async function hasRecordChanged(
  { records, salt }: SavedPlan,
  key: RecordKey,
  record: unknown,
): Promise<boolean> {
  const hashes = await hashRecords(salt, [[key, record]]);
  return records[key] !== hashes.get(key);
}

/** Returns the first secret that has another value than when a plan was made. */
export async function findChangedSecret(
  { secrets, salt }: SavedPlan,
  current: readonly SecretValue[],
): Promise<string | undefined> {
  const hashes = await hashSecrets(salt, current);
  return hashes.find(([name, hashed]) => secrets[name] !== hashed)?.[0];
}

async function findChangedRecord(
  { records, salt }: SavedPlan,
  live: LiveRecords,
): Promise<RecordKey | undefined> {
  const keys = Object.keys(records);
  const current = await hashRecords(
    salt,
    keys.map((key) => [key, findLiveRecord(live, key)]),
  );
  return keys.find((key) => records[key] !== current.get(key));
}

async function hashSecrets(
  salt: string,
  secrets: readonly SecretValue[],
): Promise<readonly (readonly [reference: string, hash: string])[]> {
  return Promise.all(
    secrets.map(async (secret) => {
      const name = formatReference(secret.reference);
      return [name, await hashSlowly(salt, JSON.stringify([name, secret.reveal()]))] as const;
    }),
  );
}

async function hashRecords(
  salt: string,
  records: Iterable<readonly [RecordKey, unknown]>,
): Promise<ReadonlyMap<RecordKey, string | null>> {
  const hashes = new Map<RecordKey, string | null>();
  const hashing: Promise<unknown>[] = [];
  for (const [key, record] of records) {
    const text = isObject(record) ? formatCanonicalJson(withoutVolatile(record)) : undefined;
    const mayContainSecret = parseRecordKey(key).kind === 'config' && hasText(record);
    hashes.set(key, text === undefined || mayContainSecret ? null : hash(salt, text));
    if (text !== undefined && mayContainSecret)
      hashing.push(hashSlowly(salt, key + text).then((hashed) => hashes.set(key, hashed)));
  }
  await Promise.all(hashing);
  return hashes;
}

/** Whether a value contains text, as every secret does: a configuration of switches has none. */
function hasText(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && Object.values(value).some(hasText);
}

/** Copies a record without the fields that change without a change of the record. */
export function withoutVolatile(record: Fields): Fields {
  return Object.fromEntries(Object.entries(record).filter(([field]) => !VOLATILE.has(field)));
}

function hash(salt: string, text: string): string {
  return createHmac('sha256', salt).update(text).digest('base64url');
}

const SCRYPT = { N: 2 ** 14, r: 8, p: 1 };
const HASH_BYTES = 32;

/**
 * Hashes a text that contains a secret. The salt is in the same file, so the hash is slow: a short
 * secret cannot be found by trying.
 */
async function hashSlowly(salt: string, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(text, salt, HASH_BYTES, SCRYPT, (error, key) => (error ? reject(error) : resolve(key)));
  return (await promise).toString('base64url');
}

/** Returns the SHA-256 of the content of a plan as canonical JSON. */
export function digestOf(content: object): string {
  return createHash('sha256').update(formatCanonicalJson(content)).digest('hex');
}
