import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient, createService } from '../../src/index.ts';
import { newUserInProcess, runInProcess } from './in-process.ts';

const MEANT = "hint: did you mean 'acme'?\n";

/** Ways to name an organization, and the exit code and message if it ends with a space. */
const SOURCES: readonly (readonly [
  words: readonly string[],
  files: Readonly<Record<string, string>>,
  code: number,
  message: string,
])[] = [
  [['users', 'add', '--org', 'acme ', '--user', 'u'], {}, 2, `svc: --org must not`],
  [['users', 'add', '--org', 'acme ', '--file', 'u.csv'], { 'u.csv': 'userId\nu\n' }, 2, '--org '],
  [['folders', 'list', '--org', 'acme '], {}, 2, '--org must not'],
  [['pull', '--org', 'acme '], {}, 2, '--org: the organization ID must not'],
  [['folders', 'list'], { '.svc.json': '{"org":"acme "}' }, 2, '.svc.json: the organization ID '],
  [['users', 'add', '--org', 'acme', '--folder', 'acme ', '--user', 'u'], {}, 2, '--folder must'],
  [['documents', 'add', '--org', 'acme', '--document', 'acme '], {}, 2, '--document must not'],
  [
    ['documents', 'migrate', '--document', 'd', '--new-document', 'acme ', '--org', 'a', '--yes'],
    {},
    2,
    '--new-document must not',
  ],
  [
    ['permissions', 'add', '--user', 'u', '--resource', 'type=organization,id=acme '],
    {},
    2,
    '--resource id must not',
  ],
  [
    ['users', 'add', '--data', '{"organizationId":"acme ","users":[{"userId":"u"}]}'],
    {},
    3,
    'organizationId must not',
  ],
  [
    ['users', 'add', '--data', '{"users":[{"userId":"u"}]}', '--org', 'acme '],
    {},
    3,
    '--org must not',
  ],
  [
    ['documents', 'add', '--data', '{"organizationId":"a","documents":[{"documentId":"acme "}]}'],
    {},
    3,
    '--data:1: documentId: must not',
  ],
  [
    ['users', 'add', '--file', 'u.csv'],
    { 'u.csv': 'organizationId,userId\nacme,u\n"acme ",v\n' },
    3,
    'u.csv:3: organizationId: must not',
  ],
  [
    ['folders', 'add', '--org', 'a', '--file', 'f.json'],
    { 'f.json': '[{"folderId":"f","parentFolderId":"acme "}]' },
    3,
    'parentFolderId: must not',
  ],
  [
    ['plan'],
    { 'svc.yaml': 'svc: 1\nfolders: [{ organizationId: "acme ", folderId: f }]\n' },
    3,
    'svc.yaml:2:29: folders[0].organizationId: must not',
  ],
  [
    ['plan'],
    {
      'svc.yaml': 'svc: 1\nusers: { from: u.csv }\n',
      'u.csv': 'organizationId,userId\n"acme ",u\n',
    },
    3,
    'u.csv:2:',
  ],
];

describe('an ID with a space at its end', () => {
  it.each(SOURCES)('is refused by svc %j with %j', async (words, files, code, message) => {
    const user = await newUserInProcess();
    for (const [name, text] of Object.entries(files)) await writeFile(join(user.home, name), text);
    const run = await user.svc([...words, '--local'], { cwd: user.home });
    expect(run).toMatchObject({ code, stderr: expect.stringContaining(message) });
    expect(run.stderr).toContain("'acme '");
    if (code === 2 && words[1] !== 'add') expect(run.stderr).toContain(MEANT);
    const organizations = await user.svc(['local', 'list', 'organizations', '-o', 'ndjson']);
    expect(organizations.stdout).toBe('');
  });

  it('is refused by profiles, and stripped in a variable', async () => {
    const user = await newUserInProcess();
    const profile = ['profiles', 'add', 'p', '--base-url', 'http://127.0.0.1:1', '--org', 'acme '];
    expect(await user.svc(profile)).toMatchObject({ code: 2 });
    const env = { SVC_ORG: 'acme \r\n' };
    expect(await user.svc(['users', 'add', '--local', '--user', 'u'], { env })).toMatchObject({
      stdout: 'Added user u to acme\n',
    });
  });

  it.each([
    ['"acme"', 'must not be in quotes', MEANT],
    ["'acme'", 'must not be in quotes', MEANT],
    ['«acme»', 'must not be in typographic quotes', MEANT],
    // Neither of two IDs is meant.
    ['acme\nbeta', 'must not contain invisible characters', ''],
  ])('is refused like %j in a variable', async (SVC_ORG, message, advice) => {
    const user = await newUserInProcess();
    const { code, stderr } = await user.svc(['folders', 'list', '--local'], { env: { SVC_ORG } });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr.endsWith(advice)).toBe(true);
    expect(stderr.includes('did you mean')).toBe(advice !== '');
  });

  it('can be replaced in a check of a file', async () => {
    const user = await newUserInProcess();
    await writeFile(join(user.home, 'u.csv'), 'organizationId,userId\n"acme ",u\n');
    const validate = ['users', 'validate', '--file', 'u.csv'];
    const inHome = { cwd: user.home };
    expect(await user.svc(validate, inHome)).toMatchObject({ code: 3 });
    expect(await user.svc([...validate, '--map-org', 'acme =acme'], inHome)).toMatchObject({
      code: 0,
    });
    expect(await user.svc([...validate, '--org', 'acme '], inHome)).toMatchObject({ code: 2 });
  });

  it('is refused by the library', async () => {
    const service = await createService();
    const client = createClient(service.client);
    const input = { organizationId: 'acme ', users: [{ userId: 'u' }] };
    await expect(client.call('users.add', input)).rejects.toMatchObject({
      failure: 'invalid_input',
      message: "organizationId must not begin or end with white space, got 'acme '",
    });
    await service.close();
  });

  it('can be reached with svc api, and is visible in a table', async () => {
    const { svc, home } = await newUserInProcess();
    const add = ['api', '/v1/users/add', '--local', '--data'];
    const body = '{"organizationId":"acme ","users":[{"userId":"u"}]}';
    expect(await svc([...add, body])).toMatchObject({ code: 0 });
    const list = ['local', 'list', 'organizations', '--fields', 'organizationId'];
    expect(await svc(list)).toMatchObject({ stdout: "ORGANIZATION\n'acme '\n" });
    expect(await svc([...list, '-o', 'csv'])).toMatchObject({
      stdout: 'organizationId\r\nacme \r\n',
    });
    await svc(['local', 'export', 'state.json']);
    const copy = { cwd: home, env: { HOME: join(home, 'copy') } };
    expect(await runInProcess(['local', 'import', 'state.json'], copy)).toMatchObject({ code: 0 });
  });
});
