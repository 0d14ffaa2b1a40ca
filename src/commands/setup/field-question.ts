import type { Context } from '../context.ts';
import { findFieldProblem } from './data.ts';
import type { ExistingEndpoint } from './existing-endpoints.ts';
import { SAMPLE_URL, type SetupOperation } from './setup-operation.ts';

export interface EndpointSubject extends SetupOperation {
  readonly existing: readonly ExistingEndpoint[];
  readonly allowsUnknownEvents: boolean;
}

export interface Asked {
  readonly subject: EndpointSubject;
  readonly message: string;
  /** Current answer, if the user changes it. */
  readonly current: unknown;
}

export function findProblem({ operation }: SetupOperation, field: string, value: unknown): string | undefined {
  return findFieldProblem(operation, [field], value, { url: SAMPLE_URL });
}

interface OptionalField {
  readonly field: string;
  readonly emptyMeaning: string;
  readonly parse?: (answer: string) => unknown;
  /** Finds a problem that the operation's schema does not. */
  readonly check?: (answer: string) => string | undefined;
  readonly complete?: (typed: string) => string;
}

/** Asks for a field that may be omitted. Enter alone keeps the current answer. */
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
