import type { Operation } from '../../catalog/define.ts';
import { withValue } from '../../kernel/field-path.ts';
import { lowerFirst } from '../../kernel/first-letter.ts';
import { isObject } from '../../kernel/is-object.ts';

export type Data = Readonly<Record<string, unknown>>;

/** Returns a copy of `data` with the fields of `over` merged into it recursively. */
export function mergeData(data: Data, over: Data): Data {
  const fields = new Map(Object.entries(data));
  for (const [key, value] of Object.entries(over)) {
    const inner = fields.get(key);
    fields.set(key, isObject(value) && isObject(inner) ? mergeData(inner, value) : value);
  }
  return Object.fromEntries(fields);
}

/** Validates the value of one field. `others` holds required fields beside it. @returns the problem, if any */
export function findFieldProblem({ input }: Operation, path: readonly string[], value: unknown, others: Data = {}) {
  const { error } = input.safeParse(withValue(others, path, value));
  const issue = error?.issues.find(({ path: at }) => path.every((part, depth) => at[depth] === part));
  return issue && lowerFirst(issue.message);
}
