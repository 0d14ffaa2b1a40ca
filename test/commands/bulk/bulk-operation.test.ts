import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/kernel/errors.ts';
import { added, type BulkScenario, refused, results, runBulk } from './run-bulk.ts';

const run = (scenario: BulkScenario) =>
  runBulk({ ...scenario, options: { batchSize: 2, ...scenario.options } });

describe('a bulk operation', () => {
  it('sends batches in order and prints a summary', async () => {
    const { summary, requests, exitCode, created } = await run({});
    expect(requests).toEqual([
      { organizationId: 'acme', users: [{ userId: 'a' }, { userId: 'b' }] },
      { organizationId: 'acme', users: [{ userId: 'c' }, { userId: 'd' }] },
      { organizationId: 'acme', users: [{ userId: 'e' }] },
    ]);
    expect(Object.keys(summary)).toEqual([
      'operation',
      'job',
      'total',
      'succeeded',
      'failed',
      'unknown',
      'skipped',
      'requests',
      'retries',
      'seconds',
      'failures',
      'failuresTruncated',
      'rejects',
    ]);
    expect(summary).toMatchObject({
      operation: 'users.add',
      total: 5,
      succeeded: 5,
      requests: 3,
      failures: [],
      rejects: null,
    });
    expect([exitCode, created]).toEqual([0, []]);
  });

  it('writes failed records to the rejects file and exits with 10', async () => {
    const { summary, error, exitCode, read, created } = await run({
      answer: (users) =>
        results({
          [users[0]?.userId ?? '']: { success: false, message: 'no', code: 'internal' },
          b: { success: true },
          d: { success: true },
        }),
    });
    expect(summary).toMatchObject({
      total: 5,
      succeeded: 2,
      failed: 3,
      rejects: 'users.rejects.json',
      failuresTruncated: false,
    });
    expect(summary.failures[1]).toEqual({ id: 'c', line: 8, message: 'no', code: 'internal' });
    expect(JSON.parse(await read('users.rejects.json'))).toEqual([
      { userId: 'a' },
      { userId: 'c' },
      { userId: 'e' },
    ]);
    expect(created.toSorted()).toEqual(['users.rejects.json', 'users.rejects.json.reasons.ndjson']);
    expect([exitCode, error?.message]).toEqual([10, '3 of 5 users failed']);
    expect(error?.hint).toContain('--file users.rejects.json');
  });

  it('reads results per record from a failed call, by ID or by position, without sending it again', async () => {
    const byId = {
      a: { success: true },
      b: { success: false, code: 'already-exists', message: 'there' },
    };
    const inOrder = [{ success: false, code: 'not-found' }, { success: true }];
    const { summary, requests } = await run({
      answer: (users, index) =>
        index === 0
          ? refused('INTERNAL', 500, byId)
          : index === 1
            ? refused('INTERNAL', 500, inOrder)
            : added(users),
    });
    expect(requests).toHaveLength(3);
    expect(summary).toMatchObject({ succeeded: 3, failed: 2, unknown: 0 });
    expect(
      summary.failures.map(({ id, code }: { id: string; code: string }) => [id, code]),
    ).toEqual([
      ['b', 'already-exists'],
      ['c', 'not-found'],
    ]);
  });

  it('isolates the record that a call was rejected for and sends the others', async () => {
    const { summary, exitCode, requests } = await run({
      answer: (users) =>
        users.some(({ userId }) => userId === 'a')
          ? refused('INVALID_ARGUMENT', 400, { issues: [] })
          : added(users),
    });
    expect(summary).toMatchObject({ succeeded: 4, failed: 1 });
    expect(summary.failures).toEqual([
      { id: 'a', line: 2, message: 'said no', code: 'invalid_argument' },
    ]);
    expect([exitCode, requests.length]).toEqual([10, 5]);
  });

  describe('behind a proxy that limits the size of requests', () => {
    const HTML = { 'content-type': 'text/html' };
    const users = (...sizes: readonly number[]) =>
      JSON.stringify(sizes.map((size, at) => ({ userId: `u${at}`, name: 'x'.repeat(size) })));
    const limited = (
      refusal: () => Response,
      files: Record<string, string>,
      rest: BulkScenario = {},
    ) =>
      runBulk({
        files,
        options: { batchSize: 8 },
        ...rest,
        answer: (sent) => (JSON.stringify(sent).length > 1_000 ? refusal() : added(sent)),
      });

    it.each([
      ['its own page', () => new Response('<h1>413</h1>', { status: 413, headers: HTML })],
      ['an error of the service', () => refused('PAYLOAD_TOO_LARGE', 413)],
    ])('splits a batch that is rejected with %s until its parts fit', async (_, refusal) => {
      const { summary, exitCode, requests } = await limited(refusal, {
        'users.json': users(...Array(8).fill(200)),
      });
      expect([exitCode, summary]).toMatchObject([
        0,
        { total: 8, succeeded: 8, failed: 0, rejects: null },
      ]);
      expect(requests.map(({ users: { length } }) => length)).toEqual([8, 4, 4]);
    });

    it('leaves the outcome of a single record that is too large unknown, and sends the others', async () => {
      const page = () => new Response('<h1>413</h1>', { status: 413, headers: HTML });
      const sizes = [10, 10, 2_000, 10, 10, 10, 10, 10];
      const { summary, exitCode, read } = await limited(page, { 'users.json': users(...sizes) });
      expect([exitCode, summary]).toMatchObject([
        9,
        { total: 8, succeeded: 7, unknown: 1, skipped: 0 },
      ]);
      expect(summary.failures).toMatchObject([
        {
          id: 'u2',
          message: 'api.example.test rejected the request as too large (HTTP 413)',
          code: 'outcome_unknown',
        },
      ]);
      expect(JSON.parse(await read('users.rejects.json'))).toMatchObject([{ userId: 'u2' }]);
    });

    it('splits records from a document too, and reports the error of a single record', async () => {
      const page = () => new Response('', { status: 413 });
      const document = (...sizes: readonly number[]) => ({
        data: { organizationId: 'acme', users: JSON.parse(users(...sizes)) },
        usesDataFlag: true,
      });
      const several = await limited(page, {}, document(600, 600));
      expect([several.exitCode, several.summary]).toMatchObject([0, { succeeded: 2 }]);
      const { exitCode, error } = await limited(page, {}, document(2_000));
      expect([exitCode, error?.message]).toEqual([
        9,
        'user u0 may or may not have been added to acme: api.example.test rejected the request as too large (HTTP 413)',
      ]);
    });
  });

  it('removes the records that an error names and sends the others in one request', async () => {
    const issues = [{ code: 'custom', path: ['users', 3, 'email'], message: 'no such domain' }];
    const { summary, requests } = await run({
      options: { batchSize: 5 },
      answer: (users) =>
        users.length === 5 ? refused('INVALID_ARGUMENT', 400, { issues }) : added(users),
    });
    expect(summary).toMatchObject({ succeeded: 4, failed: 1, requests: 2 });
    expect(summary.failures[0]).toMatchObject({ id: 'd', message: 'email: no such domain' });
    expect(requests[1]?.users.map(({ userId }) => userId)).toEqual(['a', 'b', 'c', 'e']);
  });

  it('counts the requests of failed retries', async () => {
    const { summary, exitCode } = await run({
      answer: (users, index) => (index < 3 ? refused('UNAVAILABLE', 503) : added(users)),
    });
    expect(summary).toMatchObject({ total: 5, succeeded: 3, unknown: 2, requests: 5, retries: 2 });
    expect(exitCode).toBe(9);
  });

  it('counts records that the response does not mention as unknown, and exits with 9', async () => {
    const { summary, exitCode, stderr } = await run({
      answer: () => results({ b: { success: true }, x: { success: true } }),
    });
    expect(summary).toMatchObject({ total: 5, succeeded: 1, failed: 0, unknown: 4 });
    expect(exitCode).toBe(9);
    expect(stderr).toContain('the response contains IDs that were not sent: x');
  });
});

