import type * as z from 'zod/mini';
import { findRecordIssues, validateBounded } from '../../catalog/bounded-validation.ts';
import type { Operation } from '../../catalog/define.ts';
import { explainIssue } from '../../catalog/explain-issue.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { upperFirst } from '../../kernel/first-letter.ts';
import { yieldToEvents } from '../../kernel/run-in-slices.ts';
import { Refusal } from '../store/refusal.ts';

/**
 * @param now time of the call, in milliseconds since the epoch
 * @throws Refusal INVALID_ARGUMENT for the first invalid field, with the first hundred problems in
 * its details
 */
export function parseInput(
  operation: Operation,
  data: unknown,
  now: number,
): z.output<Operation['input']> {
  const checked = validateBounded(operation.input, data);
  if (!checked.success) throw createRefusal(checked.issues.map(issueIn(data)), operation);
  const expired = operation.findPastValue?.(checked.data, now);
  if (expired) throw fieldRefusal(expired.path, expired.message);
  return checked.data;
}

/**
 * Checks long lists of records, yielding to the event loop between records.
 * @throws Refusal like `parseInput`
 */
export async function checkRecords(operation: Operation, data: unknown): Promise<void> {
  const issues = await findRecordIssues(operation.input, data, yieldToEvents);
  if (issues.length > 0) throw createRefusal(issues.map(issueIn(data)), operation);
}

export interface Issue {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Creates a refusal for a field that matches the schema, but is not valid in the current state. */
export function fieldRefusal(path: readonly PropertyKey[], message: string): Refusal {
  return createRefusal([{ code: 'custom', path: fieldPathOf(path), message }]);
}

/**
 * Rejects a value outside the known ones of an open set, which a client may send.
 * @throws Refusal INVALID_ARGUMENT
 */
export function requireKnownValue(
  path: readonly PropertyKey[],
  value: string | undefined,
  known: readonly string[],
): void {
  if (value !== undefined && !known.includes(value))
    throw fieldRefusal(path, `must be one of ${known.join(', ')}, got '${value}'`);
}

function createRefusal(
  issues: readonly Issue[],
  { rejectionMessage = () => undefined }: Pick<Operation, 'rejectionMessage'> = {},
): Refusal {
  const messages = issues.map((issue) => rejectionMessage(issue) ?? describeIssue(issue));
  return new Refusal('INVALID_ARGUMENT', messages[0] ?? 'data is invalid', { issues });
}

/** Describes an issue with its field: `users[0].email: expected text, got a number`. */
function describeIssue({ path, message }: Issue): string {
  if (message === requireField(path)) return message;
  const field = formatFieldPath(path) || 'data';
  return `${field}${message.startsWith('is ') ? '' : ':'} ${message}`;
}

function issueIn(data: unknown) {
  return (issue: z.core.$ZodIssue): Issue => {
    const value = valueAt(data, issue.path);
    const { code, path } = issue;
    if (isMissing(issue, value))
      return { code, path: fieldPathOf(path), message: requireField(path) };
    // A rule between fields explains itself, also if its field is absent.
    const message = code === 'custom' ? issue.message : explainIssue(issue, value);
    return { code, path: fieldPathOf(path), message };
  };
}

function fieldPathOf(path: readonly PropertyKey[]): Issue['path'] {
  return path.map((key) => (typeof key === 'number' ? key : String(key)));
}

/** Whether a field is absent, or an ID is empty, and the issue says no more than that. */
function isMissing({ code, path, message }: z.core.$ZodIssue, value: unknown): boolean {
  if (path.length === 0) return false;
  if (code === 'custom') return message === 'required';
  return value === undefined || value === null || (code === 'too_small' && value === '');
}

/**
 * Names a missing field in words: `Editor ID is required.` If it is inside another field, names its
 * place too: `User ID is required (users[0].userId).`
 */
function requireField(path: readonly PropertyKey[]): string {
  const name = path.findLast((key) => typeof key === 'string') ?? 'data';
  if (path.length > 1) return `${labelOf(name)} is required (${formatFieldPath(path)}).`;
  // The API has no period in this message.
  return `${labelOf(name)} is required${name === 'organizationId' ? '' : '.'}`;
}

/** Splits a field's name into words: `newDocumentId` is `New document ID`. */
function labelOf(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const abbreviated = words.replace(/\b(?:api|id|url)(?=s?\b)/g, (word) => word.toUpperCase());
  return upperFirst(abbreviated);
}

/**
 * Whether all strings are well-formed. In UTF-8, different IDs with unpaired surrogates could
 * become equal.
 */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}
