import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ndjsonUsers } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

type Answer = { readonly status?: number; readonly body: unknown };
type AnswerFor = (ids: readonly string[]) => Answer;

const failed = (status: number, error: object): Answer => ({ status, body: { error } });
const written = { success: true, message: 'User added.' };
const refused = { success: false, message: 'No seat left.' };
/** Results by ID, of which the first one failed. */
const firstFails = (ids: readonly string[], failure: object = refused) =>
  Object.fromEntries(ids.map((id, at) => [id, at === 0 ? failure : written]));
const known = { success: false, message: 'User exists.', code: 'already-exists' };
const denied = { status: 'PERMISSION_DENIED', message: 'Not in your plan.' };
const internal = { status: 'INTERNAL', message: 'Error adding users.' };

/** Counts of a job: succeeded, failed, unknown, and skipped. */
type Counts = readonly [number, number, number, number];

interface Row {
  readonly answer: AnswerFor;
  /** Exit code, counts, and text of `users add` for one user. */
  readonly single: readonly [number, Counts, string];
  /** Exit code and counts of `users add` for a file with three users. */
  readonly bulk: readonly [number, Counts];
  /** Exit code of `svc api` with three records, and text on stdout or stderr. */
  readonly api: readonly [number, string];
}

const UNMENTIONED = 'the response does not mention the record';

const ROWS: Readonly<Record<string, Row>> = {
  'a result for each record': {
    answer: (ids) => success(Object.fromEntries(ids.map((id) => [id, written]))),
    single: [0, [1, 0, 0, 0], 'Added user u0 to acme'],
    bulk: [0, [3, 0, 0, 0]],
    api: [0, 'User added.'],
  },
  'a failed record': {
    answer: (ids) => success(firstFails(ids)),
    single: [3, [0, 1, 0, 0], 'could not add user u0 to acme: No seat left.'],
    bulk: [10, [2, 1, 0, 0]],
    api: [10, '1 of 3 records failed: u0: No seat left.'],
  },
  'one success for all records': {
    answer: () => success({ success: true, message: 'Users added.' }),
    single: [0, [1, 0, 0, 0], 'Added user u0 to acme'],
    bulk: [0, [3, 0, 0, 0]],
    api: [0, 'Users added.'],
  },
  'one failure for all records': {
    answer: () => success({ success: false, message: 'Try later.' }),
    single: [3, [0, 1, 0, 0], 'could not add user u0 to acme: Try later.'],
    bulk: [10, [0, 3, 0, 0]],
    api: [10, 'the service did not apply the call: Try later.'],
  },
  'a success without data': {
    answer: () => ({ body: { result: { status: 'success', message: 'All done.' } } }),
    single: [0, [1, 0, 0, 0], 'Added user u0 to acme'],
    bulk: [0, [3, 0, 0, 0]],
    api: [0, 'All done.'],
  },
  'empty data': {
    answer: () => success({}),
    single: [9, [0, 0, 1, 0], UNMENTIONED],
    bulk: [9, [0, 0, 3, 0]],
    api: [0, 'done'],
  },
  'results of other records': {
    answer: () => success({ success: true, someone: written }),
    single: [9, [0, 0, 1, 0], UNMENTIONED],
    bulk: [9, [0, 0, 3, 0]],
    api: [0, 'someone'],
  },
  'a refusal without a status': {
    answer: () => failed(403, { message: 'Not in your plan.' }),
    single: [4, [0, 0, 0, 1], 'svc: Not in your plan. (PERMISSION_DENIED)'],
    bulk: [4, [0, 0, 0, 3]],
    api: [4, 'svc: Not in your plan. (PERMISSION_DENIED)'],
  },
  'a refusal with nothing but a code': {
    answer: () => failed(404, { code: 'not-found' }),
    single: [5, [0, 0, 0, 1], '(NOT_FOUND)'],
    bulk: [5, [0, 0, 0, 3]],
    api: [5, '(NOT_FOUND)'],
  },
  'a refusal with details about the plan': {
    answer: () => failed(403, { ...denied, details: [{ reason: 'upgrade' }] }),
    single: [4, [0, 0, 0, 1], 'details: [{"reason":"upgrade"}]'],
    bulk: [4, [0, 0, 0, 3]],
    api: [4, 'details: [{"reason":"upgrade"}]'],
  },
  'a refusal with results in its details': {
    answer: (ids) => failed(403, { ...denied, details: firstFails(ids) }),
    single: [3, [0, 1, 0, 0], 'could not add user u0 to acme: No seat left.'],
    bulk: [10, [2, 1, 0, 0]],
    api: [10, 'Not in your plan: 1 of 3 records failed: u0: No seat left.'],
  },
  'an internal error with results by ID': {
    answer: (ids) => failed(500, { ...internal, details: firstFails(ids, known) }),
    single: [3, [0, 1, 0, 0], 'could not add user u0 to acme: User exists. (ALREADY_EXISTS)'],
    bulk: [10, [2, 1, 0, 0]],
    api: [10, 'Error adding users: 1 of 3 records failed: u0: User exists.'],
  },
  'an internal error with results in order': {
    answer: (ids) => failed(500, { ...internal, details: Object.values(firstFails(ids, known)) }),
    single: [3, [0, 1, 0, 0], 'could not add user u0 to acme: User exists. (ALREADY_EXISTS)'],
    bulk: [10, [2, 1, 0, 0]],
    api: [10, 'Error adding users: 1 of 3 records failed: record 1: User exists.'],
  },
  'an internal error with other details': {
    answer: () => failed(500, { ...internal, details: { requestId: 'r-17' } }),
    single: [9, [0, 0, 1, 0], 'Error adding users.'],
    bulk: [9, [0, 0, 3, 0]],
    api: [9, 'details: {"requestId":"r-17"}'],
  },
  'a quota': {
    answer: () => failed(429, { status: 'RESOURCE_EXHAUSTED', message: 'At most 30 users.' }),
    single: [7, [0, 0, 0, 1], 'svc: At most 30 users. (RESOURCE_EXHAUSTED)'],
    bulk: [7, [0, 0, 0, 3]],
    api: [7, 'svc: At most 30 users. (RESOURCE_EXHAUSTED)'],
  },
};

