import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localExport } from '../../../src/commands/local/export.ts';
import { localImport } from '../../../src/commands/local/import.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import { createTemporaryFolder, createUserFolders } from '../../temporary-folder.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

async function run(content: string, name = 'state.yaml', world: FakeContextOptions = {}) {
  const context = await fakeContext({ ...world, options: { output: 'json', ...world.options } });
  await writeFile(join(context.cwd, name), content);
  await localImport(context, { arguments: [name], options: {} });
  return context;
}

async function holds(folders: Folders): Promise<Readonly<Record<string, readonly object[]>>> {
  const context = await fakeContext({ folders, options: { output: 'json' } });
  await localExport(context, { arguments: [], options: {} });
  return JSON.parse(context.stdout());
}

const YAML = `
organizations:
  - organizationId: acme
users:
  - &ada
    organizationId: acme
    userId: u1
    name: Ada Lovelace
    active: yes
  - <<: *ada
    userId: "0123"
userData:
  - { organizationId: acme, userId: u1, comments: [{ n: 1, on: true, none: ~ }] }
`;

describe('svc local import', () => {
  it('imports typed YAML and prints the number of records', async () => {
    const folders = await createUserFolders();
    const context = await run(YAML, 'state.yaml', { folders });
    expect(JSON.parse(context.stdout())).toEqual({
      organizations: 1,
      folders: 0,
      documents: 0,
      users: 2,
      groups: 0,
      activities: 0,
      agents: 0,
      agentGroups: 0,
      crdt: 0,
      userData: 1,
      endpoints: 0,
      config: 0,
    });
    const { users, userData } = await holds(folders);
    expect(users).toMatchObject([
      { userId: '0123', active: 'yes' },
      { userId: 'u1', name: 'Ada Lovelace' },
    ]);
    expect(userData).toMatchObject([{ comments: [{ n: 1, on: true, none: null }] }]);
  });

  it('shows with --dry-run what would change, and writes nothing', async () => {
    const folders = await createUserFolders();
    const folder = { organizationId: 'acme', folderId: 'plans', folderName: 'Plans' };
    await run(JSON.stringify({ folders: [folder] }), 'state.json', { folders });
    const before = await holds(folders);
    const renamed = {
      folders: [{ ...folder, folderName: 'Roadmap' }],
      users: [{ organizationId: 'acme', userId: 'u1' }],
    };
    const options = { dryRun: true };
    const { changes, ...counts } = JSON.parse(
      (await run(JSON.stringify(renamed), 'a.json', { folders, options })).stdout(),
    );
    expect(counts).toMatchObject({ folders: 1, users: 1 });
    expect(changes).toMatchObject([
      {
        sign: '~',
        kind: 'folders',
        org: 'acme',
        id: 'plans',
        field: 'folderName',
        before: 'Plans',
        after: 'Roadmap',
      },
      { sign: '+', kind: 'users', org: 'acme', id: 'u1', field: null },
    ]);
    const table = await run(JSON.stringify(renamed), 'b.json', {
      folders,
      options: { ...options, output: 'table' },
    });
    expect(table.stdout()).toContain(
      '~ folder plans (acme)\n    folderName: "Plans" → "Roadmap"\n+ user u1 (acme)\n',
    );
    expect(table.stdout()).toMatch(/\nPlan: 1 to create, 1 to update\n$/);
    expect(await holds(folders)).toEqual(before);
  });

  it.each([
    ['state.json', '{"users":[{"organizationId":"acme","userId":"u1"}]}'],
    ['state', ' {"users":[{"organizationId":"acme","userId":"u1"}]}'],
    ['state', 'users: [{organizationId: acme, userId: u1}]'],
    ['STATE.YML', '\ufeffusers: [{organizationId: acme, userId: u1}]'],
  ])('reads %s: %s', async (name, content) => {
    expect(JSON.parse((await run(content, name)).stdout())).toMatchObject({ users: 1 });
  });

  it('reads stdin', async () => {
    const context = await fakeContext({ stdin: YAML, options: { output: 'json' } });
    await localImport(context, { arguments: ['-'], options: {} });
    expect(JSON.parse(context.stdout())).toMatchObject({ users: 2 });
  });

  it('accepts alternative names of ID fields', async () => {
    const folders = await createUserFolders();
    const given = {
      documents: [{ organizationId: 'acme', id: 'd1' }],
      groups: [{ organizationId: 'acme', organizationUserGroupId: 'g1' }],
      agentGroups: [{ id: 'g2', agentIds: [] }],
    };
    await run(JSON.stringify(given), 'state.json', { folders });
    expect(await holds(folders)).toMatchObject({
      documents: [{ documentId: 'd1' }],
      groups: [{ groupId: 'g1' }],
      agentGroups: [{ groupId: 'g2' }],
    });
  });

  it('skips unknown fields with a warning', async () => {
    const folders = await createUserFolders();
    const content = 'folders: [{organizationId: acme, folderId: f1, foldername: One}]';
    const context = await run(content, 'state.yaml', { folders });
    expect(context.stderr()).toBe(
      'warning: state.yaml: folders[0]: skipped unknown fields: foldername\n',
    );
    expect(await holds(folders)).toMatchObject({ folders: [{ folderId: 'f1' }] });
  });

  it('only validates with --dry-run', async () => {
    const folders = await createUserFolders();
    const options = { dryRun: true } as const;
    const context = await run(YAML, 'state.yaml', { folders, options });
    expect(context.stderr()).toBe('--dry-run: nothing was written\n');
    expect(JSON.parse(context.stdout())).toMatchObject({ users: 2 });
    expect((await holds(folders))['users']).toEqual([]);
    const bad = run('groups: [{organizationId: a, groupId: g, userIds: [u]}]', 'state.yaml', {
      folders,
      options,
    });
    await expect(bad).rejects.toMatchObject({ failure: 'invalid_input' });
  });
});