describe('stopping early', () => {
  it("ends with the service's error if no record was applied", async () => {
    const { exitCode, created, error } = await run({
      answer: () => refused('UNAUTHENTICATED', 401),
    });
    expect([exitCode, created, error?.message]).toEqual([4, [], 'said no']);
  });

  it.each([
    ['NOT_FOUND', 404, 5],
    ['PERMISSION_DENIED', 403, 4],
    ['FAILED_PRECONDITION', 400, 6],
  ])(
    'prints a summary if the first request is rejected with %s, as JSON and as text',
    async (status, http, code) => {
      const scenario: BulkScenario = {
        answer: () => refused(status, http),
        options: { rejects: 'r.json', results: 'all.ndjson' },
      };
      const { exitCode, summary } = await run(scenario);
      const counts = { total: 5, succeeded: 0, failed: 0, unknown: 0, skipped: 5 };
      expect([exitCode, summary]).toMatchObject([
        code,
        { ...counts, requests: 1, failures: [], rejects: null },
      ]);
      const text = await run({ ...scenario, global: { output: 'table' } });
      expect(text.stdout).toMatch(/^5 users: 0 succeeded, 5 not sent \(1 request, [\d.]+ s\)\n$/);
      const single = await run({
        ...scenario,
        files: {},
        data: { organizationId: 'acme', users: [{ userId: 'a' }] },
      });
      expect([single.exitCode, single.summary]).toMatchObject([
        code,
        { total: 1, succeeded: 0, skipped: 1 },
      ]);
    },
  );

  it.each([
    ['NOT_FOUND', 404, ''],
    ['PERMISSION_DENIED', 403, 'grant the credential this permission; '],
    ['UNAUTHENTICATED', 401, 'renew the credential; '],
  ])(
    'exits with 11 if %s follows applied records, with a hint that says when to resume',
    async (status, http, condition) => {
      const { summary, exitCode, error, created, requests } = await run({
        answer: (users, index) => (index === 1 ? refused(status, http) : added(users)),
      });
      expect(summary).toMatchObject({ total: 5, succeeded: 2, failed: 0, skipped: 3 });
      expect([exitCode, requests.length, created]).toEqual([11, 2, []]);
      expect(error?.hint).toBe(`${condition}to resume, run svc jobs resume ${summary.job}`);
    },
  );

  it.each([
    ['the same', 20, '130 × At most 20 users, lines 22 to 151\n'],
    ['another', 21, '\nand 120 more\n'],
  ])('names the lines of all failures if the last has %s reason', async (_, last, end) => {
    const ids = Array.from({ length: 150 }, (__, at) => `u${at}`);
    const { stdout } = await run({
      files: { 'users.csv': `userId\n${ids.join('\n')}\n` },
      global: { output: 'table' },
      answer: (users) =>
        results(
          Object.fromEntries(
            users.map(({ userId }) => {
              const limit = userId === 'u149' ? last : 20;
              const message = `At most ${limit} users`;
              return [userId, { success: ids.indexOf(userId) < 20, message }];
            }),
          ),
        ),
    });
    expect(stdout).toContain('150 users: 20 succeeded, 130 failed');
    expect(stdout).toContain(end);
  });

  it.each([
    ['--on-error stop', { onError: 'stop' as const }],
    ['--max-errors', { maxErrors: 1 }],
  ])('stops after a failed record with %s', async (_, options) => {
    const { summary, exitCode } = await run({
      options,
      answer: () => results({ a: { success: false }, b: { success: true } }),
    });
    expect(summary).toMatchObject({ succeeded: 1, failed: 1, skipped: 3, requests: 1 });
    expect(exitCode).toBe(11);
  });

  it('waits for requests in flight after Ctrl-C, with a hint to resume', async () => {
    const controller = new AbortController();
    const { summary, exitCode, created, error } = await run({
      signal: controller.signal,
      answer: async (users) => {
        controller.abort(new SvcError('interrupted', 'stopped by Ctrl-C'));
        await new Promise((resolve) => setTimeout(resolve, 20));
        return added(users);
      },
    });
    expect(summary).toMatchObject({ total: 5, succeeded: 2, unknown: 0, skipped: 3, requests: 1 });
    expect([exitCode, created]).toEqual([130, []]);
    expect(error?.message).toBe('stopped by Ctrl-C, 3 of 5 users not sent');
    expect(error?.hint).toBe(`to resume, run svc jobs resume ${summary.job}`);
  });
});

