import type { Operation } from '../../catalog/define.ts';
import { lowerFirst } from '../../kernel/first-letter.ts';
import type { Context } from '../context.ts';
import { SAMPLE_URL } from './setup-operation.ts';
import type { ExistingEndpoint } from './webhook-state.ts';

export interface EndpointSubject {
  readonly operation: Operation;
  readonly existing: readonly ExistingEndpoint[];
  readonly allowsUnknownEvents: boolean;
}

export interface Asked {
  readonly subject: EndpointSubject;
  readonly message: string;
  readonly current: unknown;
}

export function findProblem({ operation }: EndpointSubject, field: string, value: unknown): string | undefined {
  const { error } = operation.input.safeParse({ url: SAMPLE_URL, [field]: value });
  const issue = error?.issues.find(({ path }) => path[0] === field);
  return issue && lowerFirst(issue.message);
}

interface OptionalField {
  readonly field: string;
  readonly emptyMeaning: string;
  readonly parse?: (answer: string) => unknown;
  readonly check?: (answer: string) => string | undefined;
  readonly complete?: (typed: string) => string;
}

export async function askOptional(
  context: Context,
  { subject, message, current }: Asked,
  { field, emptyMeaning, parse = (answer) => answer, check, complete }: OptionalField,
): Promise<unknown> {
  const prompter = await context.prompter();
  const answer = await prompter.text({
    message,
    defaultValue: current === undefined ? undefined : [current].flat().join(', '),
    emptyMeaning,
    ...(complete && { complete }),
    validate: (text) => check?.(text) ?? findProblem(subject, field, parse(text)),
  });
  return answer === '' ? undefined : parse(answer);
}
