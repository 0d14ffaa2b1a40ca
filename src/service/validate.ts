import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import { fieldPath } from '../kernel/field-path.ts';
import { Refusal } from './refusal.ts';

/** Findings that one answer lists. */
const MOST_ISSUES = 100;

/**
 * The input of a call, checked by the catalog's schema and as of a moment in milliseconds since the epoch.
 * @throws Refusal INVALID_ARGUMENT that names the first wrong field, and lists all of them in its details.
 */
export function validInput(operation: Operation, data: unknown, now: number): z.output<Operation['input']> {
  const { success, data: input, error } = operation.input.safeParse(data);
  const outdated = success ? operation.outdated?.(input, now) : undefined;
  if (outdated) throw refused([{ code: 'custom', path: outdated.path.map(jsonKey), message: outdated.message }]);
  if (success) return input;
  const issues = error.issues
    .slice(0, MOST_ISSUES)
    .map(({ code, path, message }) => ({ code, path: path.map(jsonKey), message }));
  throw refused(issues, operation.refusal);
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

function jsonKey(key: PropertyKey): string | number {
  return typeof key === 'number' ? key : String(key);
}