describe('an announced pause that is longer than svc may wait', () => {
  const unavailable = () =>
    new Response('<h1>Maintenance</h1>', { status: 503, headers: { 'retry-after': '2700' } });
  const WAIT =
    'the service asks to wait 45m: try again after that time, or wait with --max-wait 45m';

  it.each([0, 1])('stops a job that can be resumed, after %i requests', async (succeeded) => {
    const { exitCode, summary, error } = await run({
      options: { batchSize: 1 },
      answer: (users, at) => (at < succeeded ? added(users) : unavailable()),
    });
    expect([exitCode, summary]).toEqual([
      11,
      expect.objectContaining({ succeeded, failed: 0, unknown: 0, skipped: 5 - succeeded }),
    ]);
    expect(error?.hint).toBe(`to resume, run svc jobs resume ${summary.job}; ${WAIT}`);
  });

  it('is the error of a single record, which was not applied', async () => {
    const { exitCode, error } = await run({
      files: {},
      record: { userId: 'a' },
      answer: unavailable,
    });
    expect([exitCode, error?.hint]).toEqual([7, WAIT]);
  });
});

describe('before anything is sent', () => {
  it.each<[string, BulkScenario, number, string]>([
    [
      'a broken record',
      { files: { 'u.json': '[{"userId":"a"},\n{"userId":7}]' } },
      3,
      'u.json:2: userId: expected text, got a number: put it in quotes',
    ],
    [
      'a duplicate',
      { files: { 'u.ndjson': '{"userId":"a"}\n{"userId":"a"}' } },
      3,
      "u.ndjson:2: userId: 'a' is already on line 1",
    ],
    [
      'broken syntax',
      { files: { 'u.json': '[{"userId":"a"},]' } },
      3,
      "u.json:1:17: expected a record, found ']'",
    ],
    ['no file', { options: { file: ['user.json'] } }, 2, 'file not found: user.json'],
    ['a folder', { options: { file: ['.'] } }, 2, '. is a folder, not a file'],
    ['no source', { files: {} }, 2, 'no users specified'],
    [
      'two sources',
      { record: { userId: 'a' }, options: { file: ['users.json'] } },
      2,
      'users specified in more than one way',
    ],
    [
      'an unknown format',
      { files: { 'users.txt': 'a,b' } },
      2,
      'cannot detect the format of users.txt',
    ],
    ['a missing field', { data: {} }, 2, '--org is required'],
    [
      'fields that exclude each other',
      { data: { organizationId: 'o', documentId: 'd', folderId: 'f' } },
      2,
      'specify --document or --folder, not both',
    ],
    ['flags without an id', { record: { name: 'x' } }, 2, '--user is required'],
    [
      'rejects that cannot be written',
      { options: { rejects: 'no/such.json' } },
      12,
      'no such file',
    ],
  ])('rejects %s', async (_, scenario, code, message) => {
    const { exitCode, error, requests, stdout } = await run(scenario);
    expect([exitCode, requests.length, stdout]).toEqual([code, 0, '']);
    expect(error?.message).toContain(message);
  });

  it('suggests the file with a similar name', async () => {
    expect((await run({ options: { file: ['user.json'] } })).error?.hint).toBe(
      "did you mean 'users.json'?",
    );
  });

  it('prints each problem on its own line, and includes all of them in the JSON error', async () => {
    const files = { 'u.csv': 'userId,name\n,x\na,y\na,z\n' };
    const people = await run({ files, global: { output: 'table' } });
    expect(people.stderr).toBe(
      "u.csv:2: userId: is required\nu.csv:4: userId: 'a' is already on line 3\n",
    );
    expect(people.error?.message).toBe('u.csv: 2 problems in 3 records');
    const scripts = await run({ files });
    expect(scripts.stderr).toBe('');
    expect(scripts.error?.message).toContain("u.csv:2: userId: is required; u.csv:4: userId: 'a'");
  });

  it('suggests --duplicates if repeated IDs are the only problem', async () => {
    const clashing = '{"userId":"a"}\n{"userId":"a"}\n{"userId":"b"}\n{"userId":"b"}\n';
    const clashes = await run({ files: { 'u.ndjson': clashing } });
    expect(clashes.error?.hint).toContain('--duplicates first');
    const mixed = await run({ files: { 'u.ndjson': `${clashing}{}` } });
    expect(mixed.error?.hint).toBe('nothing was sent; fix the input and try again');
  });

  it('prints every request of a dry run of records from --data, and sends none', async () => {
    const users = ['a', 'b', 'c', 'd', 'e'].map((userId) => ({ userId }));
    const { planned, requests, stdout } = await run({
      files: {},
      data: { organizationId: 'acme', users },
      usesDataFlag: true,
      global: { dryRun: true },
    });
    expect(
      planned.map(({ body }) => (body as { data: { users: unknown[] } }).data.users.length),
    ).toEqual([2, 2, 1]);
    expect([requests.length, stdout]).toEqual([0, '']);
  });
});

