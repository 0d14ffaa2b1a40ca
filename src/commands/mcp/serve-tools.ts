import { PassThrough, type Readable, type Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { manifest } from '../../catalog/manifest.ts';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { version } from '../../kernel/version.ts';
import { withoutForbiddenHint } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import { reportError } from '../terminal/report-error.ts';
import { describeAll, describeOperation } from './describe.ts';
import { createPreviews, type Previews } from './previews.ts';
import {
  boundResult,
  createMemorySink,
  createQueue,
  loadChecked,
  type Queue,
  runInMemory,
  type ToolRun,
} from './run-tool.ts';
import {
  createTools,
  findOperation,
  MAX_RESULT_BYTES,
  parseArguments,
  type ToolArguments,
  type ToolInput,
  type ToolName,
  toFieldNames,
  toToolError,
} from './tools.ts';
import {
  ConfirmationRequired,
  callWrite,
  canAskUser,
  confirmationRequest,
  createCannotAskError,
  readConfirmation,
  type WriteHost,
} from './write.ts';

/** Calls that run at a time. */
const MAX_CALLS = 8;

interface Session {
  readonly context: Context;
  readonly tools: readonly Tool[];
  readonly allowWrites: boolean;
  readonly demandsApprovals: boolean;
  readonly previews: Previews;
  readonly queue: Queue;
}

/**
 * Serves tools until the host closes stdin or a signal arrives. Finishes the calls in flight when
 * stdin ends. Returns normally on SIGTERM.
 */
export async function serveTools(context: Context, writes: boolean): Promise<void> {
  if (context.io.stdin.isTerminal)
    await context.note(
      'this command is meant to be started by the host of an AI assistant; press Ctrl-C to stop it',
    );
  // A session without a clear target would fail in every call.
  await context.target();
  const allowWrites = writes && (await context.readOnly()) === undefined;
  const demandsApprovals = (await context.approvals()) !== undefined;
  const queue = createQueue(MAX_CALLS);
  const session: Session = {
    context,
    tools: createTools({ writes: allowWrites, remote: !context.options.local }),
    allowWrites,
    demandsApprovals,
    previews: createPreviews(context.clock),
    queue,
  };
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let failure: Error | undefined;
  const stdin = context.io.stdin.stream as Readable;
  const input = endWhenIdle(stdin, queue);
  const transport = new StdioServerTransport(input, context.io.stdout.stream as Writable);
  const close = transport.close.bind(transport);
  transport.close = () => close().then(resolve);
  const handle = serveStdio(() => createToolServer(session), {
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
  stdin.destroy();
  const { aborted, reason } = context.signal;
  if (aborted && !(reason instanceof SvcError && reason.failure === 'terminated')) throw reason;
  if (!aborted && failure && !input.readableEnded) throw createTransportError(failure);
}

/** Copies stdin. The copy ends when stdin has ended and the calls in flight are finished. */
function endWhenIdle(stdin: Readable, queue: Queue): Readable {
  const copy = new PassThrough();
  const end = async () => {
    while (copy.readableLength > 0) await setImmediate();
    // The transport hands the last messages over in later turns.
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
      await queue.whenIdle();
    }
    copy.end();
  };
  stdin.pipe(copy, { end: false });
  stdin.once('end', () => void end());
  stdin.once('error', (error) => copy.destroy(error));
  return copy;
}

function createTransportError(cause: Error): SvcError {
  if (systemErrorCode(cause) === 'EPIPE')
    return new SvcError('stdout_closed', 'the host disconnected', { cause });
  return new SvcError('invalid_input', `the host sent an invalid message: ${cause.message}`, {
    cause,
  });
}

function createToolServer(session: Session): Server {
  const { context, tools, queue } = session;
  const server = new Server(
    { name: 'svc', version },
    { capabilities: { tools: {} }, instructions: instructions(session) },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, describeMissingTool(params.name));
    const canAsk = context.options.input && canAskUser(mcpReq, server.getClientCapabilities());
    const ask = (question: string) => {
      if (!canAsk) throw createCannotAskError(question);
      return readConfirmation(question, mcpReq);
    };
    const host = { signal: mcpReq.signal, onMessage: createProgress(mcpReq), ask, canAsk };
    return queue
      .run(() => callTool(session, tool, params.arguments ?? {}, host))
      .catch((error: unknown) => {
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

function instructions({ context: { options }, allowWrites, demandsApprovals }: Session): string {
  const parts = [
    'Tools for a collaboration backend: organizations, folders, documents, users and their access. Start with describe.',
    options.local && 'The tools use the embedded service on this machine.',
    !allowWrites && 'All tools are read-only.',
    allowWrites &&
      demandsApprovals &&
      'A person must approve each write: save its plan with saveAs, and show the user the commands in the result.',
    options.dryRun && 'No request is sent: each tool returns the request that it would send.',
    'If an error says that a write may have been applied, check the current state before repeating the write.',
  ];
  return parts.filter(Boolean).join(' ');
}

function describeMissingTool(name: string): string {
  return name === 'write' ? 'this server only reads' : `unknown tool ${name}`;
}

async function callTool(
  session: Session,
  tool: Tool,
  given: ToolInput,
  host: WriteHost,
): Promise<CallToolResult> {
  try {
    host.signal.throwIfAborted();
    const values = parseArguments(tool, given);
    const run = await runTool(session, tool.name as ToolName, values, host);
    return await toResult(session, run, values.operation);
  } catch (error) {
    if (error instanceof ConfirmationRequired) throw error;
    return toResult(session, { text: '', notes: [], error }, undefined);
  }
}

async function runTool(
  session: Session,
  tool: ToolName,
  values: ToolArguments,
  host: WriteHost,
): Promise<ToolRun> {
  const { context, allowWrites, previews } = session;
  const { operation: name = '', input, fields, offset } = values;
  if (tool === 'describe') {
    const text = values.operation
      ? JSON.stringify(await describeOperation(values.operation, allowWrites))
      : describeAll(allowWrites);
    return { text, notes: [] };
  }
  const entry = findOperation(name, tool, allowWrites);
  if (tool === 'write') return callWrite(context, entry, values, { previews, host });
  await loadChecked(entry, input);
  const run = await runInMemory(context, entry, input, {
    ...host,
    fields,
    confirm: async () => undefined,
  });
  if (run.error !== undefined) return run;
  const { text, note } = boundResult(run.text, offset);
  return { text, notes: note === undefined ? run.notes : [note, ...run.notes] };
}

/** Converts a run to a result: the JSON, the error if there is one, and the notes. */
async function toResult(
  { context, allowWrites }: Session,
  { text, notes, error }: ToolRun,
  operation: string | undefined,
): Promise<CallToolResult> {
  const entry = manifest.find(({ name }) => name === operation);
  const failed = error !== undefined;
  const problem = createMemorySink();
  if (failed) {
    const toolError =
      error instanceof SvcError
        ? toToolError(
            await withoutForbiddenHint(error, context, allowWrites),
            context.options,
            entry,
          )
        : error;
    const io = { stdin: { isTerminal: false }, stdout: problem, stderr: problem };
    await reportError(io as never, ['-o', 'json'], context.environment, toolError);
  }
  const parts = [text, problem.text().trimEnd(), toFieldNames(notes.join('\n'), entry)].filter(
    (part) => part !== '',
  );
  return {
    content: parts.map((part) => ({ type: 'text', text: cut(part) })),
    ...(failed && { isError: true }),
  };
}

function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_RESULT_BYTES) return text;
  return `${bytes.subarray(0, MAX_RESULT_BYTES - 100).toString()}… (${bytes.length} bytes in all)`;
}