const idsOf = (data: Readonly<Record<string, unknown>>) =>
  ((data['users'] ?? data['things'] ?? []) as readonly { readonly userId: string }[]).map(
    ({ userId }) => userId,
  );
const countsOf = (stdout: string) => {
  const { succeeded, failed, unknown, skipped } = JSON.parse(stdout);
  return [succeeded, failed, unknown, skipped];
};
const things = JSON.stringify({ things: ['u0', 'u1', 'u2'].map((userId) => ({ userId })) });

describe.each(Object.entries(ROWS))('%s', (_, { answer, single, bulk, api }) => {
  const setUp = async () => {
    const { svc, home } = await newUserInProcess();
    const { env } = await startMockService(({ body }) => answer(idsOf(body.data)));
    await writeFile(join(home, 'users.ndjson'), ndjsonUsers(3));
    return (...words: readonly string[]) =>
      svc([...words, '--no-wait', '--retry-for', '0s'], { env });
  };

  it('to a call for one record', async () => {
    const svc = await setUp();
    const add = ['users', 'add', '--org', 'acme', '--user', 'u0'];
    const text = await svc(...add);
    const [exitCode, counts, message] = single;
    expect([text.code, text.stdout + text.stderr]).toEqual([
      exitCode,
      expect.stringContaining(message),
    ]);
    const json = await svc(...add, '-o', 'json');
    expect([json.code, countsOf(json.stdout)]).toEqual([exitCode, counts]);
  });

  it('to a job', async () => {
    const svc = await setUp();
    const run = await svc('users', 'add', '--org', 'acme', '--file', 'users.ndjson', '-o', 'json');
    expect([run.code, countsOf(run.stdout)]).toEqual(bulk);
  });

  it.each(['/v2/users/add', '/v9/things/add'])('to a raw call of %s', async (path) => {
    const svc = await setUp();
    const data = path.includes('things') ? things : things.replace('things', 'users');
    const { code, stdout, stderr } = await svc('api', path, '--data', data);
    expect([code, stdout + stderr]).toEqual([api[0], expect.stringContaining(api[1])]);
  });
});