describe('svc local import rejects', () => {
  const user = '{organizationId: acme, userId: u1}';

  it.each([
    [`users: [${user}, {organizationId: acme}]`, 'state.yaml: users[1].userId: is required'],
    [
      'users: [{organizationId: acme, userId: 0123}]',
      'state.yaml: users[0].userId: expected text, got a number: put it in quotes',
    ],
    ['users: [{organizationId: acme, userId: ""}]', 'state.yaml: users[0].userId: is empty'],
    ['users: {}', 'state.yaml: users: expected a list, got an object'],
    ['[]', 'state.yaml: expected an object, got a list'],
    [`user: [${user}]`, "state.yaml: user: unknown field; did you mean 'users'?"],
    [
      'userData: [{organizationId: a, userId: u, comments: [1]}]',
      'state.yaml: userData[0].comments[0]: expected an object',
    ],
    [
      'crdt: [{organizationId: a, documentId: d, editorId: e, type: text, data: 1}]',
      'state.yaml: crdt[0].data: Data must be a string for type text.',
    ],
    [
      'agentGroups: [{groupId: g, agentIds: [a]}]',
      "state.yaml: agentGroups[0].agentIds[0]: agent 'a' does not exist",
    ],
    [
      'config: {webhook: {useWebhookService: 1}}',
      'state.yaml: config.webhook.useWebhookService: expected true or false, got a number',
    ],
    ['endpoints: [{url: "ftp://x"}]', 'state.yaml: endpoints[0].url: not a valid http(s) URL'],
    ['users: [', 'state.yaml:1:9: '],
    [
      'a: 12345678901234567890',
      'state.yaml:1:4: the number 12345678901234567890 would lose digits',
    ],
  ])('%s', async (content, message) => {
    await expect(run(content)).rejects.toMatchObject({
      failure: 'invalid_input',
      message: expect.stringContaining(message),
    });
  });

  it('a file, with all problems and positions', async () => {
    const context = await fakeContext();
    await writeFile(join(context.cwd, 'state.yaml'), 'users: [{}]\nagents: [{id: 1}]\nwhat: 1');
    await expect(
      localImport(context, { arguments: ['state.yaml'], options: {} }),
    ).rejects.toMatchObject({
      failure: 'invalid_input',
      message: 'state.yaml: 4 problems in its records',
    });
    expect(context.stderr().split('\n').toSorted()).toEqual([
      '',
      'state.yaml: agents[0].id: expected text, got a number: put it in quotes',
      'state.yaml: users[0].organizationId: is required',
      'state.yaml: users[0].userId: is required',
      expect.stringMatching(/^state\.yaml: what: unknown field; /),
    ]);
  });

  it.each([
    ['deep.yaml', '['.repeat(50_000)],
    ['deep.json', `{"config":${'['.repeat(50_000)}`],
    [
      'bomb.yaml',
      `a: &a [x,x]\n${'bcdefghij'.replace(/./g, (to, at) => `${to}: &${to} [${`*${'abcdefghij'[at]},`.repeat(9)}]\n`)}`,
    ],
    ['cut.json', '{"users":[{"organizationId":"a'],
    ['table.csv', 'userId\nu1'],
    ['empty.json', ''],
  ])('%s', async (name, content) => {
    await expect(run(content, name)).rejects.toMatchObject({
      failure: 'invalid_input',
      message: expect.stringContaining(name),
    });
  });

  it('a missing file', async () => {
    const context = await fakeContext();
    await expect(
      localImport(context, { arguments: ['none.yaml'], options: {} }),
    ).rejects.toMatchObject({
      failure: 'usage',
      message: 'file not found: none.yaml',
    });
  });
});

