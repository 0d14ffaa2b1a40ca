import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import type { Run } from './svc.ts';

const json = (run: Run) => {
  expect(run.code, run.stderr).toBe(0);
  return JSON.parse(run.stdout);
};

describe('--jq', () => {
  it('filters the output of -o json', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() =>
      success([{ id: 'd1', documentName: 'One\nTwo' }, { id: 'd2' }]),
    );
    const list = ['documents', 'list', '--org', 'acme'];
    expect(await svc([...list, '--jq', '.[] | .id, .documentName'], { env })).toEqual({
      code: 0,
      stdout: 'd1\nOne\nTwo\nd2\nnull\n',
      stderr: '',
    });
    expect((await svc([...list, '--jq', 'map(.id)', '-o', 'json'], { env })).stdout).toBe(
      '["d1","d2"]\n',
    );
  });

  it('receives masked secrets', async () => {
    const { svc } = await newUserInProcess();
    const record = {
      id: 'w1',
      name: 'W',
      owner: {},
      authToken: 'token-of-the-workspace-1',
      apiKeyList: {},
    };
    const { env } = await startMockService(() => success(record));
    const workspace = {
      ...env,
      SVC_WORKSPACE_ID: 'w1',
      SVC_WORKSPACE_AUTH_TOKEN: 'token-of-the-workspace-1',
    };
    const run = await svc(['workspace', 'get', '--jq', '.authToken'], { env: workspace });
    expect(run.stdout).toBe('****ce-1\n');
  });

  it('with an invalid filter ends the command before anything is sent', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    const run = await svc(
      [
        'documents',
        'migrate',
        '--org',
        'a',
        '--document',
        'b',
        '--new-document',
        'c',
        '-y',
        '--jq',
        '.[',
      ],
      { env },
    );
    expect([run.code, run.stdout, received.length]).toEqual([2, '', 0]);
    expect(run.stderr).toMatch(/^svc: --jq: syntax error.*\nhint: /);
  });

  it('with a failing filter is an output error', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() => success([]));
    const run = await svc(['documents', 'list', '--org', 'acme', '--jq', '.id'], { env });
    expect([run.code, run.stdout]).toEqual([12, '']);
    expect(run.stderr).toContain('--jq: Cannot index array with string ("id")');
  });

  it('stops at Ctrl-C, even if the filter never ends', SLOW, async () => {
    const user = await newUserInProcess();
    const arrived = Promise.withResolvers<void>();
    const { env } = await startMockService(() => {
      arrived.resolve();
      return success([{ id: 'd1' }]);
    });
    const { kill, ended } = user.start(
      ['documents', 'list', '--org', 'acme', '--jq', 'last(repeat(1))'],
      { env },
    );
    await arrived.promise;
    // Enough for the response to reach the filter. If not, the signal ends the call before.
    await sleep(300);
    kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stdout: '', stderr: 'svc: stopped by Ctrl-C\n' });
  });

  it('is rejected with other formats', async () => {
    const { svc } = await newUserInProcess();
    expect((await svc(['commands', '--jq', '.', '-o', 'csv'])).code).toBe(2);
    expect((await svc(['commands', '--jq', '.name'], { env: { SVC_OUTPUT: 'yaml' } })).stdout).toBe(
      'svc\n',
    );
  });
});

describe('svc api', () => {
  it('calls an unknown path, and prints the request with --dry-run', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => ({
      body: { fresh: [1, 2], authToken: 'x' },
    }));
    const call = ['api', '/v3/new', '--data', '{"a":1}', '-o', 'json'];
    expect(json(await svc(call, { env }))).toEqual({ fresh: [1, 2], authToken: '****' });
    expect(received.map(({ path, body }) => [path, body])).toEqual([
      ['/v3/new', { data: { a: 1 } }],
    ]);
    const planned = json(await svc([...call, '--dry-run'], { env }));
    expect(planned).toMatchObject({ method: 'POST', body: { data: { a: 1 } } });
    expect(received).toHaveLength(1);
  });

  it('follows pages', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(({ body }) =>
      body.data['pageToken'] ? success([{ id: 'b' }]) : success([{ id: 'a' }], { pageToken: 't' }),
    );
    const path = '/v2/organizations/documents/get';
    const run = await svc(
      ['api', path, '--data', '{"organizationId":"acme"}', '--paginate', '--jq', '.[].id'],
      { env },
    );
    expect(run).toEqual({ code: 0, stdout: 'a\nb\n', stderr: '' });
  });

  it('names the path of an operation', async () => {
    const { svc } = await newUserInProcess();
    expect(await svc(['api', 'agents.get', '--local'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "svc: 'agents.get' is not a path\nhint: the path of this operation is /v2/agents/get\n",
    });
  });

  it('calls the embedded service', async () => {
    const { svc } = await newUserInProcess();
    const run = await svc(['api', '/v2/workspace/get', '--local', '--jq', '.apiKeyList | length']);
    expect(run).toEqual({ code: 0, stdout: '1\n', stderr: '' });
  });
});