describe('results in fields of their own', () => {
  const lists = { users: { u0: written, u1: refused }, groups: [written, refused], note: 'x' };
  it.each([
    ['data', success(lists), 10],
    ['data of a read', success(lists), 0],
    ['details', failed(500, { ...internal, details: lists }), 10],
    ['details of a read', failed(500, { ...internal, details: lists }), 9],
  ])('count if they are %s', async (name, answer, exitCode) => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() => answer);
    const path = name.includes('read') ? '/v9/things/get' : '/v9/things/add';
    const { code, stderr } = await svc(['api', path], { env });
    const counts = '2 of 4 records failed: users.u1: No seat left.; groups.1: No seat left.';
    expect([code, stderr.includes(counts)]).toEqual([exitCode, exitCode === 10]);
  });
});

describe('activities', () => {
  const data = JSON.stringify({
    organizationId: 'acme',
    documentId: 'd1',
    activities: [
      { id: 'a1', featureType: 'comment', actionType: 'approved', actionUser: { userId: 'u1' } },
    ],
  });
  it.each([
    ['empty data', {}],
    ['one success for all', { success: true, message: 'Activity(s) added successfully.' }],
    ['a result by ID', { a1: { success: true, message: 'Activity added.' } }],
  ])('are added if the response has %s', async (_, answer) => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() => success(answer));
    expect(await svc(['activities', 'add', '--data', data], { env })).toMatchObject({
      code: 0,
      stdout: 'Added activity a1 to document d1 in acme\n',
    });
  });
});

describe('a job that a raw call starts', () => {
  const START = ['api', '/v2/users/data/delete', '--wait', 'jobId:/v2/users/data/delete/status'];
  const data = '{"organizationId":"acme","userIds":["u1"]}';

  async function run(states: readonly unknown[], first: unknown = { jobId: 'j1' }) {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(({ path }) =>
      success(path.endsWith('/status') ? states[received.length - 2] : first),
    );
    const ran = await svc([...START, '--data', data, '-o', 'json'], { env });
    return { ...ran, queries: received.slice(1).map(({ body }) => body.data) };
  }

  it('is polled to its end, with the fields that name a scope', async () => {
    const { code, stdout, queries } = await run([
      { status: 'in_progress' },
      { status: 'completed', isDeleteCompleted: true },
    ]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'completed' }]);
    expect(queries).toEqual([
      { organizationId: 'acme', jobId: 'j1' },
      { organizationId: 'acme', jobId: 'j1' },
    ]);
  });

  it.each([
    ['ends with a switch', [{ isDeleteCompleted: true }], 0, ''],
    ['succeeded', [{ status: 'running' }, { status: 'SUCCEEDED' }], 0, ''],
    ['finished one of two tasks', [{ status: 'success', isACompleted: false }, {}], 8, ''],
    ['was aborted', [{ status: 'aborted' }], 10, ''],
    ['failed', [{ status: 'failed', message: 'No such user.' }], 10, 'No such user.'],
    ['has no state', [{ progress: 7 }], 8, 'svc api /v2/users/data/delete/status'],
  ])('%s', async (_, states, exitCode, text) => {
    const { code, stderr } = await run(states);
    expect([code, stderr.replaceAll('\\"', '"')]).toEqual([
      exitCode,
      expect.stringContaining(text),
    ]);
  });

  it('without an ID leaves the outcome open', async () => {
    expect((await run([], { id: 'j1' })).code).toBe(9);
  });

  it('is not started if its status path could write', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({ jobId: 'j1' }));
    for (const wait of ['jobId', 'jobId:/v2/users/add', ':/v2/a/status', 'jobId:https://a/status'])
      expect([wait, (await svc(['api', '/v2/a/b', '--wait', wait], { env })).code]).toEqual([
        wait,
        2,
      ]);
    expect(received).toEqual([]);
  });
});

describe('a path of the workspace', () => {
  it.each([
    ['UNAUTHENTICATED', 401, 'Invalid auth token for workspace.'],
    ['INVALID_ARGUMENT', 400, 'Workspace ID not found in headers.'],
  ])('that answers %s to an API key suggests --auth workspace', async (status, http, message) => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() => failed(http, { status, message }));
    const { stderr } = await svc(['api', '/v2/workspace/apikey/create'], { env });
    expect(stderr).toContain('--auth workspace');
    const key = ['api', '/v2/workspace/apikey/create', '--auth', 'key'];
    expect((await svc(key, { env })).stderr).not.toContain('--auth workspace');
  });
});
