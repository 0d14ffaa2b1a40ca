import type { Readable, Writable } from 'node:stream';
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { redactMet } from '../../kernel/redact.ts';
import { version } from '../../kernel/version.ts';
import type { Context } from '../context.ts';
import type { OperationRunner } from '../definition.ts';
import { callTool } from './call.ts';
import { answerTo, asking, canAskUser, Unanswered } from './host-questions.ts';
import { toolName, unasked } from './tool-terms.ts';
import { type OperationTool, operationTools } from './tools.ts';

interface ServingOptions {
  readonly allowWrites: boolean;
  readonly runners: readonly OperationRunner[];
}

/** Serves tools until the host closes its end or a signal comes: SIGTERM is an ordinary end. */
export async function serveTools(context: Context, { allowWrites, runners }: ServingOptions): Promise<void> {
  const { local, dryRun, envelope, fields, jq } = context.options;
  if (context.io.stdin.isTerminal) {
    await context.note(
      'this speaks to the host of an assistant, which starts it; at a terminal only Ctrl-C is understood',
    );
  }
  const asDescribed = !dryRun && !envelope && fields === undefined && jq === undefined;
  const tools = await operationTools({ writes: allowWrites, remote: !local, asDescribed, runners });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let failure: Error | undefined;
  const transport = new EndingTransport(context, resolve);
  const handle = serveStdio(() => serverOf(context, tools, allowWrites), {
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
  if (!aborted && failure && !transport.hasEnded) throw brokenOff(failure);
}

/** Neither the host nor a signal ended it: the host reads no more, or has sent what is too long to be a message. */
function brokenOff(cause: Error): SvcError {
  if (systemErrorCode(cause) === 'EPIPE') return new SvcError('reader_gone', 'the host left', { cause });
  return new SvcError('bad_data', `what the host sends is no message: ${cause.message}`, { cause });
}

/** Over this process's streams, and tells when it is closed, be it by the other side. */
class EndingTransport extends StdioServerTransport {
  readonly #input: Readable;
  readonly #ended: () => void;

  constructor({ io }: Context, ended: () => void) {
    super(io.stdin.stream as Readable, io.stdout.stream as Writable);
    this.#input = io.stdin.stream as Readable;
    this.#ended = ended;
  }

  /** Whether the host has closed its end. */
  get hasEnded(): boolean {
    return this.#input.readableEnded;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#ended();
  }
}

function serverOf(context: Context, tools: ReadonlyMap<string, OperationTool>, allowWrites: boolean): Server {
  const server = new Server(
    { name: 'svc', version },
    { capabilities: { tools: {} }, instructions: instructions(context, allowWrites) },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ tool }) => tool) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, await absence(params.name, allowWrites));
    const canAsk = context.options.input && canAskUser(mcpReq, server.getClientCapabilities());
    const ask = (question: string) => {
      if (!canAsk) throw unasked(question);
      const answer = answerTo(question, mcpReq);
      if (answer === undefined) throw new Unanswered(question);
      return answer;
    };
    const calling = { signal: mcpReq.signal, hear: progressOf(mcpReq), ask };
    return callTool(context, tool, params.arguments ?? {}, calling).catch((error: unknown) => {
      if (error instanceof Unanswered) return asking(error);
      throw error;
    });
  });
  return server;
}

/** Passes on what is said while a call is at work, to a host that wants to know: many wait longer for a call that lives. */
function progressOf({ _meta, notify }: ServerContext['mcpReq']): (text: string) => void {
  const { progressToken } = _meta ?? {};
  let progress = 0;
  return (text) => {
    if (progressToken === undefined) return;
    progress += 1;
    const params = { progressToken, progress, message: redactMet(text).trimEnd() };
    void notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function instructions({ options }: Context, allowWrites: boolean): string {
  const parts = [
    'Tools for a collaboration backend: organizations, folders, documents, users and their access.',
    ...(options.local ? ['They work on an embedded service on this machine.'] : []),
    ...(allowWrites ? [] : ['None of them changes anything.']),
    ...(options.dryRun ? ['No request is sent: each tool answers with the request that it would send.'] : []),
    'Where an error says that a write may have been applied, look before you repeat it.',
  ];
  return parts.join(' ');
}

async function absence(name: string, allowWrites: boolean): Promise<string> {
  const { manifest } = await import('../../catalog/manifest.ts');
  const isWrite = !allowWrites && manifest.some((entry) => toolName(entry.name) === name);
  return isWrite ? `${name} changes something: this server needs --allow-writes for it` : `there is no tool ${name}`;
}
