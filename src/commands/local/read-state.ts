import type * as z from 'zod';
import { problemOf } from '../../bulk/problem.ts';
import { readDocument } from '../../bulk/source/document.ts';
import { type State, stateSchema } from '../../catalog/state.ts';
import type { SvcError } from '../../kernel/errors.ts';
import { fieldPath, valueAt } from '../../kernel/field-path.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { refusal } from '../call/refusal.ts';
import type { Context } from '../context.ts';

/** A state as a file holds it, each record right by itself. */
export interface StateFile {
  /** What messages call it. */
  readonly name: string;
  readonly state: State;
}

/**
 * Reads a state. Fields of a record that could not be kept are left out, with a warning.
 * @throws SvcError `bad_data` for what is no state, naming every field that is wrong.
 */
export async function readState(context: Context, file: string): Promise<StateFile> {
  const { io, cwd, signal } = context;
  const { name, value } = await readDocument({ file, cwd, stdin: io.stdin.stream, signal });
  const { data, error } = stateSchema.safeParse(value);
  if (data) return { name, state: data };
  const problems = error.issues
    .filter((issue) => !isStrangeField(issue))
    .flatMap((issue) => problemsOf(name, issue, value));
  if (problems.length > 0) throw await stateRefusal(context, name, problems);
  for (const { path, keys } of error.issues.filter(isStrangeField)) {
    await context.warn(`${placeIn(name, path)}: left out, as it is not known: ${keys.join(', ')}`);
    for (const key of keys) Reflect.deleteProperty(Object(valueAt(value, path)), key);
  }
  return { name, state: stateSchema.parse(value) };
}

/** The refusal of a state. Each problem begins with its place. */
export function stateRefusal(context: Context, name: string, problems: readonly string[]): Promise<SvcError> {
  const hint = 'nothing was written; correct the file and import it again';
  const found = { findings: problems, findingCount: problems.length };
  return refusal(context, found, { failure: 'bad_data', name, part: 'its records', hint });
}

/** `state.yaml: users[3].userId`. */
export function placeIn(name: string, path: readonly PropertyKey[]): string {
  return path.length === 0 ? name : `${name}: ${fieldPath(path)}`;
}

type StrangeFields = z.core.$ZodIssueUnrecognizedKeys;

/** Fields that nothing is known of. At the top of a state, where they would be whole lists, they are wrong. */
function isStrangeField(issue: z.core.$ZodIssue): issue is StrangeFields {
  return issue.code === 'unrecognized_keys' && issue.path.length > 0;
}

function problemsOf(name: string, issue: z.core.$ZodIssue, value: unknown): readonly string[] {
  if (issue.code !== 'unrecognized_keys') return [problemOf(issue, value, placeIn(name, issue.path))];
  return issue.keys.map(
    (key) => `${name}: ${key}: no part of a state; ${didYouMean(key, Object.keys(stateSchema.shape))}`,
  );
}
