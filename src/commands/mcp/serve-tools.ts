import { Readable, type Writable } from 'node:stream';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import type { Sink } from '../../kernel/io.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { version } from '../../kernel/version.ts';
import { serviceLabel } from '../call/protected-profile.ts';
import type { Context } from '../context.ts';
import type { OperationRunner } from '../definition.ts';
import { openContext } from '../run/open-context.ts';
import { loadRunner } from '../run/run-operation.ts';
import { reportError } from '../terminal/report-error.ts';
import {
  cannotAskUserError,
  createTools,
  type OperationTool,
  secretWithheldError,
  toolName,
  toToolError,
} from './tools.ts';

/** Serves tools until the host closes stdin or a signal arrives. Returns normally on SIGTERM. */
export async function serveTools(
  context: Context,
  runners: readonly OperationRunner[],
  allowWrites: boolean,
): Promise<void> {
  const { local, dryRun, envelope, fields, jq } = context.options;
  if (context.io.stdin.isTerminal)
    await context.note(
      'this command is meant to be started by the host of an AI assistant; press Ctrl-C to stop it',
    );
  const hasPlainOutput = !dryRun && !envelope && fields === undefined && jq === undefined;
  const tools = await createTools({ writes: allowWrites, remote: !local, hasPlainOutput, runners });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let failure: Error | undefined;
  const input = context.io.stdin.stream as Readable;
  const transport = new StdioServerTransport(input, context.io.stdout.stream as Writable);
  const close = transport.close.bind(transport);
  transport.close = () => close().then(resolve);
  const handle = serveStdio(() => createToolServer(context, tools, allowWrites), {
    transport,
    onerror: (error) => {
      failure = error;
      if (context.options.debug) void context.warn(`mcp: ${error.message}`);
    },
  });
  const stop = () => resolve();
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  await closed;
  context.signal.removeEventListener('abort', stop);
  await handle.close();
  const { aborted, reason } = context.signal;
  if (aborted && !(reason instanceof SvcError && reason.failure === 'terminated')) throw reason;
  if (!aborted && failure && !input.readableEnded) throw transportError(failure);
}

function transportError(cause: Error): SvcError {
  if (systemErrorCode(cause) === 'EPIPE')
    return new SvcError('stdout_closed', 'the host disconnected', { cause });
  return new SvcError('invalid_input', `the host sent an invalid message: ${cause.message}`, {
    cause,
  });
}

function createToolServer(
  context: Context,
  tools: ReadonlyMap<string, OperationTool>,
  allowWrites: boolean,
): Server {
  const server = new Server(
    { name: 'svc', version },
    { capabilities: { tools: {} }, instructions: instructions(context, allowWrites) },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].map(({ tool }) => tool),
  }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        await describeMissingTool(params.name, allowWrites),
      );
    const canAsk = context.options.input && canAskUser(mcpReq, server.getClientCapabilities());
    const ask = (question: string) => {
      if (!canAsk) throw cannotAskUserError(question);
      const answer = readConfirmation(question, mcpReq);
      if (answer === undefined) throw new ConfirmationRequired(question);
      return answer;
    };
    const host = { signal: mcpReq.signal, onMessage: createProgress(mcpReq), ask };
    return callTool(context, tool, params.arguments ?? {}, host).catch((error: unknown) => {
      if (error instanceof ConfirmationRequired) return confirmationRequest(error.message);
      throw error;
    });
  });
  return server;
}

/**
 * Sends messages as progress notifications if the host requests them. Many hosts then extend the
 * timeout.
 */
function createProgress({ _meta, notify }: ServerContext['mcpReq']): (text: string) => void {
  const { progressToken } = _meta ?? {};
  let progress = 0;
  return (text) => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: redactRemembered(text).trimEnd() };
    void notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function instructions({ options }: Context, allowWrites: boolean): string {
  const parts = [
    'Tools for a collaboration backend: organizations, folders, documents, users and their access.',
    options.local && 'The tools use the embedded service on this machine.',
    !allowWrites && 'All tools are read-only.',
    options.dryRun && 'No request is sent: each tool returns the request that it would send.',
    'If an error says that a write may have been applied, check the current state before repeating the write.',
  ];
  return parts.filter(Boolean).join(' ');
}

async function describeMissingTool(name: string, allowWrites: boolean): Promise<string> {
  const { manifest } = await import('../../catalog/manifest.ts');
  const isWrite = !allowWrites && manifest.some((entry) => toolName(entry.name) === name);
  return isWrite
    ? `${name} writes data: start this server with --allow-writes`
    : `unknown tool ${name}`;
}

type Data = Readonly<Record<string, unknown>>;
const MAX_RESULT_LENGTH = 1_000_000;

interface ToolHost {
  readonly signal: AbortSignal;
  readonly onMessage: (text: string) => void;
  /**
   * Asks the user a question.
   * @throws ConfirmationRequired, or an SvcError if the host cannot ask the user
   */
  readonly ask: (question: string) => boolean;
}

