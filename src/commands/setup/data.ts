import type { Operation } from '../../catalog/define.ts';
import { withValue } from '../../kernel/field-path.ts';
import { lowerFirst } from '../../kernel/first-letter.ts';

export type Data = Readonly<Record<string, unknown>>;

/** Validates the value of one field. `others` holds required fields beside it. @returns the problem, if any */
export function findFieldProblem({ input }: Operation, path: readonly string[], value: unknown, others: Data = {}) {
  const { error } = input.safeParse(withValue(others, path, value));
  const issue = error?.issues.find(({ path: at }) => path.every((part, depth) => at[depth] === part));
  return issue && lowerFirst(issue.message);
}
