import { describe, expect, it } from 'vitest';
import { added, refused, results, runBulk } from './run-bulk.ts';

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
    records
      .map((record) => `- {${Object.entries(record).map(([key, value]) => `${key}: ${value}`)}}\n`)
      .join(''),
};
const CSV = 'userId,organizationId\na,acme\nb,beta\nc,\nd,gamma\n';

const files = (name: string, records: readonly object[]) => ({
  [name]: FORMS[name]?.(records) ?? '',
});

describe('a record for another organization than the command', () => {
  it.each<[string, string, readonly number[]]>([
    ['u.json', FORMS['u.json']?.(LINES) ?? '', [2, 4]],
    ['u.ndjson', FORMS['u.ndjson']?.(LINES) ?? '', [2, 4]],
    ['u.yaml', FORMS['u.yaml']?.(LINES) ?? '', [2, 4]],
    ['u.csv', CSV, [3, 5]],
  ])(
    'is rejected in %s with every line named, and nothing is sent',
    async (name, text, [first, second]) => {
      const { exitCode, error, requests } = await runBulk({ files: { [name]: text } });
      expect([exitCode, requests]).toEqual([3, []]);
      expect(error?.message).toBe(
        `2 problems: ${name}:${first}: organizationId: 'beta' differs from 'acme', the target of all records; ` +
          `${name}:${second}: organizationId: 'gamma' differs from 'acme', the target of all records`,
      );
      expect(error?.hint).toContain('to send records to several targets, omit --org');
    },
  );

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
    const renamed = await runBulk({
      files: { 'u.csv': text },
      options: { map: [['tenant', 'organizationId']] },
    });
    expect([renamed.exitCode, renamed.requests]).toEqual([3, []]);
    const left = await runBulk({
      files: { 'u.csv': CSV },
      options: { map: [['organizationId', '']] },
    });
    expect([left.exitCode, left.requests[0]?.users.length]).toEqual([0, 4]);
  });
});

describe('a record that repeats the target of the command', () => {
  it.each(Object.keys(FORMS))(
    'is sent without the target from %s, without a warning',
    async (name) => {
      const records = ['0123', '0456'].map((userId) => ({ userId, organizationId: '0777' }));
      const { exitCode, requests, stderr } = await runBulk({
        data: { organizationId: '0777' },
        // Without quotes in YAML the IDs look like numbers.
        files: files(name, records),
      });
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(requests).toEqual([
        { organizationId: '0777', users: [{ userId: '0123' }, { userId: '0456' }] },
      ]);
    },
  );

  it('is rejected unchanged', async () => {
    const { read } = await runBulk({
      files: files('u.ndjson', LINES.slice(0, 1)),
      answer: () => results({ a: { success: false, message: 'no' } }),
    });
    expect(await read('u.rejects.ndjson')).toBe('{"userId":"a","organizationId":"acme"}\n');
  });

  it('can be mixed with other records that are sent unchanged', async () => {
    const { requests } = await runBulk({
      files: files('u.ndjson', [{ userId: 'z', n: 1 }, ...LINES.slice(0, 1)]),
    });
    expect(requests[0]?.users).toEqual([{ userId: 'z', n: 1 }, { userId: 'a' }]);
  });
});

describe('the other fields of a target', () => {
  it.each([
    ['documentId', { documentId: 'd1' }, 'd2', "'d2' differs from 'd1', the target of all records"],
    ['folderId', { folderId: 'f1' }, 'f2', "'f2' differs from 'f1', the target of all records"],
  ])('are checked as well: %s beside %j', async (field, given, stated, message) => {
    const records = [{ userId: 'a', [field]: stated }];
    const refused = await runBulk({
      data: { organizationId: 'acme', ...given },
      files: files('u.json', records),
    });
    expect([refused.exitCode, refused.error?.message]).toEqual([
      3,
      `u.json:1: ${field}: ${message}`,
    ]);
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
    expect([exitCode, requests]).toEqual([
      0,
      [{ organizationId: 'acme', folderId: 'f1', documents: [{ documentId: 'd1' }] }],
    ]);
  });
});

