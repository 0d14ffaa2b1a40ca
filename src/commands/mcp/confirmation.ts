import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { SvcError } from '../../kernel/errors.ts';

type CallRequest = ServerContext['mcpReq'];

/**
 * The message is a question that the host must ask its user. The host repeats the call with the
 * answer.
 */
export class ConfirmationRequired extends Error {}

export function canAskUser(
  { envelope }: CallRequest,
  known: ClientCapabilities | undefined,
): boolean {
  // In later revisions of the protocol, each request contains the capabilities. The library's types
  // omit them.
  const declared: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = envelope ?? {};
  const { elicitation } = declared[CLIENT_CAPABILITIES_META_KEY] ?? known ?? {};
  // A host without a mode supports forms, the original mode.
  return (
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  );
}

/**
 * Returns the user's answer to a question.
 * @throws ConfirmationRequired if the user was not asked yet
 */
export function readConfirmation(question: string, { inputResponses }: CallRequest): boolean {
  const answer = inputResponse(inputResponses, question);
  if (answer.kind !== 'elicit') throw new ConfirmationRequired(question);
  return answer.action === 'accept';
}

export function confirmationRequest(question: string): InputRequiredResult {
  const message = `svc asks: ${question}`;
  const requestedSchema = { type: 'object', properties: {} } as const;
  return inputRequired({
    inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema }) },
  });
}

export function createCannotAskError(question: string): SvcError {
  return new SvcError(
    'usage',
    `${question} This host cannot ask its user for confirmation; nothing was sent.`,
    {
      hint: 'the user can start this server with --yes to allow operations that need confirmation',
    },
  );
}
