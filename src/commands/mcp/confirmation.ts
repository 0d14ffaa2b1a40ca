import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';

type CallRequest = ServerContext['mcpReq'];

/** A question that the host must ask its user. The host repeats the call with the answer. */
export class ConfirmationRequired extends Error {
  readonly question: string;

  constructor(question: string) {
    super(`confirmation required: ${question}`);
    this.name = 'ConfirmationRequired';
    this.question = question;
  }
}

export function canAskUser({ envelope }: CallRequest, known: ClientCapabilities | undefined): boolean {
  // In later revisions of the protocol, each request contains the capabilities. The library's types omit them.
  const declared: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = envelope ?? {};
  const { elicitation } = declared[CLIENT_CAPABILITIES_META_KEY] ?? known ?? {};
  // A host without a mode supports forms, the original mode.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

export function readConfirmation(question: string, { inputResponses }: CallRequest): boolean | undefined {
  const answer = inputResponse(inputResponses, question);
  return answer.kind === 'elicit' ? answer.action === 'accept' : undefined;
}

export function confirmationRequest({ question }: ConfirmationRequired): InputRequiredResult {
  const message = `svc asks: ${question}`;
  const requestedSchema = { type: 'object', properties: {} } as const;
  return inputRequired({ inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema }) } });
}
