import type { Readable, Writable } from 'node:stream';
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { redactRemembered } from '../../kernel/redact.ts';
import { version } from '../../kernel/version.ts';
import type { Context } from '../context.ts';
import type { OperationRunner } from '../definition.ts';
import { callTool } from './call.ts';
import { ConfirmationRequired, canAskUser, confirmationRequest, readConfirmation } from './confirmation.ts';
import { cannotAskUserError, toolName } from './tool-terms.ts';
import { createTools, type OperationTool } from './tools.ts';

interface ServeToolsOptions {
  readonly allowWrites: boolean;
  readonly runners: readonly OperationRunner[];
}

/** Serves tools until the host closes stdin or a signal arrives. Returns normally on SIGTERM. */
export async function serveTools(context: Context, { allowWrites, runners }: ServeToolsOptions): Promise<void> {
  const { local, dryRun, envelope, fields, jq } = context.options;
  if (context.io.stdin.isTerminal) {
    await context.note('this command is meant to be started by the host of an AI assistant; press Ctrl-C to stop it');
  }
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
  if (systemErrorCode(cause) === 'EPIPE') return new SvcError('reader_gone', 'the host disconnected', { cause });
  return new SvcError('bad_data', `the host sent an invalid message: ${cause.message}`, { cause });
}

function createToolServer(context: Context, tools: ReadonlyMap<string, OperationTool>, allowWrites: boolean): Server {
  const server = new Server(
    { name: 'svc', version },
    { capabilities: { tools: {} }, instructions: instructions(context, allowWrites) },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ tool }) => tool) }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, await describeMissingTool(params.name, allowWrites));
    const canAsk = context.options.input && canAskUser(mcpReq, server.getClientCapabilities());
    const ask = (question: string) => {
      if (!canAsk) throw cannotAskUserError(question);
      const answer = readConfirmation(question, mcpReq);
      if (answer === undefined) throw new ConfirmationRequired(question);
      return answer;
    };
    const host = { signal: mcpReq.signal, onMessage: createProgress(mcpReq), ask };
    return callTool(context, tool, params.arguments ?? {}, host).catch((error: unknown) => {
      if (error instanceof ConfirmationRequired) return confirmationRequest(error);
      throw error;
    });
  });
  return server;
}

/** Sends messages as progress notifications if the host requests them. Many hosts then extend the timeout. */
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
    ...(options.local ? ['The tools use the embedded service on this machine.'] : []),
    ...(allowWrites ? [] : ['All tools are read-only.']),
    ...(options.dryRun ? ['No request is sent: each tool returns the request that it would send.'] : []),
    'If an error says that a write may have been applied, check the current state before repeating the write.',
  ];
  return parts.join(' ');
}

async function describeMissingTool(name: string, allowWrites: boolean): Promise<string> {
  const { manifest } = await import('../../catalog/manifest.ts');
  const isWrite = !allowWrites && manifest.some((entry) => toolName(entry.name) === name);
  return isWrite ? `${name} writes data: start this server with --allow-writes` : `unknown tool ${name}`;
}
