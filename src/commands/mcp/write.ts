import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Operation } from '../../catalog/define.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { askForNewOrganizations } from '../call/new-parents.ts';
import { checkProtectedProfile, serviceLabel } from '../connection/protected-profile.ts';
import type { Context } from '../context.ts';
import { createTokenError, hashOf, type Previews } from './previews.ts';
import { loadChecked, runInMemory, type ToolHost, type ToolRun } from './run-tool.ts';
import { ensureWriteAllowed, savePlanOfWrite } from './save-plan.ts';
import type { ToolArguments, ToolInput } from './tools.ts';

export interface WriteHost extends ToolHost {
  /**
   * Asks the user a question.
   * @throws ConfirmationRequired, or an SvcError if the host cannot ask the user
   */
  readonly ask: (question: string) => boolean;
  readonly canAsk: boolean;
}

/** Bytes of requests that a preview shows. */
const MAX_SHOWN_BYTES = 30_000;

const NO_QUESTION: Context['confirm'] = async () => undefined;

/**
 * Previews a write, sends it if `token` belongs to its preview, or saves its plan if `saveAs` names
 * a file. Sends nothing in any other case.
 */
export async function callWrite(
  context: Context,
  entry: OperationEntry,
  { input: given, token, keep, saveAs }: ToolArguments,
  { previews, host }: { readonly previews: Previews; readonly host: WriteHost },
): Promise<ToolRun> {
  if (saveAs !== undefined)
    return savePlanOfWrite(context, entry, saveAs, { input: given, token, keep, host });
  await ensureWriteAllowed(context, entry);
  await checkProtectedProfile(context);
  const operation = await loadChecked(entry, given);
  if (token === undefined)
    return preview(context, entry, operation, { given, keep, previews, host });
  const shown = previews.find(token, entry.name, given);
  const { input } = shown;
  const planned = await planWrite(context, entry, input, { keep, host });
  if (planned.error !== undefined) return planned;
  if (hashOf(planned.text) !== shown.requests) {
    previews.take(token);
    throw createTokenError('the request has changed since the preview');
  }
  if (context.options.dryRun) return planned;
  const question = await findQuestion(context, operation, { given, input, host });
  // Throws to ask, and runs again with the answer. Until then, the token stays valid.
  const isConfirmed =
    question === undefined || host.ask(`${question} (${await serviceLabel(context)})`);
  if (!previews.take(token)) throw createTokenError('the token was used before');
  if (!isConfirmed) throw new SvcError('usage', 'not confirmed; nothing was changed');
  return runInMemory(context, entry, input, { ...host, keep, confirm: NO_QUESTION });
}

/** Prepares the requests of a write without sending them. */
function planWrite(
  context: Context,
  entry: OperationEntry,
  input: ToolInput,
  { keep, host }: { keep: ToolArguments['keep']; host: WriteHost },
): Promise<ToolRun> {
  return runInMemory(context, entry, input, { ...host, keep, dryRun: true, confirm: NO_QUESTION });
}

async function preview(
  context: Context,
  entry: OperationEntry,
  operation: Operation,
  {
    given,
    keep,
    previews,
    host,
  }: { given: ToolInput; keep: ToolArguments['keep']; previews: Previews; host: WriteHost },
): Promise<ToolRun> {
  const input = withGeneratedIds(operation, given);
  const planned = await planWrite(context, entry, input, { keep, host });
  if (planned.error !== undefined) return planned;
  const question = await findQuestion(context, operation, { given, input, host });
  // Refuses at once what could not be confirmed later.
  if (question !== undefined && !host.canAsk) host.ask(question);
  const requests = parseRequests(planned.text);
  const token = context.options.dryRun
    ? undefined
    : previews.add({
        operation: entry.name,
        given: hashOf(given),
        input,
        requests: hashOf(planned.text),
      });
  const shown = {
    preview: `nothing was sent; repeat the call with this token to send ${requests.length === 1 ? 'the request' : `${requests.length} requests`}`,
    operation: entry.name,
    target: await serviceLabel(context),
    effect: entry.effect,
    ...countRecords(operation, input),
    ...(question !== undefined && { asksUser: question }),
    ...(token !== undefined && { token }),
    requests: takeShown(requests),
  };
  return { text: JSON.stringify(shown), notes: planned.notes };
}

/**
 * Returns the question that the host must ask its user before a write. Whether to create an
 * organization is only asked where it can be; otherwise, a note of the preview names it.
 */
async function findQuestion(
  context: Context,
  operation: Operation,
  { given, input, host }: { given: ToolInput; input: ToolInput; host: WriteHost },
): Promise<string | undefined> {
  if (context.options.yes) return undefined;
  const question = operation.confirm?.(input);
  if (question !== undefined || !host.canAsk) return question;
  return askForNewOrganizations(context, operation, given);
}

function countRecords({ bulk }: Operation, input: ToolInput): { readonly records?: number } {
  const records = bulk?.field === undefined ? undefined : input[bulk.field];
  return Array.isArray(records) ? { records: records.length } : {};
}

/** Adds the IDs that svc would generate, so that the preview shows the request that is sent. */
function withGeneratedIds({ generatedId, bulk }: Operation, input: ToolInput): ToolInput {
  if (generatedId !== undefined && input[generatedId] === undefined)
    return { ...input, [generatedId]: crypto.randomUUID() };
  const records = bulk?.field === undefined ? undefined : input[bulk.field];
  if (!bulk?.generatesIds || bulk.field === undefined || !Array.isArray(records)) return input;
  const completed = records.map((record: unknown) =>
    isObject(record) && record[bulk.id] === undefined
      ? { ...record, [bulk.id]: crypto.randomUUID() }
      : record,
  );
  return { ...input, [bulk.field]: completed };
}

interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}

function parseRequests(text: string): readonly ShownRequest[] {
  const documents = text.match(/^\{$[\s\S]*?^\}$/gm) ?? [];
  return documents.map((document) => {
    const { method, url, body } = JSON.parse(document) as ShownRequest;
    return { method, url, body };
  });
}

/** Leaves out the bodies of requests that exceed the size of a preview. */
function takeShown(requests: readonly ShownRequest[]): readonly object[] {
  let bytes = 0;
  return requests.slice(0, MAX_SHOWN_REQUESTS).map((request) => {
    const size = Buffer.byteLength(JSON.stringify(request));
    bytes += size;
    if (bytes <= MAX_SHOWN_BYTES) return request;
    const { method, url } = request;
    return { method, url, bytes: size, sha256: hashOf(request.body) };
  });
}

const MAX_SHOWN_REQUESTS = 20;

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