describe('records that name their targets', () => {
  const sent = (
    requests: readonly { organizationId?: unknown; users: readonly { userId: string }[] }[],
  ) =>
    requests.map(({ organizationId, users }) => [
      organizationId,
      users.map(({ userId }) => userId).join(''),
    ]);

  it.each([...Object.keys(FORMS), 'u.csv'])(
    'are sent together for each target from %s',
    async (name) => {
      const records = 'abcdef'
        .split('')
        .map((userId, at) => ({ userId, organizationId: ['beta', 'acme', '0777'][at % 3] ?? '' }));
      const csv = `userId,organizationId\n${records.map(({ userId, organizationId }) => `${userId},${organizationId}\n`).join('')}`;
      const { exitCode, requests, summary } = await runBulk({
        data: {},
        files: { [name]: FORMS[name]?.(records) ?? csv },
      });
      expect([exitCode, sent(requests)]).toEqual([
        0,
        [
          ['0777', 'cf'],
          ['acme', 'be'],
          ['beta', 'ad'],
        ],
      ]);
      expect(summary.organizations).toEqual(
        ['0777', 'acme', 'beta'].map((id) => ({
          id,
          total: 2,
          succeeded: 2,
          failed: 0,
          new: true,
        })),
      );
    },
  );

  it('keep their order if it takes few more requests', async () => {
    const records = ['beta', 'beta', 'acme', 'acme'].map((organizationId, at) => ({
      userId: `${at}`,
      organizationId,
    }));
    const { requests } = await runBulk({ data: {}, files: files('u.ndjson', records) });
    expect(sent(requests)).toEqual([
      ['beta', '01'],
      ['acme', '23'],
    ]);
  });

  it('may have the same ID in different targets, but not in one', async () => {
    const records = ['acme', 'beta', 'acme'].map((organizationId) => ({
      userId: 'a',
      organizationId,
    }));
    const { exitCode, error } = await runBulk({ data: {}, files: files('u.ndjson', records) });
    expect([exitCode, error?.message]).toEqual([3, "u.ndjson:3: userId: 'a' is already on line 1"]);
    const last = await runBulk({
      data: {},
      files: files('u.ndjson', records),
      options: { duplicates: 'last' },
    });
    expect([last.exitCode, sent(last.requests), last.summary.skipped]).toEqual([
      0,
      [
        ['acme', 'a'],
        ['beta', 'a'],
      ],
      1,
    ]);
  });

  it('are reported with their original lines and texts, and their organizations', async () => {
    const records = ['beta', 'acme', 'beta', 'acme'].map((organizationId, at) => ({
      userId: `u${at}`,
      organizationId,
    }));
    const { summary, read, exitCode } = await runBulk({
      data: {},
      files: files('u.ndjson', records),
      options: { results: 'r.ndjson' },
      answer: (users) =>
        results(
          Object.fromEntries(
            users.map(({ userId }) => [userId, { success: userId !== 'u1' && userId !== 'u2' }]),
          ),
        ),
    });
    expect(exitCode).toBe(10);
    expect(summary.failures).toMatchObject([
      { id: 'u1', line: 2 },
      { id: 'u2', line: 3 },
    ]);
    expect(await read('u.rejects.ndjson')).toBe(
      '{"userId":"u1","organizationId":"acme"}\n{"userId":"u2","organizationId":"beta"}\n',
    );
    expect((await read('r.ndjson'))?.split('\n')[0]).toContain(
      '"id":"u1","organizationId":"acme","line":2',
    );
    expect(summary.organizations).toEqual(
      ['acme', 'beta'].map((id) => ({ id, total: 2, succeeded: 1, failed: 1, new: true })),
    );
  });

  it('are divided between shards by ID, each with all its targets', async () => {
    const records = 'abcdefghij'
      .split('')
      .map((userId, at) => ({ userId, organizationId: at % 2 ? 'acme' : 'beta' }));
    const shards = await Promise.all(
      [1, 2, 3].map((part) =>
        runBulk({
          data: {},
          files: files('u.ndjson', records),
          options: { shard: { part, of: 3 } },
        }),
      ),
    );
    const ids = shards.flatMap(({ requests }) =>
      requests.flatMap(({ users }) => users.map(({ userId }) => userId)),
    );
    expect(ids.toSorted().join('')).toBe('abcdefghij');
    const organizations = shards.flatMap(({ summary }) => summary.organizations);
    const total = (id: string) =>
      organizations.filter((each) => each.id === id).reduce((sum, each) => sum + each.total, 0);
    expect([total('acme'), total('beta')]).toEqual([5, 5]);
    for (const { requests } of shards)
      for (const { users } of requests) expect(users.length).toBeGreaterThan(0);
  });

  it('fail together if the service does not find the target', async () => {
    const records = ['beta', 'acme', 'beta', 'acme'].map((organizationId, at) => ({
      userId: `u${at}`,
      organizationId,
    }));
    const { summary, requests } = await runBulk({
      data: {},
      files: files('u.ndjson', records),
      answer: (users, _, data) =>
        data['organizationId'] === 'acme' ? refused('NOT_FOUND', 404) : added(users),
    });
    expect([summary.succeeded, summary.failed, requests.length]).toEqual([2, 2, 2]);
  });

  it('must be named by the command or by the records', async () => {
    const { exitCode, error, requests } = await runBulk({
      data: {},
      files: files('u.ndjson', [{ userId: 'a' }]),
    });
    expect([exitCode, error?.message, requests]).toEqual([2, '--org is required', []]);
    expect(error?.hint).toContain("add --org <id>, or a field 'organizationId' to each record");
  });
});
