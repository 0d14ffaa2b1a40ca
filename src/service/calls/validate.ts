import type * as z from 'zod/mini';
import { findRecordIssues, validateBounded } from '../../catalog/bounded-validation.ts';
import type { InputProblem, Operation } from '../../catalog/define.ts';
import { formatFieldPath } from '../../kernel/field-path.ts';
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
  if (!checked.success)
    throw createRefusal(checked.issues.map(issueOf), operation.rejectionMessage);
  const expired = operation.findPastValue?.(checked.data, now);
  if (expired) throw createRefusal([issueOf({ code: 'custom', ...expired })]);
  return checked.data;
}

/**
 * Checks long lists of records, yielding to the event loop between records.
 * @throws Refusal like `parseInput`
 */
export async function checkRecords(operation: Operation, data: unknown): Promise<void> {
  const issues = await findRecordIssues(operation.input, data, yieldToEvents);
  if (issues.length > 0) throw createRefusal(issues.map(issueOf), operation.rejectionMessage);
}

export interface Issue {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Creates a refusal for a field that matches the schema, but is not valid in the current state. */
export function fieldRefusal(path: Issue['path'], message: string): Refusal {
  return createRefusal([{ code: 'custom', path, message }]);
}

function createRefusal(
  issues: readonly Issue[],
  rephrase: Operation['rejectionMessage'] = () => undefined,
): Refusal {
  const messages = issues.map(
    (issue) => rephrase(issue) ?? `${formatFieldPath(issue.path) || 'data'}: ${issue.message}`,
  );
  return new Refusal('INVALID_ARGUMENT', messages[0] ?? 'data: not valid', { issues });
}

function issueOf({
  code = 'custom',
  path,
  message,
}: InputProblem & { readonly code?: string | undefined }): Issue {
  return { code, path: path.map((key) => (typeof key === 'number' ? key : String(key))), message };
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