/**
 * Runs an operation like its command with `--data`, and returns the command's result as JSON and
 * its messages.
 * @throws ConfirmationRequired before the first request, unless `--yes` is set
 */
async function callTool(
  context: Context,
  tool: OperationTool,
  data: Data,
  host: ToolHost,
): Promise<CallToolResult> {
  const result = createMemorySink();
  const messages = createMemorySink(host.onMessage);
  const io = {
    stdin: { isTerminal: false, stream: Readable.from([]) },
    stdout: result,
    stderr: messages,
  };
  const options = { ...context.options, output: 'json', input: false, quiet: false } as const;
  const signal = AbortSignal.any([context.signal, host.signal]);
  const opened = openContext({ ...context, io, signal }, options, context.activity, {
    inputNaming: 'fields',
  });
  // Reuses the settings, so that the keychain is read once per session.
  const { settings, openSettings } = context;
  const confirm: Context['confirm'] = async (question) => {
    if (options.yes || host.ask(`${question} (${await serviceLabel(context)})`)) return;
    throw new SvcError('usage', 'not confirmed; nothing was changed');
  };
  const toolContext: Context = { ...opened.context, settings, openSettings, confirm };
  const isTooLong = () => tool.entry.effect === 'read' && result.text().length > MAX_RESULT_LENGTH;
  let failed = false;
  try {
    await runTool(toolContext, tool, data);
    if (isTooLong()) {
      const problem = `the result has ${result.text().length} characters, more than the limit of ${MAX_RESULT_LENGTH}`;
      throw new SvcError('usage', problem, {
        hint: 'request smaller pages, or single records by their IDs',
      });
    }
  } catch (error) {
    if (error instanceof ConfirmationRequired) throw error;
    failed = true;
    const toolError = error instanceof SvcError ? toToolError(error, options) : error;
    await reportError(io, ['-o', 'json'], context.environment, toolError);
  } finally {
    await opened.close();
  }
  const resultText = isTooLong() ? '' : result.text().trimEnd();
  const notes = redactRemembered(messages.text()).trimEnd();
  return {
    content: [resultText, notes]
      .filter((text) => text !== '')
      .map((text) => ({ type: 'text', text })),
    ...(failed
      ? { isError: true }
      : tool.tool.outputSchema && { structuredContent: structuredContentOf(resultText, notes) }),
  };
}

async function runTool(
  context: Context,
  { entry, operation, runner }: OperationTool,
  data: Data,
): Promise<void> {
  const { showSecrets, dryRun } = context.options;
  if (operation.revealsSecrets && !showSecrets && !dryRun) throw secretWithheldError(entry.command);
  const list = operation.bulk?.field;
  if (list !== undefined && data[list] === undefined)
    throw new SvcError('invalid_input', `${list} is required`, {
      hint: "see the tool's input schema",
    });
  const run = await loadRunner(runner);
  if (isDeeperThan(MAX_DATA_DEPTH, data))
    throw new SvcError(
      'invalid_input',
      `the data is nested more than ${MAX_DATA_DEPTH} levels deep`,
    );
  await run(context, [entry], {
    arguments: [],
    options: { data: JSON.stringify(data), allowUnknownEvent: true },
  });
}

const MAX_DATA_DEPTH = 100;

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}

function structuredContentOf(resultText: string, notes: string): Record<string, unknown> {
  return {
    ...(resultText !== '' && { result: JSON.parse(resultText) }),
    ...(notes !== '' && { notes: notes.split('\n') }),
  };
}

/** Creates a sink in memory, because stdout and stderr belong to the MCP transport. */
function createMemorySink(
  onWrite: (text: string) => void = () => undefined,
): Sink & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    isTerminal: false,
    columns: undefined,
    get stream(): never {
      throw new TypeError('a tool result has no stream');
    },
    write: async (text) => {
      chunks.push(Buffer.from(text));
      onWrite(String(text));
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

type CallRequest = ServerContext['mcpReq'];

/**
 * The message is a question that the host must ask its user. The host repeats the call with the
 * answer.
 */
class ConfirmationRequired extends Error {}

function canAskUser({ envelope }: CallRequest, known: ClientCapabilities | undefined): boolean {
  // In later revisions of the protocol, each request contains the capabilities. The library's types
  // omit them.
  const declared: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = envelope ?? {};
  const { elicitation } = declared[CLIENT_CAPABILITIES_META_KEY] ?? known ?? {};
  // A host without a mode supports forms, the original mode.
  return (
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
  );
}

function readConfirmation(question: string, { inputResponses }: CallRequest): boolean | undefined {
  const answer = inputResponse(inputResponses, question);
  return answer.kind === 'elicit' ? answer.action === 'accept' : undefined;
}

function confirmationRequest(question: string): InputRequiredResult {
  const message = `svc asks: ${question}`;
  const requestedSchema = { type: 'object', properties: {} } as const;
  return inputRequired({
    inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema }) },
  });
}