describe('records', () => {
  it('can come from flags or --data, and a single rejected record keeps the exit code of its error', async () => {
    expect((await run({ record: { userId: 'u1', name: 'x' } })).requests[0]?.users).toEqual([
      { userId: 'u1', name: 'x' },
    ]);
    const listed = { organizationId: 'acme', users: [{ userId: '__proto__' }] };
    expect((await run({ data: listed, files: {} })).summary).toMatchObject({
      succeeded: 1,
      unknown: 0,
    });
    const one = await run({
      record: { userId: 'u1' },
      answer: () => refused('INVALID_ARGUMENT', 400),
    });
    expect([one.exitCode, one.error?.message, one.created]).toEqual([3, 'said no', []]);
  });

  it('with the same ID are sent once on request, and the others count as skipped', async () => {
    const files = {
      'u.ndjson': '{"userId":"a","name":"1"}\n{"userId":"b"}\n{"userId":"a","name":"2"}',
    };
    const first = await run({ files, options: { duplicates: 'first', results: 'results.ndjson' } });
    expect(first.requests[0]?.users).toEqual([{ userId: 'a', name: '1' }, { userId: 'b' }]);
    expect(first.summary).toMatchObject({ total: 3, succeeded: 2, skipped: 1 });
    expect(await first.read('results.ndjson')).toContain('{"id":"a","line":3,"status":"skipped"');
    const last = await run({ files, options: { duplicates: 'last' } });
    expect(last.requests[0]?.users).toEqual([{ userId: 'b' }, { userId: 'a', name: '2' }]);
  });

  it('may be empty', async () => {
    const { summary, exitCode, stderr, requests } = await run({ files: { 'users.json': '[]' } });
    expect([summary.total, exitCode, stderr, requests.length]).toEqual([
      0,
      0,
      'users.json contains no users\n',
      0,
    ]);
  });
});

