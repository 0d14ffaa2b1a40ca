import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import type { Run } from './svc.ts';

const USERS = '{"users":[{"userId":"u1","name":"Ada"},{"userId":"u2","name":"Bob"}]}';
const SECRET = 'dry-run-secret-91c4';

/**
 * Commands of every kind that could send something, by the name of the operation if there is one.
 */
const COMMANDS: readonly (readonly [
  operation: string | undefined,
  words: readonly string[],
  requests: number,
])[] = [
  ['users.add', ['users', 'add', '--org', 'acme', '--user', 'u1'], 1],
  ['users.add', ['users', 'add', '--org', 'acme', '--data', USERS, '--batch-size', '1'], 2],
  ['users.add.v2', ['users', 'add', '--api-version', 'v2', '--org', 'acme', '--data', USERS], 1],
  ['users.update', ['users', 'update', '--org', 'acme', '--data', USERS], 1],
  [
    'users.update.v2',
    ['users', 'update', '--api-version', 'v2', '--org', 'acme', '--user', 'u1'],
    1,
  ],
  ['documents.add', ['documents', 'add', '--org', 'acme', '--document', 'd1'], 1],
  [
    'documents.migrate',
    ['documents', 'migrate', '--org', 'acme', '--document', 'd1', '--new-document', 'd2', '--wait'],
    1,
  ],
  ['folders.add', ['folders', 'add', '--org', 'acme', '--folder', 'f1'], 1],
  ['folders.update', ['folders', 'update', '--org', 'acme', '--folder', 'f1', '--name', 'F'], 1],
  ['organizations.add', ['organizations', 'add', '--org', 'acme'], 1],
  ['groups.add', ['groups', 'add', '--org', 'acme', '--group', 'g1', '--name', 'G'], 1],
  [
    'groups.add-users',
    ['groups', 'add-users', '--org', 'acme', '--group', 'g1', '--user', 'u1'],
    1,
  ],
  [
    'permissions.add',
    ['permissions', 'add', '--user', 'u1', '--resource', 'type=document,id=d1,org=acme'],
    1,
  ],
  [
    'notifications.add',
    'notifications add --org acme --document d1 --action-user u1 --headline h --body b --notify-user u2'.split(
      ' ',
    ),
    1,
  ],
  [
    'activities.add',
    'activities add --org acme --document d1 --feature-type comment --action-type a --action-user u1'.split(
      ' ',
    ),
    1,
  ],
  [
    'activities.update',
    ['activities', 'update', '--org', 'acme', '--activity', 'a1', '--change', 'x=1:2'],
    1,
  ],
  ['presence.add', ['presence', 'add', '--org', 'acme', '--document', 'd1', '--user', 'u1'], 1],
  [
    'presence.update',
    ['presence', 'update', '--org', 'acme', '--document', 'd1', '--user', 'u1'],
    1,
  ],
  [
    'presence.delete',
    ['presence', 'delete', '--org', 'acme', '--document', 'd1', '--user', 'u1'],
    1,
  ],
  [
    'crdt.add',
    'crdt add --org acme --document d1 --editor e1 --type text --content x'.split(' '),
    1,
  ],
  [
    'crdt.update',
    'crdt update --org acme --document d1 --editor e1 --type text --content x'.split(' '),
    1,
  ],
  ['webhooks.config.update', ['webhooks', 'config', 'update', '--enable'], 1],
  ['webhooks.advanced.update', ['webhooks', 'advanced', 'update', '--disable'], 1],
  [
    'webhooks.endpoints.create',
    ['webhooks', 'endpoints', 'create', '--url', 'https://example.com/hook'],
    1,
  ],
  ['webhooks.endpoints.update', ['webhooks', 'endpoints', 'update', 'ep_1', '--disabled'], 1],
  ['webhooks.endpoints.delete', ['webhooks', 'endpoints', 'delete', 'ep_1', 'ep_2'], 2],
  ['email.update', ['email', 'update', '--enable'], 1],
  ['permission-provider.update', ['permission-provider', 'update', '--enable'], 1],
  ['workspace.create', ['workspace', 'create', '--owner-email', 'ada@example.com'], 1],
  ['auth-tokens.reset', ['auth-tokens', 'reset', '--api-key', 'k1'], 1],
  [
    'auth-tokens.reset',
    ['auth-tokens', 'reset', '--api-key', 'k1', '--ensure', '--output-file', 'token'],
    1,
  ],
  // Reads are printed too, and svc requests no next page.
  [undefined, ['users', 'data', '--org', 'acme', '--user', 'u1', '--all'], 1],
  [undefined, ['documents', 'migration-status', '--org', 'acme', '--migration', 'm1', '--wait'], 1],
  [undefined, ['folders', 'tree', '--org', 'acme'], 1],
  [undefined, ['api', '/v2/any/new/path', '--data', '{"a":1}'], 1],
  [undefined, ['api', '/v2/users/add', '--data', '{"organizationId":"acme","users":[]}'], 1],
  [
    undefined,
    ['api', '/v2/organizations/documents/get', '--data', '{"organizationId":"acme"}', '--paginate'],
    1,
  ],
];

