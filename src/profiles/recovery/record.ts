import { createHash } from 'node:crypto';
import { isObject } from '../../kernel/is-object.ts';
import { tryParseJson } from '../../kernel/try-parse-json.ts';

/**
 * The progress of an auth token reset.
 * - `sending`: the request may have been sent; its outcome is unknown.
 * - `kept`: the service returned the new token, and the record stores it until it has been saved everywhere.
 * - `unknown`: the response was lost, and it is unknown whether the old token still works.
 * - `lost`: the old token no longer works, and the new token was lost.
 */
const STATES = ['sending', 'kept', 'unknown', 'lost'] as const;
type RecoveryState = (typeof STATES)[number];

export interface ResetSubject {
  readonly apiKey: string;
  /** The origin of the service, or an identifier of the embedded service. */
  readonly place: string;
}

/** The record of a reset that is in progress or was interrupted. Never contains the old token. */
export interface RecoveryRecord extends ResetSubject {
  readonly id: string;
  readonly state: RecoveryState;
  readonly profile: string | null;
  /** The `--ca-file` of the reset, as an absolute path. */
  readonly caFile?: string;
  readonly startedAt: string;
  readonly pid: number;
  readonly machine: string;
  readonly oldToken: string | null;
  /** The new token, only in the state `kept`. */
  readonly token: string | null;
}

/** Computes a short hash that identifies a token without revealing it. */
export function fingerprintOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

/** Returns the ID prefix of all records of one token, which is also the name of its lock. */
export function subjectKeyOf({ apiKey, place }: ResetSubject): string {
  return createHash('sha256').update(`${place}\n${apiKey}`).digest('hex').slice(0, 8);
}

export function isForSubject(record: ResetSubject, { apiKey, place }: ResetSubject): boolean {
  return record.apiKey === apiKey && record.place === place;
}

/** Parses the text of a record file: its last complete line; `undefined` if no line is complete. */
export function parseRecord(text: string): RecoveryRecord | undefined {
  return text.split('\n').map(tryParseJson).findLast(isRecord);
}

const TEXT_FIELDS = ['id', 'apiKey', 'place', 'startedAt', 'machine'] as const;
const NULLABLE_TEXT_FIELDS = ['profile', 'oldToken', 'token'] as const;

function isRecord(value: unknown): value is RecoveryRecord {
  return (
    isObject(value) &&
    TEXT_FIELDS.every((field) => typeof value[field] === 'string') &&
    NULLABLE_TEXT_FIELDS.every((field) => value[field] === null || typeof value[field] === 'string') &&
    typeof value['pid'] === 'number' &&
    STATES.some((state) => state === value['state'])
  );
}
