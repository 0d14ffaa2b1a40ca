import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { resolveUserFolders } from '../../src/kernel/folders.ts';
import { fakeContext } from '../commands/fake-context.ts';
import { startTestService } from '../service/test-service.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { BIN, newUser } from './svc.ts';

interface Host {
  readonly client: Client;
  /** Calls a tool and returns its JSON result, its other messages, and whether it failed. */
  call(
    name: string,
    data?: Record<string, unknown>,
  ): Promise<{ result: unknown; notes: string[]; failed: boolean }>;
}

type Answer = (message: string) => 'accept' | 'decline' | 'cancel';

type Environment = Readonly<Record<string, string>>;

/** An MCP client from the protocol's SDK, connected to `svc mcp` in this process. */
function startHost(
  words: readonly string[],
  env: Environment,
  ask?: Answer,
  options?: ClientOptions,
): Promise<Host> {
  return connectHost(serveHere(words, env), ask, options);
}

/** Starts an MCP client from the protocol's SDK, which starts the built tool. */
function startHostOfTool(words: readonly string[], env: Environment): Promise<Host> {
  const args = [BIN, 'mcp', ...words];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: { ...env },
    stderr: 'ignore',
  });
  return connectHost(transport);
}

/** Runs `svc mcp` in this process until the test ends. @returns the other end of its streams */
function serveHere(words: readonly string[], env: Environment): StdioServerTransport {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const ended = fakeContext({ environment: env, folders: resolveUserFolders(env) }).then(
    (context) => {
      const io = { ...context.io, stdin: { isTerminal: false, stream: stdin } };
      return runCommandLine(['mcp', ...words], {
        ...context,
        io: { ...io, stdout: { ...io.stdout, stream: stdout } },
      });
    },
  );
  onTestFinished(async () => {
    stdin.end();
    await ended;
  });
  return new StdioServerTransport(stdout, stdin);
}

async function connectHost(
  transport: Transport,
  ask?: Answer,
  options: ClientOptions = {},
): Promise<Host> {
  const capabilities = ask ? { elicitation: {} } : {};
  const client = new Client({ name: 'test', version: '1' }, { capabilities, ...options });
  if (ask)
    client.setRequestHandler('elicitation/create', ({ params }) => ({
      action: ask(params.message),
    }));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    call: async (name, data = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: data });
      const [first = '', ...notes] = content.map((part) =>
        part.type === 'text' ? part.text : part.type,
      );
      return { result: JSON.parse(first), notes, failed: isError === true };
    },
  };
}

const toolsByEffect = (isMeant: (effect: string) => boolean) =>
  manifest.filter(({ effect }) => isMeant(effect)).map(({ name }) => name.replaceAll(/[.-]/g, '_'));

