import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Client, type ClientOptions, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { Ajv } from 'ajv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isHarmless } from '../../src/catalog/harmless.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { resolveUserFolders } from '../../src/kernel/folders.ts';
import { formatStatement } from '../../src/settings/plan/approval.ts';
import { fakeContext } from '../commands/fake-context.ts';
import { startTestService } from '../service/test-service.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { SLOW } from '../slow.ts';
import { createKey, hasSshKeygen, signText } from '../ssh-keygen.ts';
import { writeData } from './doors.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, type ResponseHandler, startMockService, success } from './mock-service.ts';
import { BIN, newUser } from './svc.ts';

interface ToolResult {
  readonly result: unknown;
  /** All texts of the result. */
  readonly texts: readonly string[];
  readonly failed: boolean;
}

interface Host {
  readonly client: Client;
  /** Calls a tool, and returns its JSON result. */
  tool(name: string, values?: Record<string, unknown>): Promise<ToolResult>;
  read(operation: string, input?: Record<string, unknown>): Promise<ToolResult>;
  /** Previews a write, and sends it with the token of the preview. */
  write(operation: string, input: Record<string, unknown>): Promise<ToolResult>;
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
  const tool: Host['tool'] = async (name, values = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: values });
    const texts = content.map((part) => (part.type === 'text' ? part.text : part.type));
    return { result: tryParse(texts[0] ?? ''), texts, failed: isError === true };
  };
  return {
    client,
    tool,
    read: (operation, input = {}) => tool('read', { operation, input }),
    write: async (operation, input) => {
      const preview = await tool('write', { operation, input });
      const { token } = Object(preview.result) as { readonly token?: string };
      return preview.failed ? preview : tool('write', { operation, input, token });
    },
  };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const tokenOf = ({ result }: ToolResult) => (result as { readonly token: string }).token;
const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};
const ACME = { organizationId: 'acme' };
const USERS = { ...ACME, users: [{ userId: 'u1' }] };
const PRESENCE = { ...ACME, documentId: 'd1', userIds: ['u1'] };

