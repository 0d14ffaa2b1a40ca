import { describe, expect, it } from 'vitest';
import { type BulkScenario, results, runBulk } from './run-bulk.ts';

const FILES = {
  'a.json': '[\n{"userId":"a1"},\n  {"userId": "a2",\n  "name": "Ä"}]',
  'b.csv': 'userId,name\nb1,B\nb2,"x\ny"\n',
  'c.yaml': '- userId: c1\n- userId: "0123"\n',
};

const no = { success: false, message: 'no', code: 'internal-ish' };

/** Sends users in batches of three. The users with the given IDs fail. */
const run = ({
  options,
  failing = [],
  ...scenario
}: BulkScenario & { readonly failing?: readonly string[] }) =>
  runBulk({
    files: FILES,
    answer: (users) =>
      results(
        Object.fromEntries(
          users.map(({ userId }) => [userId, failing.includes(userId) ? no : { success: true }]),
        ),
      ),
    ...scenario,
    options: { batchSize: 4, file: Object.keys(scenario.files ?? FILES), ...options },
  });

const linesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('records of several files', () => {
  it('are one job, with batches that span files', async () => {
    const { requests, summary, exitCode } = await run({});
    expect(requests.map(({ users }) => users.map(({ userId }) => userId))).toEqual([
      ['a1', 'a2', 'b1', 'b2'],
      ['c1', '0123'],
    ]);
    expect([exitCode, summary.total, summary.succeeded, summary.failures]).toEqual([0, 6, 6, []]);
  });

  it('are identified by file and line in every output', async () => {
    const { summary, read, created } = await run({
      failing: ['a2', 'b2', '0123'],
      options: { results: 'all.ndjson' },
    });
    expect(summary.failures).toEqual([
      { id: 'a2', file: 'a.json', line: 3, message: 'no', code: 'internal-ish' },
      { id: 'b2', file: 'b.csv', line: 3, message: 'no', code: 'internal-ish' },
      { id: '0123', file: 'c.yaml', line: 2, message: 'no', code: 'internal-ish' },
    ]);
    expect(linesIn(await read('all.ndjson')).map(({ id, file, line }) => [id, file, line])).toEqual(
      [
        ['a1', 'a.json', 2] as const,
        ['a2', 'a.json', 3] as const,
        ['b1', 'b.csv', 2] as const,
        ['b2', 'b.csv', 3] as const,
        ['c1', 'c.yaml', 1] as const,
        ['0123', 'c.yaml', 2] as const,
      ],
    );
    const reasons = linesIn(await read('users.rejects.ndjson.reasons.ndjson'));
    expect(reasons.map(({ id, file, line }) => [id, file, line])).toEqual([
      ['a2', 'a.json', 3] as const,
      ['b2', 'b.csv', 3] as const,
      ['0123', 'c.yaml', 2] as const,
    ]);
    expect(created).toHaveLength(3);
  });

  it('are listed with their file in the table', async () => {
    const { stdout } = await run({ failing: ['b2'], global: { output: 'table' } });
    expect(stdout).toMatch(/FILE +LINE +ID +MESSAGE +CODE\nb\.csv +3 +b2 +no/);
  });

  it('of different formats are rejected as NDJSON, which can be sent again', async () => {
    const failing = ['a2', 'b2', '0123'];
    const first = await run({ failing });
    const text = await first.read('users.rejects.ndjson');
    expect(linesIn(text)).toEqual([
      { userId: 'a2', name: 'Ä' },
      { userId: 'b2', name: 'x\ny' },
      { userId: '0123' },
    ]);
    const again = await run({ files: { 'users.rejects.ndjson': text } });
    const before = first.requests
      .flatMap(({ users }) => users)
      .filter(({ userId }) => failing.includes(userId));
    expect(again.requests[0]?.users).toEqual(before);
  });

  it('of the same format are rejected in that format', async () => {
    const files = { 'jan.csv': 'userId;name\nj;1\n', 'feb.csv': 'userId;name\nf;2\n' };
    const { summary, read } = await run({ files, failing: ['j', 'f'] });
    expect(summary.rejects).toBe('users.rejects.csv');
    expect(await read('users.rejects.csv')).toBe('userId;name\nj;1\nf;2\n');
  });

  it('with different headers count as different formats', async () => {
    const files = { 'jan.csv': 'userId,name\nj,1\n', 'feb.csv': 'name,userId\n2,f\n' };
    const { read } = await run({ files, failing: ['j', 'f'] });
    expect(linesIn(await read('users.rejects.ndjson'))).toEqual([
      { userId: 'j', name: '1' },
      { userId: 'f', name: '2' },
    ]);
  });

  it('keep their generated IDs in the rejects file', async () => {
    const add = (text: Readonly<Record<string, string>>) =>
      run({
        operation: 'activities.add',
        files: text,
        data: { organizationId: 'o', documentId: 'd' },
        answer: (_, __, { activities }) =>
          results(Object.fromEntries((activities as { id: string }[]).map(({ id }) => [id, no]))),
      });
    const one = '"featureType":"comment","actionType":"x","actionUser":{"userId":"u"}';
    const { read, requests } = await add({ 'a.json': `[{${one}}]`, 'b.ndjson': `{${one}}\n` });
    const [{ activities }] = requests as unknown as [{ activities: readonly { id: string }[] }];
    expect(linesIn(await read('activities.rejects.ndjson'))).toEqual(activities);
    expect(new Set(activities.map(({ id }) => id)).size).toBe(2);
  });

  it.each([
    ['auto' as const, 1],
    [3, 3],
  ])(
    'that depend on each other are sent in order, with concurrency %s at most %d in flight',
    async (concurrency, most) => {
      const folders = Array.from({ length: 40 }, (_, at) => ({
        folderId: `f${at}`,
        folderName: 'x',
      }));
      const parts = [folders.slice(0, 15), folders.slice(15)].map((part) => JSON.stringify(part));
      let [flying, reached] = [0, 0];
      const { requests, exitCode } = await run({
        operation: 'folders.add',
        files: { 'a.json': parts[0] ?? '', 'b.json': parts[1] ?? '' },
        options: { concurrency, batchSize: 2 },
        answer: async (_, __, data) => {
          flying += 1;
          reached = Math.max(reached, flying);
          await new Promise((resolve) => setTimeout(resolve, 1));
          flying -= 1;
          const sent = data['folders'] as readonly { readonly folderId: string }[];
          return results(
            Object.fromEntries(sent.map(({ folderId }) => [folderId, { success: true }])),
          );
        },
      });
      expect([exitCode, reached]).toEqual([0, most]);
      const sent = requests.flatMap(
        (data) => (data as unknown as { folders: readonly unknown[] }).folders,
      );
      expect(sent).toEqual(folders);
    },
  );

  it('are sent with mapped fields and rejected unchanged, so that the same --map applies again', async () => {
    const files = {
      'a.json': '[{"Login": "a1"},\n{"Login": "a2", "x": 1}]',
      'b.json': '[{"Login":"b1"}]',
    };
    const options = { map: [['Login', 'userId'] as const, ['x', ''] as const] };
    const { requests, read } = await run({ files, options, failing: ['a2'] });
    expect(requests.flatMap(({ users }) => users)).toEqual([
      { userId: 'a1' },
      { userId: 'a2' },
      { userId: 'b1' },
    ]);
    expect(await read('users.rejects.json')).toBe('[\n{"Login": "a2", "x": 1}\n]\n');
  });

  it("of different formats are rejected with the service's field names", async () => {
    const files = { 'a.csv': 'Login\na\n', 'b.json': '[{"Login":"b"}]' };
    const options = { map: [['Login', 'userId'] as const] };
    const { read } = await run({ files, options, failing: ['a', 'b'] });
    expect(linesIn(await read('users.rejects.ndjson'))).toEqual([{ userId: 'a' }, { userId: 'b' }]);
  });

  it.each<[string, BulkScenario['options'], string]>([
    [
      'a name for rejects that says another format',
      { rejects: 'again.csv' },
      '--rejects must be an .ndjson file if the inputs differ in format, got again.csv',
    ],
    ['a file twice', { file: ['a.json', 'a.json'] }, '--file: a.json is given twice'],
    ['a missing one', { file: ['a.json', 'd.json'] }, 'file not found: d.json'],
  ])('reject %s before anything is sent', async (_, options, message) => {
    const { exitCode, error, requests, read } = await run({ ...(options && { options }) });
    expect([exitCode, requests.length]).toEqual([2, 0]);
    expect(error?.message).toContain(message);
    expect(await read('b.csv')).toBe(FILES['b.csv']);
  });

  it('are not sent if any of them is invalid', async () => {
    const files = { ...FILES, 'd.csv': 'userId,name\n,x\na1,y\n' };
    const { error, stderr, requests } = await run({ files, global: { output: 'table' } });
    expect(stderr).toBe(
      "d.csv:2: userId: is required\nd.csv:3: userId: 'a1' is already on line 2 of a.json\n",
    );
    expect(error?.message).toBe('a.json and 3 more files: 2 problems in 8 records');
    expect(requests).toEqual([]);
  });
});
