import { describe, expect, it } from 'vitest';
import { results, runBulk } from './run-bulk.ts';

const LINES = [
  { userId: 'a', organizationId: 'acme' },
  { userId: 'b', organizationId: 'beta' },
  { userId: 'c' },
  { userId: 'd', organizationId: 'gamma' },
];
const FORMS: Readonly<Record<string, (records: readonly object[]) => string>> = {
  'u.json': (records) => `[${records.map((record) => JSON.stringify(record)).join(',\n')}]`,
  'u.ndjson': (records) => records.map((record) => JSON.stringify(record)).join('\n'),
  'u.yaml': (records) =>
    records.map((record) => `- {${Object.entries(record).map(([key, value]) => `${key}: ${value}`)}}\n`).join(''),
};
const CSV = 'userId,organizationId\na,acme\nb,beta\nc,\nd,gamma\n';

const files = (name: string, records: readonly object[]) => ({ [name]: FORMS[name]?.(records) ?? '' });

describe('a record for another organization than the command', () => {
  it.each<[string, string, readonly number[]]>([
    ['u.json', FORMS['u.json']?.(LINES) ?? '', [2, 4]],
    ['u.ndjson', FORMS['u.ndjson']?.(LINES) ?? '', [2, 4]],
    ['u.yaml', FORMS['u.yaml']?.(LINES) ?? '', [2, 4]],
    ['u.csv', CSV, [3, 5]],
  ])('is rejected in %s with every line named, and nothing is sent', async (name, text, [first, second]) => {
    const { exitCode, error, requests } = await runBulk({ files: { [name]: text } });
    expect([exitCode, requests]).toEqual([3, []]);
    expect(error?.message).toBe(
      `2 problems: ${name}:${first}: organizationId: 'beta' differs from 'acme', the target of all records; ` +
        `${name}:${second}: organizationId: 'gamma' differs from 'acme', the target of all records`,
    );
    expect(error?.hint).toContain('a job sends to one target');
  });

  it('is rejected in --data', async () => {
    const data = { organizationId: 'acme', users: LINES };
    const { exitCode, requests } = await runBulk({ files: {}, data, usesDataFlag: true });
    expect([exitCode, requests]).toEqual([3, []]);
  });

  it('is rejected if only its ID is sent', async () => {
    const { exitCode, requests } = await runBulk({
      operation: 'groups.add-users',
      data: { organizationId: 'acme', organizationUserGroupId: 'legal' },
      files: files('u.json', LINES),
    });
    expect([exitCode, requests]).toEqual([3, []]);
  });

  it('is rejected under a name restored by --map, and sent if --map drops the field', async () => {
    const text = 'userId,tenant\na,beta\n';
    const renamed = await runBulk({ files: { 'u.csv': text }, options: { map: [['tenant', 'organizationId']] } });
    expect([renamed.exitCode, renamed.requests]).toEqual([3, []]);
    const left = await runBulk({ files: { 'u.csv': CSV }, options: { map: [['organizationId', '']] } });
    expect([left.exitCode, left.requests[0]?.users.length]).toEqual([0, 4]);
  });
});

describe('a record that repeats the target of the command', () => {
  it.each(Object.keys(FORMS))('is sent without the target from %s, without a warning', async (name) => {
    const records = ['0123', '0456'].map((userId) => ({ userId, organizationId: '0777' }));
    const { exitCode, requests, stderr } = await runBulk({
      data: { organizationId: '0777' },
      // Without quotes in YAML the IDs look like numbers.
      files: files(name, records),
    });
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(requests).toEqual([{ organizationId: '0777', users: [{ userId: '0123' }, { userId: '0456' }] }]);
  });

  it('is rejected unchanged', async () => {
    const { read } = await runBulk({
      files: files('u.ndjson', LINES.slice(0, 1)),
      answer: () => results({ a: { success: false, message: 'no' } }),
    });
    expect(await read('u.rejects.ndjson')).toBe('{"userId":"a","organizationId":"acme"}\n');
  });

  it('can be mixed with other records that are sent unchanged', async () => {
    const { requests } = await runBulk({ files: files('u.ndjson', [{ userId: 'z', n: 1 }, ...LINES.slice(0, 1)]) });
    expect(requests[0]?.users).toEqual([{ userId: 'z', n: 1 }, { userId: 'a' }]);
  });
});

describe('the other fields of a target', () => {
  it.each([
    ['documentId', { documentId: 'd1' }, 'd2', "'d2' differs from 'd1', the target of all records"],
    ['folderId', { folderId: 'f1' }, 'f2', "'f2' differs from 'f1', the target of all records"],
    ['documentId', {}, 'd2', "the record is for 'd2', but the command does not set documentId"],
  ])('are checked as well: %s beside %j', async (field, given, stated, message) => {
    const records = [{ userId: 'a', [field]: stated }];
    const refused = await runBulk({ data: { organizationId: 'acme', ...given }, files: files('u.json', records) });
    expect([refused.exitCode, refused.error?.message]).toEqual([3, `u.json:1: ${field}: ${message}`]);
    const data = { organizationId: 'acme', [field]: stated };
    expect((await runBulk({ data, files: files('u.json', records) })).requests).toEqual([
      { ...data, users: [{ userId: 'a' }] },
    ]);
  });

  it('belong to the records if records have such an ID', async () => {
    const { exitCode, requests } = await runBulk({
      operation: 'documents.add',
      data: { organizationId: 'acme', folderId: 'f1' },
      files: files('u.json', [{ documentId: 'd1', folderId: 'f1' }]),
      answer: () => results({ d1: { success: true } }),
    });
    expect([exitCode, requests]).toEqual([0, [{ organizationId: 'acme', folderId: 'f1', documents: [{ documentId: 'd1' }] }]]);
  });
});