describe('the summary for people', () => {
  it('shows counts, the first failures, and the rejects file', async () => {
    const { stdout } = await run({
      global: { output: 'table' },
      options: { batchSize: 5 },
      answer: () =>
        results({
          a: { success: true },
          b: { success: false, message: 'no\u001b[2J', code: 'internal' },
        }),
    });
    expect(stdout.replace(/\d+\.\d s/, 'N s')).toBe(
      [
        '5 users: 1 succeeded, 1 failed, 3 unknown (3 requests, N s)',
        'LINE  ID  MESSAGE                                   CODE',
        '5     b   no\\u001b[2J                               internal',
        '8     c   the response does not mention the record  outcome_unknown',
        '11    d   the response does not mention the record  outcome_unknown',
        '14    e   the response does not mention the record  outcome_unknown',
        'rejects: users.rejects.json',
        '',
      ].join('\n'),
    );
  });
});

describe('IDs that nobody typed', () => {
  const ORG = { organizationId: 'acme' };
  const forms = [
    ['a flag', { data: ORG, record: { userId: 'null' } }, 2, "--user: 'null'"],
    [
      'data',
      { data: { ...ORG, users: [{ userId: 'null' }] }, usesDataFlag: true, files: {} },
      3,
      "--data:1: userId: 'null'",
    ],
    ['a file', { files: { 'users.json': '[{"userId":"null"}]' } }, 3, "userId: 'null'"],
  ] as const;

  it.each(forms)('are refused in %s', async (_, scenario, exitCode, message) => {
    const ran = await run(scenario);
    expect([ran.exitCode, ran.requests]).toEqual([exitCode, []]);
    expect(ran.error?.message).toContain(message);
    expect(ran.error?.hint).toContain('--allow-suspicious');
  });

  it('are refused as the target of all records', async () => {
    const scenario = { data: { organizationId: 'undefined' }, record: { userId: 'a' } };
    const ran = await run(scenario);
    expect([ran.exitCode, ran.requests]).toEqual([2, []]);
    expect(ran.error?.message).toBe("--org: 'undefined' stands for a missing value");
    const { requests } = await run({ ...scenario, options: { allowSuspicious: true } });
    expect(requests).toEqual([{ organizationId: 'undefined', users: [{ userId: 'a' }] }]);
  });

  it.each(forms)('are sent from %s with --allow-suspicious', async (_, scenario) => {
    const { requests } = await run({ ...scenario, options: { allowSuspicious: true } });
    expect(requests).toEqual([{ organizationId: 'acme', users: [{ userId: 'null' }] }]);
  });
});
