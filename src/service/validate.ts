import type * as z from 'zod';
import { checkBounded, recordIssues } from '../catalog/bounded-check.ts';
import type { Finding, Operation } from '../catalog/define.ts';
import { fieldPath } from '../kernel/field-path.ts';
import { nextTurn } from '../kernel/next-turn.ts';
import { Refusal } from './refusal.ts';

/**
 * The input of a call, checked by the catalog's schema and as of a moment in milliseconds since the epoch.
 * @throws Refusal INVALID_ARGUMENT that names the first wrong field, and lists the first hundred in its details.
 */
export function validInput(operation: Operation, data: unknown, now: number): z.output<Operation['input']> {
  const checked = checkBounded(operation.input, data);
  if (!checked.success) throw refused(checked.issues.map(issueOf), operation.refusal);
  const outdated = operation.outdated?.(checked.data, now);
  if (outdated) throw refused([issueOf({ code: 'custom', ...outdated })]);
  return checked.data;
}

/**
 * Checks long lists of records, and lets others have their turn meanwhile.
 * @throws Refusal INVALID_ARGUMENT as `validInput` does.
 */
export async function checkRecords(operation: Operation, data: unknown): Promise<void> {
  const issues = await recordIssues(operation.input, data, nextTurn);
  if (issues.length > 0) throw refused(issues.map(issueOf), operation.refusal);
}

/** One thing that is wrong with an input, as `details.issues` tells it. */
export interface Issue {
  readonly code: string;
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The refusal of a field that fits the schema, but not the service's state or its storage. */
export function refusedField(path: Issue['path'], message: string): Refusal {
  return refused([{ code: 'custom', path, message }]);
}

function refused(issues: readonly Issue[], words: Operation['refusal'] = () => undefined): Refusal {
  const said = issues.map((issue) => words(issue) ?? `${fieldPath(issue.path) || 'data'}: ${issue.message}`);
  return new Refusal('INVALID_ARGUMENT', said[0] ?? 'data: not valid', { issues });
}

function issueOf({ code = 'custom', path, message }: Finding & { readonly code?: string | undefined }): Issue {
  return { code, path: path.map(jsonKey), message };
}

function jsonKey(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key);
}