const SETTINGS = `svc: 1
stack: acme-core
vars: { hooks: https://hooks.example.com }
config: { webhook: { useWebhookService: true, webhookServiceConfig: { authToken: { env: HOOK_TOKEN } } } }
endpoints: [{ id: ep_1, uid: acme-core.billing, url: "\${hooks}/billing" }]
organizations: [{ organizationId: acme }]
users: { from: users.csv }
environments: { staging: { vars: { hooks: https://staging.example.com } } }
`;

describe('svc local import of a settings file', () => {
  const environment = { HOOK_TOKEN: 'hush-hush' };

  async function importSettings(content: string, given: FakeContextOptions = {}, env?: string) {
    const context = await fakeContext({ environment, ...given });
    await writeFile(join(context.cwd, 'svc.yaml'), content);
    await writeFile(join(context.cwd, 'users.csv'), 'userId,name\n0123,Ada\n');
    const file = given.stdin === undefined ? 'svc.yaml' : '-';
    await localImport(context, { arguments: [file], options: env === undefined ? {} : { env } });
    return context;
  }

  it.each([
    [undefined, 'https://hooks.example.com/billing'],
    ['staging', 'https://staging.example.com/billing'],
  ])('applies environment %s, and reads secrets and the file of users', async (env, url) => {
    const folders = await createUserFolders();
    await importSettings(SETTINGS, { folders }, env);
    expect(await holds(folders)).toMatchObject({
      config: { webhook: { webhookServiceConfig: { authToken: 'hush-hush' } } },
      endpoints: [{ id: 'ep_1', uid: 'acme-core.billing', url }],
      users: [{ organizationId: 'acme', userId: '0123', name: 'Ada' }],
    });
  });

  it('reads stdin, flow style, and a folder', async () => {
    for (const stdin of [
      SETTINGS,
      '{vars: {a: acme}, organizations: [{organizationId: "${a}"}]}',
    ]) {
      const folders = await createUserFolders();
      const { cwd } = await importSettings(SETTINGS, {
        folders,
        stdin,
        cwd: await createTemporaryFolder(),
      });
      expect(await holds(folders)).toMatchObject({ organizations: [{ organizationId: 'acme' }] });
      await localImport(await fakeContext({ folders, environment, cwd }), {
        arguments: ['.'],
        options: {},
      });
      expect(await holds(folders)).toMatchObject({ users: [{ name: 'Ada' }] });
    }
  });

  it.each([
    ['svc: 2', "svc.yaml:1:6: svc: expected 1, got '2'"],
    [
      SETTINGS.replace('ep_1', 'ep_1, uidd: x'),
      "svc.yaml:5:25: endpoints[0].uidd: unknown field; did you mean 'uid'?",
    ],
    [SETTINGS.replace('HOOK_TOKEN', 'NONE'), 'authToken: the environment variable NONE is not set'],
    ['svc: 1\ndocuments: [{organizationId: a, documentId: d, folderId: none}]', 'svc.yaml:2:58: '],
    [SETTINGS.replace('users.csv', 'svc.yaml'), 'svc.yaml:1:1: '],
  ])('refuses %j', async (content, message) => {
    const folders = await createUserFolders();
    await expect(importSettings(content, { folders })).rejects.toMatchObject({
      failure: 'invalid_input',
      message: expect.stringContaining(message),
    });
    expect((await holds(folders))['endpoints']).toEqual([]);
  });
});
