import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';

type CallRequest = ServerContext['mcpReq'];

/** A question that the host has to put to its user before the call can go on: it is called again with the answer. */
export class Unanswered extends Error {
  readonly question: string;

  constructor(question: string) {
    super(`not answered yet: ${question}`);
    this.name = 'Unanswered';
    this.question = question;
  }
}

/** Whether the host can put a question to a person, as it said of itself. */
export function canAskUser({ envelope }: CallRequest, known: ClientCapabilities | undefined): boolean {
  // Later revisions of the protocol say it with each request; the library's types leave it out.
  const declared: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = envelope ?? {};
  const { elicitation } = declared[CLIENT_CAPABILITIES_META_KEY] ?? known ?? {};
  // One that names no form of asking has the first that there was, by a form.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** What the user said to a question, by the question itself: a yes to another one counts for nothing. */
export function answerTo(question: string, { inputResponses }: CallRequest): boolean | undefined {
  const answer = inputResponse(inputResponses, question);
  return answer.kind === 'elicit' ? answer.action === 'accept' : undefined;
}

/** Asks for nothing but a yes or a no, which hosts have buttons for. */
export function asking({ question }: Unanswered): InputRequiredResult {
  const message = `svc asks: ${question}`;
  const requestedSchema = { type: 'object', properties: {} } as const;
  return inputRequired({ inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema }) } });
}