describe('the tools of svc mcp', () => {
  it('are three, small, and valid for strict validators', async () => {
    const { env } = await newUser();
    const listed = async (...words: string[]) =>
      (await (await startHost(['--local', ...words], env)).client.listTools()).tools;
    expect((await listed()).map(({ name }) => name)).toEqual(['describe', 'read']);
    const tools = await listed('--allow-writes');
    expect(tools.map(({ name }) => name)).toEqual(['describe', 'read', 'write']);
    const text = JSON.stringify({ tools });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3_000);
    expect(text).not.toMatch(/"(pattern|\$schema)"/);
    const ajv = new Ajv({ strict: true, allErrors: true });
    for (const { inputSchema } of tools) expect(ajv.validateSchema(inputSchema)).toBe(true);
    for (const { inputSchema } of tools) ajv.compile(inputSchema);
    const inputs = tools.flatMap(({ inputSchema }) => inputSchema.properties?.['input'] ?? []);
    for (const input of inputs)
      expect(input).toMatchObject({
        type: 'object',
        properties: { organizationId: { type: 'string' } },
        additionalProperties: true,
      });
    expect(JSON.stringify(tools)).not.toMatch(/anyOf|oneOf|"properties":\{\}/);
  });

  it('describe every operation in few bytes, without flags, patterns, and schemas of other versions', async () => {
    const { env } = await newUser();
    const { tool } = await startHost(['--local', '--allow-writes'], env);
    const { texts } = await tool('describe');
    const offered = manifest.filter(
      (entry) => !/generate|secret|reset|workspace\.create/.test(entry.name),
    );
    expect(texts[0]?.split('\n')).toHaveLength(offered.length);
    expect(Buffer.byteLength(texts[0] ?? '')).toBeLessThanOrEqual(10_000);
    for (const { name, command } of offered) {
      const one = await tool('describe', { operation: name });
      expect([name, one.failed, one.result]).toMatchObject([name, false, { operation: name }]);
      const text = one.texts.join('');
      expect([name, Buffer.byteLength(text)]).toEqual([
        name,
        expect.toSatisfy((size) => size <= 6_000),
      ]);
      expect([name, text]).toEqual([
        name,
        expect.not.stringMatching(/"\$schema"|"pattern":"|(^| )--[a-z]/),
      ]);
      expect((await tool('describe', { operation: command.join(' ') })).failed).toBe(false);
    }
    expect(await tool('describe', { operation: 'documents.lst' })).toMatchObject({
      failed: true,
      result: { error: { hint: "did you mean 'documents.list'?" } },
    });
  });

  it(
    'return the same as the command line for every operation, and offer none that hands out a secret',
    SLOW,
    async () => {
      const { env, svc } = await newUserInProcess();
      const [world, other] = [await startTestService(), await startTestService()];
      const calls = Object.entries(await createValidCalls(world));
      const otherCalls: Readonly<Record<string, object>> = await createValidCalls(other);
      const host = await startHost(
        ['--local', '--store', world.path, '--allow-writes', '--yes'],
        env,
      );
      const isLast = (name: string) => name.endsWith('.delete');
      for (const [name, data] of calls.sort(([a], [b]) => Number(isLast(a)) - Number(isLast(b)))) {
        const entry = manifest.find((known) => known.name === name);
        if (!entry) throw new Error(name);
        const input = { ...data };
        if (!isHarmless({ ...entry, effect: 'read' })) {
          for (const tool of ['read', 'write']) {
            expect(await host.tool(tool, { operation: name, input })).toMatchObject({
              failed: true,
              result: { error: { message: expect.stringContaining('hands out a secret') } },
            });
          }
          continue;
        }
        const isRead = entry.effect === 'read';
        const { failed, result, texts } = await host[isRead ? 'read' : 'write'](name, input);
        expect([name, failed], texts.join('\n')).toEqual([name, false]);
        const words = [
          ...entry.command,
          ...writeData(isRead ? data : otherCalls[name]),
          '--local',
          '-y',
          '-o',
          'json',
        ];
        const version = entry.name.endsWith('.v2') ? ['--api-version', 'v2'] : [];
        const v1 = entry.name === 'folders.list.v1' ? ['--api-version', 'v1'] : [];
        const store = isRead ? world.path : other.path;
        const run = await svc([...words, ...version, ...v1, '--store', store]);
        const shown = run.stdout === '' ? '' : JSON.parse(run.stdout);
        expect([name, shapeOf(result)]).toEqual([name, shapeOf(shown)]);
        if (isRead) expect([name, result]).toEqual([name, shown]);
      }
    },
  );

  it('refuse unknown fields with the nearest name', async () => {
    const { env, svc } = await newUserInProcess();
    const { tool } = await startHost(['--local', '--allow-writes'], env);
    const refused = [
      [
        'write',
        'documents.add',
        { ...ACME, folder: 'f1', documents: [{ documentId: 'd1' }] },
        'folderId',
      ],
      [
        'write',
        'users.add',
        { organisationId: 'acme', users: [{ userId: 'u1' }] },
        'organizationId',
      ],
      ['read', 'documents.list', { ...ACME, page_size: 1 }, 'pageSize'],
    ] as const;
    for (const [name, operation, input, nearest] of refused) {
      expect(await tool(name, { operation, input })).toMatchObject({
        failed: true,
        result: { error: { code: 'invalid_input', hint: `did you mean '${nearest}'?` } },
      });
    }
    expect(await tool('read', { operation: 'folders.list', data: ACME })).toMatchObject({
      failed: true,
      result: { error: { message: "unknown field 'data'; nothing was sent" } },
    });
    expect((await svc(['local', 'list', 'documents', '-o', 'json'])).stdout.trim()).toBe('[]');
  });

  it('accept an input that is sent as JSON text', async () => {
    const { env } = await newUser();
    const { tool } = await startHost(['--local', '--allow-writes'], env);
    const text = JSON.stringify({ organizations: [{ organizationId: 'acme' }] });
    const preview = await tool('write', { operation: 'organizations.add', input: text });
    const call = { operation: 'organizations.add', token: tokenOf(preview) };
    expect(await tool('write', { ...call, input: JSON.parse(text) })).toMatchObject({
      failed: false,
    });
    expect(
      await tool('read', { operation: 'documents.list', input: '{"organizationId":"acme"}' }),
    ).toMatchObject({ failed: false });
    for (const input of ['[1]', 'acme', '{'])
      expect(await tool('read', { operation: 'documents.list', input })).toMatchObject({
        failed: true,
        result: { error: { code: 'invalid_input', message: 'input must be an object' } },
      });
  });

  it('name the field of a flag in an error of the service', async () => {
    const { env } = await newUser();
    const { write } = await startHost(['--local', '--allow-writes'], env);
    const folders = { ...ACME, folders: [{ folderId: 'f1' }] };
    const { texts } = await write('folders.add', folders);
    expect(texts.join('')).toContain('add createOrganization to create it');
  });

  it('speak of fields, never of flags', async () => {
    const { env } = await newUser();
    const { tool, write } = await startHost(['--local', '--allow-writes'], env);
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 200; level += 1) deep = { deep };
    const results = [
      await tool('read', { operation: 'documents.list', input: {} }),
      await tool('read', { operation: 'folders.list', input: deep }),
      await tool('read', { operation: 'folders.list', input: { ...ACME, folderId: 'none' } }),
      await tool('read', { operation: 'agents.get', input: { agentId: 'none' } }),
      await tool('read', { operation: 'users.data', input: {} }),
      await tool('read', { operation: 'webhooks.endpoints.list' }),
      await write('users.add', ACME),
      await write('users.add', { ...ACME, users: [{}] }),
      await write('email.update', { emailServiceConfig: { apiKey: '****' } }),
      await write('crdt.update', {
        ...ACME,
        documentId: 'd',
        editorId: 'e',
        type: 'map',
        data: 'x',
      }),
      await write('webhooks.endpoints.create', { url: 'ftp://x' }),
      await write('webhooks.endpoints.delete', { endpointId: 'ep_1' }),
      await write('folders.add', { ...ACME, folders: [{ folderId: 'f1', parentFolderId: 'f0' }] }),
    ];
    for (const { failed, texts } of results) {
      expect(failed, texts.join('\n')).toBe(true);
      expect(texts.join('\n').replaceAll('start this server with --yes', '')).not.toMatch(
        /(^|[\s"'`(])--[a-z]/,
      );
    }
  });

  it('cut a large list, and say how to get the rest', async () => {
    const { env } = await newUser();
    const many = Array.from({ length: 500 }, (_, at) => ({
      id: `d${at}`,
      documentName: 'é'.repeat(300),
    }));
    const service = await startMockService(() => success(many));
    const { tool } = await startHost([], { ...env, ...service.env });
    const seen: unknown[] = [];
    for (let calls = 0; seen.length < many.length && calls < 50; calls += 1) {
      const { texts, result, failed } = await tool('read', {
        operation: 'documents.list',
        input: ACME,
        offset: seen.length,
      });
      expect(failed, texts[0]).toBe(false);
      expect(Buffer.byteLength(texts.join(''))).toBeLessThanOrEqual(40_000);
      seen.push(...(result as unknown[]));
      if (seen.length < many.length)
        expect(texts[1]).toContain(`call read again with offset ${seen.length} for the rest`);
    }
    expect(seen).toEqual(many);
    const ids = await tool('read', { operation: 'documents.list', input: ACME, fields: ['id'] });
    expect(ids.result).toEqual(many.map(({ id }) => ({ id })));
  });

  it('refuse a single record that is too large', async () => {
    const { env } = await newUser();
    const service = await startMockService(() =>
      success([{ id: 'd1', text: 'x'.repeat(100_000) }]),
    );
    const { read } = await startHost([], { ...env, ...service.env });
    expect(await read('documents.list', ACME)).toMatchObject({
      failed: true,
      result: { error: { hint: expect.stringContaining('with fields') } },
    });
  });

  it('mask secrets', async () => {
    const { env, svc } = await newUserInProcess();
    const clear = await svc(['workspace', 'get', '--local', '--show-secrets', '-o', 'json']);
    const { authToken } = JSON.parse(clear.stdout);
    const { read } = await startHost(['--local'], env);
    const { result, texts } = await read('workspace.get');
    expect(texts.join('')).not.toContain(authToken);
    expect(result).toMatchObject({ authToken: expect.stringMatching(/^\*{4}/) });
    expect((await svc(['mcp', '--show-secrets'])).code).toBe(2);
  });
});

function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.keys(value).sort();
}

