import type { Readable, Writable } from 'node:stream';
import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { SvcError } from '../../kernel/errors.ts';
import { version } from '../../kernel/version.ts';
import type { Context } from '../context.ts';
import type { OperationRunner } from '../definition.ts';
import { callTool } from './call.ts';
import { type OperationTool, operationTools, toolName } from './tools.ts';

interface ServingOptions {
  readonly allowWrites: boolean;
  readonly runners: readonly OperationRunner[];
}

/** Serves tools until the host closes its end or a signal comes: SIGTERM is an ordinary end. */
export async function serveTools(context: Context, { allowWrites, runners }: ServingOptions): Promise<void> {
  const tools = await operationTools({ writes: allowWrites, remote: !context.options.local, runners });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const transport = new EndingTransport(context, resolve);
  const handle = serveStdio(() => serverOf(context, tools, allowWrites), {
    transport,
    onerror: (error) => void (context.options.debug && context.warn(`mcp: ${error.message}`)),
  });
  const stop = () => resolve();
  context.signal.addEventListener('abort', stop, { once: true });
  if (context.signal.aborted) stop();
  await closed;
  context.signal.removeEventListener('abort', stop);
  await handle.close();
  const { aborted, reason } = context.signal;
  if (aborted && !(reason instanceof SvcError && reason.failure === 'terminated')) throw reason;
}

/** Over this process's streams, and tells when it is closed, be it by the other side. */
class EndingTransport extends StdioServerTransport {
  readonly #ended: () => void;

  constructor({ io }: Context, ended: () => void) {
    super(io.stdin.stream as Readable, io.stdout.stream as Writable);
    this.#ended = ended;
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
    return callTool(context, tool, params.arguments ?? {}, mcpReq.signal);
  });
  return server;
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
  return isWrite ? `${name} changes something: svc mcp needs --allow-writes for it` : `there is no tool ${name}`;
}
