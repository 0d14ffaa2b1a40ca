import type { Operation } from '../../catalog/define.ts';
import { lowerFirst } from '../../kernel/first-letter.ts';
import { type ExistingEndpoint, SAMPLE_URL } from './setup-operation.ts';

/** The endpoint to create: how its settings are checked, and the endpoints that exist already. */
export interface EndpointSubject {
  readonly operation: Operation;
  readonly existing: readonly ExistingEndpoint[];
  readonly allowsUnknownEvents: boolean;
}

/** Returns the problem with the value of a field, if any. */
export function findProblem(
  { operation }: EndpointSubject,
  field: string,
  value: unknown,
): string | undefined {
  const { error } = operation.input.safeParse({ url: SAMPLE_URL, [field]: value });
  const issue = error?.issues.find(({ path }) => path[0] === field);
  return issue && lowerFirst(issue.message);
}
