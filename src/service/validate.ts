import type * as z from 'zod';
import { findRecordIssues, validateBounded } from '../catalog/bounded-validation.ts';
import type { InputProblem, Operation } from '../catalog/define.ts';
import { formatFieldPath } from '../kernel/field-path.ts';
import { yieldToEvents } from '../kernel/run-in-slices.ts';
import { Refusal } from './refusal.ts';

/**
 * Checks the data of a call against the catalog's schema.
 * @param now the time of the call, in milliseconds since the epoch
 * @throws Refusal INVALID_ARGUMENT that names the first invalid field, and lists the first hundred in its details
 */
export function parseInput(operation: Operation, data: unknown, now: number): z.output<Operation['input']> {
  const checked = validateBounded(operation.input, data);
  if (!checked.success) throw createRefusal(checked.issues.map(issueOf), operation.rejectionMessage);
  const expired = operation.findPastValue?.(checked.data, now);
  if (expired) throw createRefusal([issueOf({ code: 'custom', ...expired })]);
  return checked.data;
}

/**
 * Checks long lists of records, and yields to the event loop in between.
 * @throws Refusal INVALID_ARGUMENT, like `parseInput`
 */
export async function checkRecords(operation: Operation, data: unknown): Promise<void> {
  const issues = await findRecordIssues(operation.input, data, yieldToEvents);
  if (issues.length > 0) throw createRefusal(issues.map(issueOf), operation.rejectionMessage);
}

/** A problem with an input, as listed in `details.issues`. */
export interface Issue {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Creates a refusal for a field that matches the schema, but not the service's state or its storage. */
export function fieldRefusal(path: Issue['path'], message: string): Refusal {
  return createRefusal([{ code: 'custom', path, message }]);
}

function createRefusal(issues: readonly Issue[], rephrase: Operation['rejectionMessage'] = () => undefined): Refusal {
  const messages = issues.map(
    (issue) => rephrase(issue) ?? `${formatFieldPath(issue.path) || 'data'}: ${issue.message}`,
  );
  return new Refusal('INVALID_ARGUMENT', messages[0] ?? 'data: not valid', { issues });
}

function issueOf({ code = 'custom', path, message }: InputProblem & { readonly code?: string | undefined }): Issue {
  return { code, path: path.map(jsonKey), message };
}

function jsonKey(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key);
}
