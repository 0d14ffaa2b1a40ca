import type * as z from 'zod';
import { describeFieldProblem } from '../../bulk/record-problem.ts';
import { readDocument } from '../../bulk/source/document.ts';
import { stateSchema } from '../../catalog/state.ts';
import type { SvcError } from '../../kernel/errors.ts';
import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { findingsError } from '../call/findings-error.ts';
import type { Context } from '../context.ts';

/**
 * Reads a state and checks each record by itself. Skips unknown fields of records with a warning. Also returns the name
 * of the file for messages.
 * @throws SvcError `bad_data` with every invalid field
 */
export async function readState(context: Context, file: string) {
  const { io, cwd, signal } = context;
  const { name, value } = await readDocument({ file, cwd, stdin: io.stdin.stream, signal });
  const { data, error } = stateSchema.safeParse(value);
  if (data) return { name, state: data };
  const problems = error.issues
    .filter((issue) => !isUnknownFieldsIssue(issue))
    .flatMap((issue) => describeIssue(name, issue, value));
  if (problems.length > 0) throw await createStateError(context, name, problems);
  for (const { path, keys } of error.issues.filter(isUnknownFieldsIssue)) {
    await context.warn(`${formatStatePosition(name, path)}: skipped unknown fields: ${keys.join(', ')}`);
    for (const key of keys) Reflect.deleteProperty(Object(valueAt(value, path)), key);
  }
  return { name, state: stateSchema.parse(value) };
}

export function createStateError(context: Context, name: string, problems: readonly string[]): Promise<SvcError> {
  const hint = 'nothing was written; fix the file and import it again';
  const found = { findings: problems, findingCount: problems.length };
  return findingsError(context, found, { failure: 'bad_data', name, part: 'its records', hint });
}

/** Formats a position in a state, such as `state.yaml: users[3].userId`. */
export function formatStatePosition(name: string, path: readonly PropertyKey[]): string {
  return path.length === 0 ? name : `${name}: ${formatFieldPath(path)}`;
}

/** Whether an issue is about unknown fields of a record. At the top level, unknown fields are errors. */
function isUnknownFieldsIssue(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === 'unrecognized_keys' && issue.path.length > 0;
}

function describeIssue(name: string, issue: z.core.$ZodIssue, value: unknown): readonly string[] {
  if (issue.code !== 'unrecognized_keys')
    return [describeFieldProblem(issue, value, formatStatePosition(name, issue.path))];
  return issue.keys.map((key) => `${name}: ${key}: unknown field; ${didYouMean(key, Object.keys(stateSchema.shape))}`);
}