describe('a write', () => {
  it('is refused with a field that looks like a role, unless it is kept', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success({ u1: { success: true } }));
    const host = await startHost(['--allow-writes'], { ...env, ...service.env });
    const call = {
      operation: 'users.add',
      input: { organizationId: 'acme', users: [{ userId: 'u1', role: 'viewer' }] },
    };
    const refused = await host.tool('write', call);
    expect(refused).toMatchObject({
      failed: true,
      result: { error: { hint: expect.stringContaining('add keep: ["role"]') } },
    });
    const kept = { ...call, keep: ['role'] };
    const preview = await host.tool('write', kept);
    expect(await host.tool('write', { ...kept, token: tokenOf(preview) })).toMatchObject({
      failed: false,
    });
    expect(service.received.map(({ body }) => body.data)).toEqual([call.input]);
  });

  it('is previewed with its request, and is sent once with the token of exactly this request', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success({ u1: { success: true } }));
    const host = await startHost(['--allow-writes'], { ...env, ...service.env });
    const preview = await host.tool('write', { operation: 'users.add', input: USERS });
    expect(preview).toMatchObject({
      failed: false,
      result: {
        preview: expect.stringContaining('nothing was sent'),
        target: new URL(service.env.SVC_BASE_URL).host,
        effect: 'keyed',
        records: 1,
        token: expect.stringMatching(/^[0-9a-f]{32}$/),
        requests: [
          {
            method: 'POST',
            url: `${service.env.SVC_BASE_URL}/v1/users/add`,
            body: { data: USERS },
          },
        ],
      },
    });
    expect(service.received).toEqual([]);
    const call = { operation: 'users.add', input: USERS, token: tokenOf(preview) };
    expect(await host.tool('write', call)).toMatchObject({
      failed: false,
      result: { succeeded: 1 },
    });
    expect(service.received.map(({ body }) => body)).toEqual([{ data: USERS }]);
    // The token was used.
    expect(await host.tool('write', call)).toMatchObject({
      failed: true,
      result: { error: { code: 'approval_required', exitCode: 4 } },
    });
    expect(service.received).toHaveLength(1);
  });

  it('is not sent with the token of another request, session, or operation, or with two at once', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success({ u1: { success: true } }));
    const begin = () => startHost(['--allow-writes'], { ...env, ...service.env });
    const [host, other] = [await begin(), await begin()];
    const previewed = async () =>
      tokenOf(await host.tool('write', { operation: 'users.add', input: USERS }));
    const changed = { ...ACME, users: [{ userId: 'u2' }] };
    const attempts = [
      () => ['users.add', changed] as const,
      () => ['users.add', { ...USERS, organizationId: 'beta' }] as const,
      () => ['users.add', { ...USERS, documentId: 'd1' }] as const,
      () => ['users.update', USERS] as const,
      () => ['users.add.v2', USERS] as const,
    ];
    for (const attempt of attempts) {
      const token = await previewed();
      const [operation, input] = attempt();
      const refused = await host.tool('write', { operation, input, token });
      expect(refused).toMatchObject({
        failed: true,
        result: { error: { code: 'approval_required' } },
      });
      // A token that was used for another request is gone.
      const again = await host.tool('write', { operation: 'users.add', input: USERS, token });
      expect(again.failed).toBe(true);
    }
    const calls = (token: string) => ({ operation: 'users.add', input: USERS, token });
    expect((await other.tool('write', calls(await previewed()))).failed).toBe(true);
    for (const token of ['', '0'.repeat(32), 'null', '__proto__'])
      expect((await host.tool('write', calls(token))).failed).toBe(true);
    expect(service.received).toEqual([]);
    const token = await previewed();
    const both = await Promise.all(
      [calls(token), calls(token)].map((call) => host.tool('write', call)),
    );
    expect(both.map(({ failed }) => failed).sort()).toEqual([false, true]);
    expect(service.received).toHaveLength(1);
  });

  it.each<readonly [string, ResponseHandler, number, readonly number[]]>([
    [
      'that is half done',
      () => {
        const added = { success: true, message: 'User added.' };
        return success({ u0: { success: false, message: 'No seat.' }, u1: added, u2: added });
      },
      10,
      [2, 1, 0, 0],
    ],
    [
      'that is refused',
      () => failure(403, 'PERMISSION_DENIED', 'Not in your plan.'),
      4,
      [0, 0, 0, 3],
    ],
    [
      'during a long maintenance',
      (_, response) => {
        response.setHeader('retry-after', '120');
        return failure(503, 'UNAVAILABLE', 'Down for maintenance.');
      },
      11,
      [0, 0, 0, 3],
    ],
    [
      'that is answered with a page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi'),
      9,
      [0, 0, 3, 0],
    ],
    [
      'whose connection is closed',
      (_, response) => void response.socket?.destroy(),
      9,
      [0, 0, 3, 0],
    ],
  ])('%s returns its counts and the error', async (_, respond, exitCode, counts) => {
    const { env } = await newUser();
    const service = await startMockService(respond);
    const flags = ['--allow-writes', '--retry-for', '0s', '--max-wait', '1s'];
    const { write } = await startHost(flags, { ...env, ...service.env });
    const users = ['u0', 'u1', 'u2'].map((userId) => ({ userId }));
    const { result, texts, failed: isFailed } = await write('users.add', { ...ACME, users });
    const { succeeded, failed, unknown, skipped } = Object(result);
    expect([isFailed, succeeded, failed, unknown, skipped]).toEqual([true, ...counts]);
    expect(texts.map(tryParse)).toContainEqual({ error: expect.objectContaining({ exitCode }) });
  });

  it('that must wait longer than the server may names the flag of the server', async () => {
    const { env } = await newUserInProcess();
    const service = await startMockService((_, response) => {
      response.setHeader('retry-after', '7200');
      return failure(429, 'RESOURCE_EXHAUSTED', 'Slow down.');
    });
    const { tool } = await startHost([], { ...env, ...service.env });
    const { texts } = await tool('read', { operation: 'documents.list', input: ACME });
    expect(texts.join()).toContain('wait with --max-wait 2h');
  });

  it('gets the IDs that its preview showed', async () => {
    const { env, svc } = await newUserInProcess();
    const { tool } = await startHost(['--local', '--allow-writes'], env);
    const input = {
      ...ACME,
      documentId: 'd1',
      activities: [{ featureType: 'comment', actionType: 'x', actionUser: { userId: 'u1' } }],
    };
    const preview = await tool('write', { operation: 'activities.add', input });
    const { requests } = preview.result as {
      requests: { body: { data: { activities: { id: string }[] } } }[];
    };
    const id = requests[0]?.body.data.activities[0]?.id;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const token = tokenOf(preview);
    expect(await tool('write', { operation: 'activities.add', input, token })).toMatchObject({
      failed: false,
    });
    expect((await svc(['local', 'list', 'activities', '-o', 'json'])).stdout).toContain(id);
  });

  it('is refused by a read-only target and by a protected profile, which names no way around', async () => {
    const { env, svc } = await newUserInProcess();
    const service = await startMockService(() => success({ u1: { success: true } }));
    const { SVC_BASE_URL: url, SVC_AUTH_TOKEN: token } = service.env;
    const add = ['profiles', 'add', 'prod', '--base-url', url, '--api-key', 'k1', '--no-verify'];
    const kept = [...add, '--protected', '--auth-token-stdin', '--insecure-storage'];
    expect(await svc(kept, { stdin: token })).toMatchObject({ code: 0 });
    for (const words of [['--yes'], []]) {
      const held = await startHost(['--allow-writes', '-p', 'prod', ...words], env, () => 'accept');
      for (const [operation, input] of [
        ['users.add', USERS],
        ['presence.delete', PRESENCE],
      ] as const) {
        const refused = await held.write(operation, input);
        expect(refused).toMatchObject({
          failed: true,
          result: { error: { hint: expect.stringContaining('svc help read-only') } },
        });
        expect(refused.texts.join('')).not.toMatch(/SVC_ALLOW|--yes/);
      }
    }
    const allowed = { ...env, SVC_ALLOW: 'prod' };
    const writer = await startHost(['--allow-writes', '--yes', '-p', 'prod'], allowed);
    expect(await writer.write('users.add', USERS)).toMatchObject({ failed: false });
    expect(service.received).toHaveLength(1);
    const readOnly = { ...env, ...service.env, SVC_READ_ONLY: '1' };
    const reader = await startHost(['--allow-writes', '--yes'], readOnly);
    expect((await reader.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'describe',
      'read',
    ]);
    await expect(reader.tool('write', { operation: 'users.add', input: USERS })).rejects.toThrow(
      'only reads',
    );
    expect(await reader.read('users.add', USERS)).toMatchObject({ failed: true });
    expect(service.received).toHaveLength(1);
  });

  it.skipIf(!hasSshKeygen)('is saved as a plan that a person approves and applies', async () => {
    const { env, home, svc } = await newUserInProcess();
    const service = await startMockService(() => success({ u1: { success: true } }));
    const { SVC_BASE_URL: url, SVC_AUTH_TOKEN: token } = service.env;
    const ada = createKey(home, 'ada');
    await writeFile(join(home, 'signers'), `ada@example.com ${ada.publicKey}\n`);
    const add = ['profiles', 'add', 'prod', '--base-url', url, '--api-key', 'k1', '--no-verify'];
    const rule = ['--approvals', '1', '--signers', 'signers'];
    const kept = [...add, ...rule, '--auth-token-stdin', '--insecure-storage'];
    expect(await svc(kept, { stdin: token })).toMatchObject({ code: 0 });
    const { client, tool } = await startHost(['--allow-writes', '-p', 'prod', '--yes'], env);
    expect(client.getInstructions()).toContain('saveAs');
    const call = { operation: 'users.add', input: USERS };
    expect(await tool('write', call)).toMatchObject({
      failed: true,
      result: {
        error: {
          code: 'approval_required',
          hint: expect.stringMatching(/saveAs.*svc approve plan\.json.*svc apply plan\.json/),
        },
      },
    });
    const saved = await tool('write', { ...call, saveAs: 'plan.json' });
    const { plan, next } = saved.result as { plan: string; next: Record<string, string> };
    expect(saved, saved.texts.join('\n')).toMatchObject({
      failed: false,
      result: { sent: false, operation: 'users.add' },
    });
    expect(next).toEqual({ approve: `svc approve ${plan}`, apply: `svc -p prod apply ${plan}` });
    const content = await readFile(plan, 'utf8');
    expect(service.received).toEqual([]);
    expect((await svc(['plan', 'show', plan])).stdout).toContain('> users add: 1 user');
    expect(await svc(['-p', 'prod', 'apply', plan, '--yes'])).toMatchObject({ code: 4 });
    const statement = formatStatement(JSON.parse(content), new Date().toISOString());
    await writeFile(`${plan}.ada.approval`, statement + signText(ada.path, statement, 'svc-plan'));
    const applied = await svc(['-p', 'prod', 'apply', plan, '--yes']);
    expect(applied.code, applied.stderr).toBe(0);
    expect(service.received).toHaveLength(1);
    expect(await svc(['-p', 'prod', 'apply', plan, '--yes'])).toMatchObject({
      code: 15,
      stderr: expect.stringContaining('hint: an agent saved this plan; ask it to save a new one'),
    });
    for (const [saveAs, problem] of [
      ['plan.json', 'already exists'],
      ['../plan.json', 'without a folder'],
      ['/tmp/plan.json', 'without a folder'],
      ['plan.txt', 'without a folder'],
      ['.svc.json', 'without a folder'],
      ['', 'without a folder'],
    ]) {
      const refused = await tool('write', { ...call, saveAs });
      expect(refused.texts.join(), saveAs).toContain(problem);
    }
    expect(await readFile(plan, 'utf8')).toBe(content);
    const invalid = { operation: 'users.add', input: { ...ACME, users: [{}] }, saveAs: 'b.json' };
    expect(await tool('write', invalid)).toMatchObject({ failed: true });
    await expect(stat(join(dirname(plan), 'b.json'))).rejects.toThrow('ENOENT');
  });

  it('is saved as a plan for a target without approvals, and without a confirmation', async () => {
    const { env, svc } = await newUserInProcess();
    const { tool } = await startHost(['--local', '--allow-writes'], env);
    const input = { ...ACME, organizationName: 'Acme' };
    const call = { operation: 'organizations.add', input: { organizations: [input] } };
    const saved = await tool('write', { ...call, saveAs: 'new org.json' });
    expect(saved.failed, saved.texts.join('\n')).toBe(false);
    const { plan, next } = saved.result as { plan: string; next: object };
    expect(next).toEqual({ apply: `svc --local apply '${plan}'` });
    const deleted = await tool('write', {
      operation: 'presence.delete',
      input: PRESENCE,
      saveAs: 'p.json',
    });
    expect(deleted.failed, deleted.texts.join('\n')).toBe(false);
    expect(await tool('write', { ...call, saveAs: 'c.json', token: 'x' })).toMatchObject({
      failed: true,
      result: { error: { message: expect.stringContaining('cannot be combined') } },
    });
    expect(await svc(['--local', 'apply', plan, '--yes'])).toMatchObject({ code: 0 });
    expect((await svc(['local', 'list', 'organizations', '-o', 'json'])).stdout).toContain('Acme');
    const shows = await startHost(['--local', '--allow-writes', '--dry-run'], env);
    expect(await shows.tool('write', { ...call, saveAs: 'd.json' })).toMatchObject({
      failed: true,
    });
  });

  it('sends nothing with --dry-run and returns the request', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success([]));
    const { tool, read } = await startHost(
      ['--allow-writes', '--dry-run'],
      { ...env, ...service.env },
      () => 'accept',
    );
    const preview = await tool('write', { operation: 'presence.delete', input: PRESENCE });
    expect(preview.result).toMatchObject({ requests: [{ body: { data: PRESENCE } }] });
    expect(preview.result).not.toHaveProperty('token');
    expect(await read('documents.list', ACME)).toMatchObject({ result: { method: 'POST' } });
    expect(service.received).toEqual([]);
  });

  it('is confirmed by the user through the host, and refused if the host cannot ask', async () => {
    const { env } = await newUser();
    const service = await startMockService(() => success(null));
    const asked: string[] = [];
    const answering = (answer: 'accept' | 'decline' | 'cancel') =>
      startHost(['--allow-writes'], { ...env, ...service.env }, (message) => {
        asked.push(message);
        return answer;
      });
    const endpoint = { endpointId: 'ep_1' };
    for (const answer of ['decline', 'cancel'] as const) {
      const { write } = await answering(answer);
      expect(await write('webhooks.endpoints.delete', endpoint)).toMatchObject({
        failed: true,
        result: { error: { message: 'not confirmed; nothing was changed' } },
      });
    }
    const unasked = await startHost(['--allow-writes'], { ...env, ...service.env });
    const unasking = await startHost(
      ['--allow-writes', '--no-input'],
      { ...env, ...service.env },
      () => 'accept',
    );
    for (const { tool } of [unasked, unasking]) {
      expect(await tool('write', { operation: 'presence.delete', input: PRESENCE })).toMatchObject({
        failed: true,
        result: { error: { code: 'usage', message: expect.stringContaining('cannot ask') } },
      });
    }
    expect(service.received).toEqual([]);
    const { write } = await answering('accept');
    expect(await write('webhooks.endpoints.delete', endpoint)).toMatchObject({ failed: false });
    expect(service.received.map(({ path }) => path.split('/').at(-1))).toEqual(['delete']);
    expect(asked).toHaveLength(3);
    expect(asked[0]).toMatch(/^svc asks: Delete endpoint ep_1\?.* \(127\.0\.0\.1:\d+\)$/);
  });

  it('is recorded in the history', async () => {
    const { env, svc } = await newUserInProcess();
    const writer = await startHostOfTool(['--local', '--allow-writes'], env);
    expect(await writer.write('users.add', USERS)).toMatchObject({
      failed: false,
      result: { succeeded: 1 },
    });
    await writer.client.close();
    expect((await svc(['history', '-o', 'json'])).stdout).toContain('svc mcp --allow-writes');
  });
});

