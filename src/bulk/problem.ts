import type * as z from 'zod';
import { issueText, meantValue } from '../catalog/issue-text.ts';
import { valueAt } from '../kernel/field-path.ts';

/** What is wrong with a value that has to be valid by a schema. */
export function problemsOf(schema: z.ZodType, value: unknown): readonly Problem[] {
  const { success, error } = schema.safeParse(value);
  return success ? NO_PROBLEMS : error.issues.map((issue) => inRecord(problemAt(issue, value)));
}

function inRecord({ field, message }: Problem): Problem {
  return field === undefined ? { message: `the record: ${message}` } : { field, message };
}

/** What is wrong, and with which field of a record. */
export interface Problem {
  /** Left out where it is the record as a whole. */
  readonly field?: string;
  readonly message: string;
}

const NO_PROBLEMS: readonly Problem[] = [];

function problemAt(issue: z.core.$ZodIssue, record: unknown): Problem {
  const value = valueAt(record, issue.path);
  const meant = meantValue(issue, value);
  const message = `${issueText(issue, value)}${meant ? `; did you mean '${meant}'?` : ''}`;
  return issue.path.length > 0 ? { field: issue.path.join('.'), message } : { message };
}

/** What is wrong with a field, called by its path or by another name: `email: expected text, got a number`. */
export function problemOf(issue: z.core.$ZodIssue, record: unknown, name?: string): string {
  const { field, message } = problemAt(issue, record);
  const called = name ?? field;
  return called === undefined ? message : `${called}: ${message}`;
}
