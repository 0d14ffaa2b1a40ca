import type { Operation } from '../../catalog/define.ts';
import { type Data, withValue } from './data.ts';

/** What an operation says is wrong with the value of a field, if anything is; a URL it wants beside it is there. */
export function fieldProblem({ input }: Operation, path: readonly string[], value: unknown, others: Data = {}) {
  const { error } = input.safeParse(withValue(others, path, value));
  const issue = error?.issues.find(({ path: at }) => path.every((part, depth) => at[depth] === part));
  return issue?.message.replace(/^./, (first) => first.toLowerCase());
}