describe('--dry-run', () => {
  it('sends nothing, asks nothing, writes nothing, and prints each request of every command', async () => {
    const { svc, home } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    const all = {
      ...env,
      SVC_AUTH_TOKEN: SECRET,
      SVC_WORKSPACE_ID: 'w1',
      SVC_WORKSPACE_AUTH_TOKEN: SECRET,
    };
    const waiting = [...COMMANDS];
    const runs: [words: string, expected: number, run: Run][] = [];
    const runner = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [, words, requests] = next;
        runs.push([words.join(' '), requests, await svc([...words, '--dry-run'], { env: all })]);
      }
    };
    await Promise.all([runner(), runner(), runner()]);
    for (const [words, expected, { code, stdout, stderr }] of runs) {
      expect([words, code, stderr]).toEqual([words, 0, expect.not.stringContaining('svc: ')]);
      const planned = stdout.match(/^\{$[\s\S]*?^\}$/gm)?.map((text) => JSON.parse(text)) ?? [];
      expect([words, planned.length]).toEqual([words, expected]);
      for (const request of planned) {
        expect(request).toMatchObject({
          method: 'POST',
          url: expect.stringContaining(`${env.SVC_BASE_URL}/v`),
        });
        expect(Object.keys(request).toSorted()).toEqual(['body', 'headers', 'method', 'url']);
      }
      expect(stdout + stderr).not.toContain(SECRET);
    }
    expect(received).toEqual([]);
    expect((await readdir(home)).filter((name) => !name.startsWith('.'))).toEqual([]);
  });

  it('is tested with every operation that writes', () => {
    const writes = manifest.filter(({ effect }) => effect !== 'read').map(({ name }) => name);
    expect(new Set(COMMANDS.flatMap(([operation]) => operation ?? []))).toEqual(new Set(writes));
  });

  it('sends no delivery and leaves the embedded service unchanged', async () => {
    const { svc, home } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    await mkdir(join(home, 'data'));
    const { code } = await svc([
      'webhooks',
      'send',
      'comment.add',
      '--url',
      env.SVC_BASE_URL,
      '--dry-run',
    ]);
    expect([code, received]).toEqual([0, []]);
    const local = ['--local', '--store', join(home, 'data', 'store.sqlite')];
    expect((await svc([...local, 'organizations', 'add', '--org', 'acme'])).code).toBe(0);
    await svc([...local, 'organizations', 'add', '--org', 'other', '--dry-run']);
    expect((await svc([...local, 'local', 'reset', '--yes', '--dry-run'])).code).toBe(0);
    const { stdout } = await svc([...local, 'local', 'export', '-o', 'json']);
    expect(stdout).toContain('acme');
    expect(stdout).not.toContain('other');
  });
});
