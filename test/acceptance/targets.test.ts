import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

/** A user with a service that accepts every record, and the organization of each request. */
async function openUser() {
  const sent: string[] = [];
  const service = await startMockService(({ body }) => {
    const { data } = body;
    const records = (data['users'] ?? data['documents']) as readonly Record<string, string>[];
    const ids = records.map(({ userId, documentId }) => userId ?? documentId ?? '');
    sent.push(`${String(data['organizationId'])}: ${ids.join(' ')}`);
    return success(Object.fromEntries(ids.map((id) => [id, { success: true }])));
  });
  const user = await newUserInProcess();
  return {
    sent,
    write: (name: string, text: string) => writeFile(join(user.home, name), text),
    run: (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      user.svc(words, { env: { ...service.env, ...env } }),
  };
}

const SHAPES: readonly (readonly [name: string, file: string, text: string])[] = [
  [
    'before a JSON list',
    'users.json',
    '{"organizationId":"beta","users":[{"userId":"a"},{"userId":"b"}]}',
  ],
  [
    'after a JSON list',
    'users.json',
    '{"users":[{"userId":"a"},{"userId":"b"}],"organizationId":"beta"}',
  ],
  [
    'before a YAML list',
    'users.yaml',
    'organizationId: beta\nusers:\n  - userId: a\n  - userId: b\n',
  ],
  [
    'after a YAML list',
    'users.yaml',
    'users:\n  - userId: a\n  - userId: b\norganizationId: beta\n',
  ],
  [
    'beside a YAML list in brackets',
    'users.yaml',
    'organizationId: beta\nusers: [{userId: a}, {userId: b}]\n',
  ],
];

describe.each(SHAPES)('a target %s', (_, file, text) => {
  const add = ['users', 'add', '--file', file];

  it('that differs from a flag is refused', async () => {
    const { sent, write, run } = await openUser();
    await write(file, text);
    const { code, stderr } = await run([...add, '--org', 'acme']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^svc: users\.(?:json|yaml):[14]:\d+: /);
    expect(stderr).toContain(
      "organizationId: 'beta' differs from 'acme', the target of all records",
    );
    expect(sent).toEqual([]);
  });

  it('that equals a flag is accepted', async () => {
    const { sent, write, run } = await openUser();
    await write(file, text);
    expect((await run([...add, '--org', 'beta'])).stderr).toBe('');
    expect(sent).toEqual(['beta: a b']);
  });

  it('is used without a flag, also instead of the organization in the settings', async () => {
    const { sent, write, run } = await openUser();
    await write(file, text);
    const plain = await run(add);
    expect([plain.code, plain.stderr]).toEqual([0, '']);
    const other = await run(add, { SVC_ORG: 'acme' });
    expect([other.code, other.stderr]).toEqual([
      0,
      `using the organizations in ${file} instead of acme (SVC_ORG)\n`,
    ]);
    const same = await run(add, { SVC_ORG: 'beta' });
    expect([same.code, same.stderr]).toEqual([0, '']);
    expect(sent).toEqual(['beta: a b', 'beta: a b', 'beta: a b']);
  });

  it('is ignored if --map drops it', async () => {
    const { sent, write, run } = await openUser();
    await write(file, text);
    const { code, stderr } = await run([...add, '--org', 'acme', '--map', 'organizationId=']);
    expect([code, stderr]).toEqual([0, '']);
    expect(sent).toEqual(['acme: a b']);
  });

  it('is used under another name with --map', async () => {
    const { sent, write, run } = await openUser();
    await write(file, text.replace('organizationId', 'tenant'));
    const { code, stderr } = await run([...add, '--map', 'tenant=organizationId']);
    expect([code, stderr]).toEqual([0, '']);
    expect(sent).toEqual(['beta: a b']);
  });
});

describe('a target in a record', () => {
  it('that differs from the one beside the list is refused at its line', async () => {
    const { sent, write, run } = await openUser();
    await write(
      'users.json',
      '{"organizationId":"beta","users":[\n{"userId":"a"},\n{"userId":"b","organizationId":"gamma"}]}',
    );
    const { code, stderr } = await run(['users', 'add', '--file', 'users.json']);
    expect(code).toBe(3);
    expect(stderr).toContain(
      "users.json:3:1: organizationId: 'gamma' differs from 'beta', which the file sets for all records",
    );
    expect(sent).toEqual([]);
  });

  it('may differ between files', async () => {
    const { sent, write, run } = await openUser();
    await write('a.json', '{"organizationId":"beta","users":[{"userId":"a"}]}');
    await write('b.yaml', 'users:\n- userId: b\norganizationId: acme\n');
    const files = ['--file', 'a.json', '--file', 'b.yaml'];
    const { code, stderr } = await run(['users', 'add', ...files, '--create-organization']);
    expect([code, stderr]).toEqual([0, '']);
    expect(sent.toSorted()).toEqual(['acme: b', 'beta: a']);
  });

  it.each([
    ['users.csv', 'userId,Organization ID\na,beta\n'],
    ['users.ndjson', '{"userId":"a","organization_id":"beta"}\n'],
    ['users.yaml', '- userId: a\n  OrganizationId: beta\n'],
  ])('under a similar name is refused unless mapped or dropped: %s', async (file, text) => {
    const { sent, write, run } = await openUser();
    await write(file, text);
    const [column = ''] = /organization.?id/i.exec(text) ?? [];
    const add = ['users', 'add', '--file', file];
    const refused = await run([...add, '--org', 'acme']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`the field '${column}' looks like 'organizationId'`);
    expect(sent).toEqual([]);
    expect((await run([...add, '--map', `${column}=organizationId`])).code).toBe(0);
    expect((await run([...add, '--org', 'acme', '--map', `${column}=`])).code).toBe(0);
    expect(sent).toEqual(['beta: a', 'acme: a']);
  });
});

describe('a field beside the records', () => {
  const documents = (fields: string) => `{${fields},"documents":[{"documentId":"d1"}]}`;

  it.each([
    ['"folder":"f1"', 'folder', 'folderId'],
    ['"folder_id":"f1"', 'folder_id', 'folderId'],
    ['"org":"beta"', 'org', 'organizationId'],
    ['"organisationId":"beta"', 'organisationId', 'organizationId'],
  ])('that is close to a known one is refused: %s', async (fields, name, known) => {
    const { sent, write, run } = await openUser();
    await write('documents.json', documents(fields));
    const add = ['documents', 'add', '--org', 'acme'];
    for (const words of [
      [...add, '--file', 'documents.json'],
      [...add, '--data', documents(fields)],
      [...add, '--data', '@documents.json'],
    ]) {
      const { code, stderr } = await run(words);
      expect([code, words]).toEqual([3, words]);
      expect(stderr).toContain(`unknown field '${name}'`);
      expect(stderr).toContain(`did you mean '${known}'?`);
    }
    expect(sent).toEqual([]);
  });

  it('that is close to none is ignored with a warning', async () => {
    const { sent, write, run } = await openUser();
    await write('documents.json', documents('"exportedAt":"2026-01-31"'));
    const add = ['documents', 'add', '--org', 'acme'];
    const fromFile = await run([...add, '--file', 'documents.json']);
    expect([fromFile.code, fromFile.stderr]).toEqual([
      0,
      "warning: documents.json:1: 'exportedAt' is ignored; only the records beside it are read\n",
    ]);
    const fromData = await run([...add, '--data', documents('"exportedAt":"2026-01-31"')]);
    expect(fromData.code).toBe(0);
    expect(fromData.stderr).toContain("--data: unknown field 'exportedAt' is sent unchanged");
    expect(sent).toEqual(['acme: d1', 'acme: d1']);
  });

  it('that is known but applies to no record is refused', async () => {
    const { write, run } = await openUser();
    await write('users.json', '{"createOrganization":true,"users":[{"userId":"a"}]}');
    const { code, stderr } = await run(['users', 'add', '--org', 'acme', '--file', 'users.json']);
    expect(code).toBe(3);
    expect(stderr).toContain("'createOrganization' is not read beside 'users'");
  });
});

describe('failed records of a file with a target beside its list', () => {
  it.each([
    ['users.json', '{"organizationId":"beta","users":[{"userId":"a"},{"userId":"bad"}]}'],
    ['users.yaml', 'users:\n- userId: a\n- userId: bad\norganizationId: beta\n'],
  ])('are written with their target: %s', async (file, text) => {
    const organizations: unknown[] = [];
    const service = await startMockService(({ body }) => {
      organizations.push(body.data['organizationId']);
      const users = body.data['users'] as readonly { readonly userId: string }[];
      return success(
        Object.fromEntries(users.map(({ userId }) => [userId, { success: userId !== 'bad' }])),
      );
    });
    const user = await newUserInProcess();
    await writeFile(join(user.home, file), text);
    const add = (name: string) => user.svc(['users', 'add', '--file', name], { env: service.env });
    const { code, stderr } = await add(file);
    expect([code, stderr]).toEqual([10, expect.stringContaining('users.rejects')]);
    expect((await add(file.replace('.', '.rejects.'))).code).toBe(3);
    expect(organizations).toEqual(['beta', 'beta']);
  });
});