describe('svc mcp', () => {
  it('continues after a response that is too large', async () => {
    const user = await newUser();
    const text = `{"result":{"status":"success","data":[${'{},'.repeat(4_000_000)}{}]}}`;
    const { env } = await startMockService((_, response) => void response.end(text));
    const { read } = await startHostOfTool([], {
      ...user.env,
      ...env,
      NODE_OPTIONS: '--max-old-space-size=150',
    });
    for (let calls = 0; calls < 2; calls += 1) {
      const { failed, result } = await read('documents.list', ACME);
      expect([failed, result]).toEqual([
        true,
        { error: expect.objectContaining({ code: 'invalid_response' }) },
      ]);
    }
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
      const { client, read, write } = await startHost(
        ['--allow-writes'],
        { ...env, ...service.env },
        accept,
        only,
      );
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      expect((await client.listTools()).tools).toHaveLength(3);
      expect(await read('documents.list', ACME)).toMatchObject({
        result: [{ id: 'd1' }],
      });
      expect(await write('webhooks.endpoints.delete', { endpointId: 'ep_1' })).toMatchObject({
        failed: false,
      });
      expect(asked).toEqual([expect.stringMatching(/^svc asks: Delete endpoint ep_1\?/)]);
    },
  );

  it('stops a call that the host cancels, and handles the next one', async () => {
    const { env } = await newUser();
    const service = await startMockService(({ path }) =>
      path.includes('folders') ? undefined : success([]),
    );
    const { client, read } = await startHost([], { ...env, ...service.env });
    const giving = AbortSignal.timeout(300);
    const hung = client.callTool(
      { name: 'read', arguments: { operation: 'folders.list', input: ACME } },
      { signal: giving },
    );
    await expect(hung).rejects.toThrow();
    expect(await read('documents.list', ACME)).toMatchObject({
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
    const params = { name: 'read', arguments: { operation: 'documents.list', input: ACME } };
    await client.callTool(params, { onprogress: ({ message = '' }) => void heard.push(message) });
    expect(heard.join('\n')).toMatch(/rate limit/i);
  });

  it('exits with 3 if a message is too long', SLOW, async () => {
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
    const { read } = await startHost([], { ...env, ...service.env });
    const { failed, result } = await read('folders.list', { ...ACME, folderId: 'f1' });
    expect({ failed, result }).toMatchObject({
      failed: true,
      result: { error: { code: 'not_found' } },
    });
  });

  it(
    'exits with 0 at the end of stdin or on SIGTERM, with 130 on Ctrl-C, and writes only the protocol',
    SLOW,
    async () => {
      const { env } = await newUser();
      const first = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: HELLO })}\n`;
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
    },
  );

  it(
    'answers 3,000 calls at once, and finishes the calls in flight when stdin ends',
    SLOW,
    async () => {
      const { env } = await newUser();
      const service = await startMockService(async () => {
        await setTimeout(5);
        return success([{ id: 'd1' }]);
      });
      const child = spawn(process.execPath, [BIN, 'mcp'], { env: { ...env, ...service.env } });
      onTestFinished(() => void child.kill('SIGKILL'));
      let written = '';
      child.stdout.setEncoding('utf8').on('data', (text) => {
        written += text;
      });
      const send = (message: object) =>
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
      send({ id: 0, method: 'initialize', params: HELLO });
      send({ method: 'notifications/initialized' });
      const values = { operation: 'documents.list', input: ACME };
      for (let id = 1; id <= 3_000; id += 1)
        send({ id, method: 'tools/call', params: { name: 'read', arguments: values } });
      child.stdin.end();
      const [code] = await once(child, 'close');
      const answers = written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const results = answers.filter(({ id }) => id > 0);
      expect(code).toBe(0);
      expect(new Set(results.map(({ id }) => id)).size).toBe(3_000);
      expect(
        results.filter(
          ({ result }) =>
            result?.content?.[0]?.text !== '[{"id":"d1"}]' &&
            JSON.stringify(JSON.parse(result?.content?.[0]?.text ?? '0')) !== '[{"id":"d1"}]',
        ),
      ).toEqual([]);
      expect(service.received).toHaveLength(3_000);
    },
  );
});
