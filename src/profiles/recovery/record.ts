import { createHash } from 'node:crypto';
import { isObject } from '../../kernel/is-object.ts';
import { jsonValue } from '../../kernel/json-value.ts';

/**
 * How far the reset of an auth token came.
 * - `sending`: the request may have left; nothing is known of its end.
 * - `kept`: the service answered, and the new token is in the record until it has reached everyone it is for.
 * - `unknown`: no usable answer came, and whether the old token still works could not be told.
 * - `lost`: the old token is dead, and nobody has the new one.
 */
const STATES = ['sending', 'kept', 'unknown', 'lost'] as const;
type RecoveryState = (typeof STATES)[number];

/** Which token a reset is about: an API key of one service. */
export interface ResetSubject {
  readonly apiKey: string;
  /** The origin of the service, or what stands for the embedded one. */
  readonly place: string;
}

/** What a reset leaves behind while it is under way, and when it broke. It never holds the old token. */
export interface RecoveryRecord extends ResetSubject {
  readonly id: string;
  readonly state: RecoveryState;
  /** The profile that was in use. */
  readonly profile: string | null;
  /** The `--ca-file` of the reset, as an absolute path. */
  readonly caFile?: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly pid: number;
  readonly machine: string;
  /** The `fingerprint` of the token that the reset replaces, where it is known here. */
  readonly oldToken: string | null;
  /** The new token, in the state `kept` alone. */
  readonly token: string | null;
}

/** By which a token is known again without being written down. */
export function fingerprint(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

/** The start of the ids of all records of one token, and the name of its lock. */
export function subjectKey({ apiKey, place }: ResetSubject): string {
  return createHash('sha256').update(`${place}\n${apiKey}`).digest('hex').slice(0, 8);
}

export function isAbout(record: ResetSubject, { apiKey, place }: ResetSubject): boolean {
  return record.apiKey === apiKey && record.place === place;
}

/** The record that a file's text holds, which is the last line of it that is whole; `undefined` where none is. */
export function parseRecord(text: string): RecoveryRecord | undefined {
  return text.split('\n').map(jsonValue).findLast(isRecord);
}

const TEXTS = ['id', 'apiKey', 'place', 'startedAt', 'machine'] as const;
const TEXTS_OR_NULL = ['profile', 'oldToken', 'token'] as const;

function isRecord(value: unknown): value is RecoveryRecord {
  return (
    isObject(value) &&
    TEXTS.every((field) => typeof value[field] === 'string') &&
    TEXTS_OR_NULL.every((field) => value[field] === null || typeof value[field] === 'string') &&
    typeof value['pid'] === 'number' &&
    STATES.some((state) => state === value['state'])
  );
}