describe('files from Windows PowerShell', () => {
  it('are read as data and as settings: UTF-16, or UTF-8 with a byte order mark', async () => {
    const { home, svc } = await newUserInProcess();
    for (const encoding of ['utf8', 'utf16le'] as const) {
      await writeFile(join(home, '.svc.json'), '\ufeff{"org":"acme"}\r\n', encoding);
      await writeFile(join(home, 'data.json'), '\ufeff{"users":[{"userId":"u1"}]}\r\n', encoding);
      expect(await svc(['users', 'add', '--local', '--data', '@data.json'])).toMatchObject({
        code: 0,
      });
      expect(await svc(['folders', 'list', '--local', '-o', 'json'])).toMatchObject({
        code: 0,
        stdout: '[]\n',
      });
    }
  });
});

describe('the description of the API', () => {
  it('is an OpenAPI document that a validator accepts', SLOW, async () => {
    const { svc } = await newUserInProcess();
    expect(await new Validator().validate(json(await svc(['openapi'])))).toMatchObject({
      valid: true,
    });
  });

  it('contains a JSON Schema of each operation and the command tree', async () => {
    const { svc } = await newUserInProcess();
    expect(json(await svc(['schema', 'groups', 'add-users']))).toMatchObject({
      operation: 'groups.add-users',
      input: { $schema: 'https://json-schema.org/draft/2020-12/schema' },
    });
    expect((await svc(['schema', 'groups.ad'])).stderr).toContain("did you mean 'groups.add'?");
    expect(json(await svc(['commands', '-o', 'json']))).toMatchObject({
      name: 'svc',
      commands: expect.any(Array),
    });
  });
});

describe('with the embedded service', () => {
  it('folders are printed as a tree', async () => {
    const { svc } = await newUserInProcess();
    const folders = [
      { folderId: 'a', folderName: 'Plans' },
      { folderId: 'b', parentFolderId: 'a', accessType: 'restricted' },
    ];
    const add = [
      'folders',
      'add',
      '--org',
      'acme',
      '--create-organization',
      '--file',
      '-',
      '--local',
    ];
    json(await svc([...add, '-o', 'json'], { stdin: JSON.stringify(folders) }));
    expect((await svc(['folders', 'tree', '--org', 'acme', '--local'])).stdout).toBe(
      'acme: 2 folders, 2 levels\n└─ 🌐 Plans (a), 1 folder below\n   └─ 🔒 b\n',
    );
  });

  it('a token is decoded to its permissions', async () => {
    const { svc } = await newUserInProcess();
    const words = [
      'access-tokens',
      'generate',
      '--user',
      'u1',
      '--name',
      'Ada',
      '--email',
      'ada@example.com',
    ];
    const token = await svc([...words, '--resource', 'type=organization,id=acme', '-q', '--local']);
    const inspected = await svc(['access-tokens', 'inspect', '-', '-o', 'json'], {
      stdin: token.stdout,
    });
    expect(json(inspected)).toMatchObject({
      claims: { sub: 'u1', name: 'Ada' },
      resources: [{ type: 'organization', id: 'acme', role: 'editor' }],
    });
    expect(inspected.stderr).toContain('the signature is not verified');
    expect((await svc(['access-tokens', 'inspect', 'a.b'])).code).toBe(3);
  });

  it('--wait follows a migration to its success or failure', async () => {
    const { svc } = await newUserInProcess();
    json(
      await svc([
        'documents',
        'add',
        '--org',
        'acme',
        '--document',
        'd1',
        '--name',
        'One',
        '--local',
        '-o',
        'json',
      ]),
    );
    const migrate = (from: string) =>
      svc([
        'documents',
        'migrate',
        '--org',
        'acme',
        '--document',
        from,
        '--new-document',
        'd2',
        '--wait',
        '-y',
        '--local',
        '-q',
      ]);
    expect(await migrate('d1')).toEqual({ code: 0, stdout: 'completed\n', stderr: '' });
    const failed = await migrate('gone');
    expect([failed.code, failed.stdout]).toEqual([10, 'failed\n']);
  });
});
