import type * as z from 'zod/mini';
import { compileOnReuse } from '../catalog/compiled-schema.ts';
import { explainIssue, suggestValue } from '../catalog/explain-issue.ts';
import { findTargetIdProblems } from '../catalog/target-ids.ts';
import { valueAt } from '../kernel/field-path.ts';

export function findRecordProblems(
  schema: z.ZodMiniType,
  value: unknown,
): readonly RecordProblem[] {
  const { success, error } = compileOnReuse(schema).safeParse(value);
  if (success) {
    const unclear = findTargetIdProblems(schema, value);
    if (unclear.length === 0) return VALID;
    return unclear.map(({ path, message }) => ({ field: path.join('.'), message }));
  }
  const problems = error.issues.map((issue) => problemAt(issue, value));
  return problems.map((problem) =>
    'field' in problem ? problem : { message: `the record: ${problem.message}` },
  );
}

export interface RecordProblem {
  readonly field?: string;
  readonly message: string;
}

const VALID: readonly RecordProblem[] = [];

function problemAt(issue: z.core.$ZodIssue, record: unknown): RecordProblem {
  const value = valueAt(record, issue.path);
  const suggestion = suggestValue(issue, value);
  const message = `${explainIssue(issue, value)}${suggestion ? `; did you mean '${suggestion}'?` : ''}`;
  return issue.path.length > 0 ? { field: issue.path.join('.'), message } : { message };
}

/**
 * Formats a schema issue, prefixed with `name` or the field's path:
 * `email: expected text, got a number`.
 */
export function describeFieldProblem(
  issue: z.core.$ZodIssue,
  record: unknown,
  name?: string,
): string {
  const { field, message } = problemAt(issue, record);
  const subject = name ?? field;
  return subject === undefined ? message : `${subject}: ${message}`;
}