describe('svc mcp', () => {
  it('continues after a response that is too large', async () => {
    const user = await newUser();
    const text = `{"result":{"status":"success","data":[${'{},'.repeat(4_000_000)}{}]}}`;
    const { env } = await startMockService((_, response) => void response.end(text));
    const { call } = await startHostOfTool([], {
      ...user.env,
      ...env,
      NODE_OPTIONS: '--max-old-space-size=150',
    });
    for (let calls = 0; calls < 2; calls += 1) {
      const { failed, result } = await call('documents_list', { organizationId: 'acme' });
      expect([failed, result]).toEqual([
        true,
        { error: expect.objectContaining({ code: 'invalid_response' }) },
      ]);
    }
  });

  it('offers a tool for each read operation, and for every operation with --allow-writes', async () => {
    const { env } = await newUser();
    const named = async (...words: string[]) =>
      (await (await startHost(['--local', ...words], env)).client.listTools()).tools.map(
        ({ name }) => name,
      );
    expect((await named()).sort()).toEqual(toolsByEffect((effect) => effect === 'read').sort());
    const all = await named('--allow-writes');
    expect([...all].sort()).toEqual(toolsByEffect(() => true).sort());
    expect(new Set(all).size).toBe(manifest.length);
    expect(all.filter((name) => !/^[a-z0-9_]{1,64}$/.test(name))).toEqual([]);
  });

  it('describes the input and the effects of each tool', async () => {
    const { env } = await newUser();
    const { client } = await startHost(['--local', '--allow-writes'], env);
    const tools = new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));
    expect(tools.get('users_add')).toMatchObject({
      title: 'Add users to an organization, folder, or document',
      inputSchema: { type: 'object', required: ['organizationId', 'users'] },
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    });
    const hints = (name: string) => tools.get(name)?.annotations;
    expect(hints('documents_list')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints('presence_delete')).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect(hints('auth_tokens_reset')).toMatchObject({
      destructiveHint: true,
      idempotentHint: false,
    });
    expect(hints('email_update')).toMatchObject({ destructiveHint: true });
  });

  it('works with the embedded service, and hides tools that write by default', async () => {
    const { env, svc } = await newUserInProcess();
    const users = { organizationId: 'acme', users: [{ userId: 'u1' }] };
    const reader = await startHostOfTool(['--local'], env);
    await expect(reader.call('users_add', users)).rejects.toThrow('--allow-writes');
    await expect(reader.call('users_ad', users)).rejects.toThrow('unknown tool users_ad');
    const writer = await startHostOfTool(['--local', '--allow-writes'], env);
    expect(await writer.call('users_add', users)).toMatchObject({
      failed: false,
      result: { succeeded: 1 },
    });
    const documents = {
      organizationId: 'acme',
      documents: [{ documentId: 'd1' }, { documentId: 'd2' }],
    };
    expect(await writer.call('documents_add', documents)).toMatchObject({ failed: false });
    const page = await reader.call('documents_list', { organizationId: 'acme', pageSize: 1 });
    expect(page).toMatchObject({
      result: [{ id: 'd1' }],
      notes: [expect.stringMatching(/^more results: 1 shown; continue with pageToken \S+$/)],
    });
    await writer.client.close();
    expect((await svc(['history', '-o', 'json'])).stdout).toContain('svc mcp --allow-writes');
  });

  it('returns results that match the output schemas of all operations', async () => {
    const { env } = await newUser();
    const world = await startTestService();
    const calls = Object.entries(await createValidCalls(world));
    const words = ['--local', '--store', world.path, '--allow-writes', '--yes', '--show-secrets'];
    const { client } = await startHost(words, env);
    // The client knows the schemas and rejects results that do not match.
    const { tools } = await client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema?.type !== 'object')).toEqual([]);
    const isLast = (name: string) => name === 'auth-tokens.reset' || name.endsWith('.delete');
    for (const [name, data] of calls.sort(([a], [b]) => Number(isLast(a)) - Number(isLast(b)))) {
      const tool = name.replaceAll(/[.-]/g, '_');
      const { content, isError, structuredContent } = await client.callTool({
        name: tool,
        arguments: { ...data },
      });
      expect(isError, `${name}: ${JSON.stringify(content)}`).toBeUndefined();
      const [first] = content;
      const { result } = structuredContent as { result?: unknown };
      if (result !== undefined)
        expect(result).toEqual(first?.type === 'text' && JSON.parse(first.text));
    }
  });

  it('accepts a response with missing or additional fields', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success([{ id: 'd1', more: [1] }, { id: 'd2' }]));
    const { client } = await startHost([], { ...env, ...service.env });
    await client.listTools();
    const { structuredContent } = await client.callTool({
      name: 'documents_list',
      arguments: { organizationId: 'acme' },
    });
    expect(structuredContent).toMatchObject({ result: [{ id: 'd1', more: [1] }, { id: 'd2' }] });
  });

  it('rejects a result that is too large and suggests a smaller request', async () => {
    const { env } = await newUser();
    const documentName = 'x'.repeat(100_000);
    const many = Array.from({ length: 20 }, (_, at) => ({ id: `d${at}`, documentName }));
    const service = await startMockService(() => success(many));
    const { call } = await startHost([], { ...env, ...service.env });
    const { failed, result, notes } = await call('documents_list', { organizationId: 'acme' });
    expect({ failed, result, notes }).toMatchObject({
      failed: true,
      result: { error: { hint: expect.stringContaining('request smaller pages') } },
      notes: [],
    });
  });

  it('reports an invalid call in the terms of the tool and continues', async () => {
    const { env } = await newUser();
    const { call } = await startHost(['--local', '--allow-writes'], env);
    const wrong = await call('documents_list', {});
    expect(wrong).toMatchObject({
      failed: true,
      result: { error: { code: 'invalid_input', exitCode: 3 } },
    });
    expect(wrong.result).toMatchObject({
      error: { message: 'organizationId is required', hint: "see the tool's input schema" },
    });
    const messageOf = async (name: string, data: Record<string, unknown>) =>
      ((await call(name, data)).result as { error: { message: string } }).error.message;
    expect(await messageOf('users_add', { organizationId: 'acme' })).toBe('users is required');
    expect(await messageOf('users_add', { organizationId: 'acme', users: [{}] })).toBe(
      'users:1: userId: is missing',
    );
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 200; level += 1) deep = { deep };
    expect(await messageOf('folders_list', deep)).toContain('levels deep');
    expect(await call('folders_list', { organizationId: 'acme' })).toMatchObject({
      failed: false,
      result: [],
    });
  });

  it('masks secrets, and returns results that are only a secret with --show-secrets', async () => {
    const { env, svc } = await newUserInProcess();
    const clear = JSON.parse(
      (await svc(['workspace', 'get', '--local', '--show-secrets', '-o', 'json'])).stdout,
    );
    const careful = await startHost(['--local'], env);
    const { result } = await careful.call('workspace_get');
    expect(JSON.stringify(result)).not.toContain(clear.authToken);
    const token = {
      userId: 'u1',
      userProperties: { name: 'Ada', email: 'ada@example.com' },
      permissions: { resources: [] },
    };
    expect(await careful.call('access_tokens_generate', token)).toMatchObject({
      failed: true,
      result: { error: { code: 'usage' } },
    });
    const open = await startHost(['--local', '--show-secrets'], env);
    expect((await open.call('workspace_get')).result).toMatchObject({ authToken: clear.authToken });
    expect(await open.call('access_tokens_generate', token)).toMatchObject({ failed: false });
  });

  it('sends nothing with --dry-run and returns the request', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success([]));
    const { call } = await startHost(['--allow-writes', '--dry-run'], { ...env, ...service.env });
    const deleted = await call('presence_delete', {
      organizationId: 'acme',
      documentId: 'd1',
      userIds: ['u1'],
    });
    expect(deleted.result).toMatchObject({ method: 'POST', body: { data: { userIds: ['u1'] } } });
    expect(await call('documents_list', { organizationId: 'acme' })).toMatchObject({
      result: { method: 'POST' },
    });
    // A host cannot add a flag that allows an unknown event type, so a note replaces the error.
    const created = await call('webhooks_endpoints_create', {
      url: 'https://a.example',
      filterTypes: ['coment.add'],
    });
    expect(created).toMatchObject({
      failed: false,
      result: { body: { data: { filterTypes: ['coment.add'] } } },
    });
    expect(created.notes.join('\n')).toContain("did you mean 'comment.add'?");
    expect(service.received).toEqual([]);
  });

  it('does not prompt: confirmations need --yes, and protected profiles need SVC_ALLOW', async () => {
    const { env, svc } = await newUserInProcess();
    const service = await startMockService(() => success({ u1: { success: true } }));
    const presence = { organizationId: 'acme', documentId: 'd1', userIds: ['u1'] };
    const unasked = await startHost(['--allow-writes'], { ...env, ...service.env });
    expect(await unasked.call('presence_delete', presence)).toMatchObject({
      failed: true,
      result: { error: { hint: expect.stringContaining('--allow-writes --yes') } },
    });
    const { SVC_BASE_URL: url, SVC_AUTH_TOKEN: token } = service.env;
    const words = [
      'profiles',
      'add',
      'prod',
      '--base-url',
      url,
      '--api-key',
      'k1',
      '--protected',
      '--no-verify',
    ];
    const added = await svc([...words, '--auth-token-stdin'], { stdin: token });
    expect(added).toMatchObject({ code: 0 });
    const held = await startHost(['--allow-writes', '--yes', '-p', 'prod'], env);
    const users = { organizationId: 'acme', users: [{ userId: 'u1' }] };
    const refused = await held.call('users_add', users);
    expect(refused).toMatchObject({
      failed: true,
      result: { error: { hint: expect.stringContaining('svc help read-only') } },
    });
    expect(service.received).toEqual([]);
    const allowed = await startHost(['--allow-writes', '--yes', '-p', 'prod'], {
      ...env,
      SVC_ALLOW: 'prod',
    });
    expect(await allowed.call('users_add', users)).toMatchObject({ failed: false });
    expect(service.received).toHaveLength(1);
  });

  it('asks for confirmation through a host that supports it, and follows the reply', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success(null));
    const endpoint = { endpointId: 'ep_1' };
    const asked: string[] = [];
    const answering = (answer: 'accept' | 'decline' | 'cancel') =>
      startHost(['--allow-writes'], { ...env, ...service.env }, (message) => {
        asked.push(message);
        return answer;
      });
    for (const answer of ['decline', 'cancel'] as const) {
      const { call } = await answering(answer);
      expect(await call('webhooks_endpoints_delete', endpoint)).toMatchObject({
        failed: true,
        result: { error: { message: 'not confirmed; nothing was changed' } },
      });
    }
    expect(service.received).toEqual([]);
    const { call } = await answering('accept');
    expect(await call('webhooks_endpoints_delete', endpoint)).toMatchObject({ failed: false });
    expect(service.received.map(({ path }) => path.split('/').at(-1))).toEqual(['get', 'delete']);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toMatch(/^svc asks: Delete endpoint ep_1\?.* \(127\.0\.0\.1:\d+\)$/);
    const unasking = await startHost(
      ['--allow-writes', '--no-input'],
      { ...env, ...service.env },
      () => 'accept',
    );
    expect(await unasking.call('webhooks_endpoints_delete', endpoint)).toMatchObject({
      failed: true,
    });
  });

  it.each([
    ['2024-11-05', {}],
    ['2025-03-26', {}],
    ['2025-06-18', {}],
    ['2025-11-25', {}],
    ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const)(
    'supports a host of revision %s: lists, responses, and questions',
    async (revision, options) => {
      const { env } = await newUser();
      const service = await startMockService(({ path }) =>
        success(path.includes('documents') ? [{ id: 'd1' }] : null),
      );
      const asked: string[] = [];
      const accept = (message: string) => {
        asked.push(message);
        return 'accept' as const;
      };
      const only =
        'versionNegotiation' in options ? options : { supportedProtocolVersions: [revision] };
      const { client, call } = await startHost(
        ['--allow-writes'],
        { ...env, ...service.env },
        accept,
        only,
      );
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect((await client.listTools()).tools).toHaveLength(manifest.length);
      expect(await call('documents_list', { organizationId: 'acme' })).toMatchObject({
        result: [{ id: 'd1' }],
      });
      expect(await call('webhooks_endpoints_delete', { endpointId: 'ep_1' })).toMatchObject({
        failed: false,
      });
      expect(asked).toEqual([expect.stringMatching(/^svc asks: Delete endpoint ep_1\?/)]);
    },
  );

  it('does not let a host confirm for a protected profile', async () => {
    const { env, svc } = await newUserInProcess();
    const service = await startMockService(() => success({ u1: { success: true } }));
    const { SVC_BASE_URL: url, SVC_AUTH_TOKEN: token } = service.env;
    const words = [
      'profiles',
      'add',
      'prod',
      '--base-url',
      url,
      '--api-key',
      'k1',
      '--protected',
      '--no-verify',
    ];
    await svc([...words, '--auth-token-stdin'], { stdin: token });
    const { call } = await startHost(['--allow-writes', '-p', 'prod'], env, () => 'accept');
    const presence = { organizationId: 'acme', documentId: 'd1', userIds: ['u1'] };
    expect(await call('presence_delete', presence)).toMatchObject({
      failed: true,
      result: { error: { hint: expect.stringContaining('svc help read-only') } },
    });
    expect(service.received).toEqual([]);
  });

  it('stops a call that the host cancels, and handles the next one', async () => {
    const { env } = await newUser();
    const service = await startMockService(({ path }) =>
      path.includes('folders') ? undefined : success([]),
    );
    const { client, call } = await startHost([], { ...env, ...service.env });
    const giving = AbortSignal.timeout(300);
    const hung = client.callTool(
      { name: 'folders_list', arguments: { organizationId: 'acme' } },
      { signal: giving },
    );
    await expect(hung).rejects.toThrow();
    expect(await call('documents_list', { organizationId: 'acme' })).toMatchObject({
      failed: false,
      result: [],
    });
  });

  it('reports waits to a host that requests progress', async () => {
    const { env } = await newUser();
    let asked = 0;
    const service = await startMockService((_, response) => {
      asked += 1;
      response.setHeader('retry-after', '1');
      return asked === 1 ? failure(429, 'RESOURCE_EXHAUSTED', 'Rate limit exceeded.') : success([]);
    });
    const { client } = await startHost([], { ...env, ...service.env });
    const heard: string[] = [];
    const params = { name: 'documents_list', arguments: { organizationId: 'acme' } };
    await client.callTool(params, { onprogress: ({ message = '' }) => void heard.push(message) });
    expect(heard.join('\n')).toMatch(/rate limit/i);
  });

  it('exits with 3 if a message is too long', async () => {
    const { env } = await newUser();
    const child = spawn(process.execPath, [BIN, 'mcp', '--local'], { env: { ...env } });
    const ended = once(child, 'close');
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    child.stdin.on('error', () => undefined);
    for (let sent = 0; sent < 20; sent += 1) child.stdin.write('x'.repeat(1_000_000));
    expect({ code: (await ended)[0], said }).toEqual({
      code: 3,
      said: expect.stringContaining('sent an invalid message'),
    });
  });

  it('returns the response of a service as one result', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => failure(404, 'NOT_FOUND', 'Folder not found.'));
    const { call } = await startHost([], { ...env, ...service.env });
    const { failed, result } = await call('folders_list', {
      organizationId: 'acme',
      folderId: 'f1',
    });
    expect({ failed, result }).toMatchObject({
      failed: true,
      result: { error: { code: 'not_found' } },
    });
  });

  it('exits with 0 at the end of stdin or on SIGTERM, with 130 on Ctrl-C, and writes only the protocol', async () => {
    const { env } = await newUser();
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const first = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })}\n`;
    const endings = [
      { signal: undefined, code: 0 },
      { signal: 'SIGTERM', code: 0 },
      { signal: 'SIGINT', code: 130 },
    ] as const;
    for (const { signal, code } of endings) {
      const child = spawn(process.execPath, [BIN, 'mcp', '--local'], { env: { ...env } });
      child.stdin.write(first);
      const said = once(child.stdout, 'data');
      const ended = once(child, 'close');
      const [answer] = await said;
      if (signal) child.kill(signal);
      else child.stdin.end();
      expect({ signal, code: (await ended)[0] }).toEqual({ signal, code });
      expect(JSON.parse(String(answer))).toMatchObject({
        jsonrpc: '2.0',
        id: 1,
        result: { serverInfo: { name: 'svc' } },
      });
    }
  });
});
