import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';

type CallRequest = ServerContext['mcpReq'];

/** A question that the host must ask its user. The host then repeats the call with the answer. */
export class ConfirmationRequired extends Error {
  readonly question: string;

  constructor(question: string) {
    super(`confirmation required: ${question}`);
    this.name = 'ConfirmationRequired';
    this.question = question;
  }
}

/** Whether the host has declared that it can ask its user. */
export function canAskUser({ envelope }: CallRequest, known: ClientCapabilities | undefined): boolean {
  // Later revisions of the protocol declare it in each request, which the library's types omit.
  const declared: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = envelope ?? {};
  const { elicitation } = declared[CLIENT_CAPABILITIES_META_KEY] ?? known ?? {};
  // A host that declares no mode supports the original one, forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Returns the user's answer to this exact question; `undefined` without an answer. */
export function readConfirmation(question: string, { inputResponses }: CallRequest): boolean | undefined {
  const answer = inputResponse(inputResponses, question);
  return answer.kind === 'elicit' ? answer.action === 'accept' : undefined;
}

/** Creates a request for a yes or no, for which hosts show buttons. */
export function confirmationRequest({ question }: ConfirmationRequired): InputRequiredResult {
  const message = `svc asks: ${question}`;
  const requestedSchema = { type: 'object', properties: {} } as const;
  return inputRequired({ inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema }) } });
}
