import { describe, expect, it } from 'vitest';
import { type BulkScenario, refused, results, runBulk } from './run-bulk.ts';

const UUID = expect.stringMatching(
  /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
);

/** IDs of the records in a request. */
const idsOf = (data: Readonly<Record<string, unknown>>, field: string, id = 'id') =>
  (data[field] as readonly Readonly<Record<string, string>>[]).map((record) => record[id] ?? '');
const all = (ids: readonly string[], result: object = { success: true }) =>
  results(Object.fromEntries(ids.map((id) => [id, result])));

describe('plain IDs', () => {
  const add = (scenario: BulkScenario) =>
    runBulk({
      operation: 'groups.add-users',
      data: { organizationId: 'acme', organizationUserGroupId: 'legal' },
      answer: (_, __, data) => all(data['userIds'] as readonly string[]),
      ...scenario,
    });

  it.each<[string, string]>([
    ['users.json', '["u1", {"userId": "0123"}]'],
    ['users.json', '{"userIds": ["u1", "0123"]}'],
    ['users.ndjson', '"u1"\n{"userId":"0123"}'],
    ['users.yaml', '- u1\n- userId: 0123\n'],
    ['users.csv', 'userId\nu1\n0123\n'],
  ])('from %s are sent unchanged: %s', async (name, text) => {
    const { requests, summary, stderr } = await add({ files: { [name]: text } });
    expect(requests).toEqual([
      { organizationId: 'acme', organizationUserGroupId: 'legal', userIds: ['u1', '0123'] },
    ]);
    expect(summary).toMatchObject({ operation: 'groups.add-users', total: 2, succeeded: 2 });
    expect(stderr).toBe('');
  });

  it('from flags or --data are sent in batches, and errors name their positions', async () => {
    const data = {
      organizationId: 'acme',
      organizationUserGroupId: 'legal',
      userIds: ['u1', 'u2', 'u3'],
    };
    const listed = await add({ files: {}, data, options: { batchSize: 2 } });
    expect(listed.requests.map(({ userIds }) => userIds)).toEqual([['u1', 'u2'], ['u3']]);
    const twice = await add({ files: {}, data: { ...data, userIds: ['u1', 'u1'] } });
    expect([twice.exitCode, twice.error?.message]).toEqual([
      2,
      "--user:2: userId: 'u1' is already on line 1",
    ]);
    const broken = await add({ files: {}, data: { ...data, userIds: [1] }, usesDataFlag: true });
    expect([broken.exitCode, broken.error?.message]).toEqual([
      3,
      '--data:1: userId: expected text, got a number: put it in quotes',
    ]);
  });

  it('can come from a file with more columns, with a warning that the others are dropped', async () => {
    const { requests, stderr, read } = await add({
      files: { 'team.csv': 'userId,name\nu1,"Ada, L"\nu2,Bob\n' },
      answer: () =>
        results({ u1: { success: false, message: 'User does not exist.' }, u2: { success: true } }),
    });
    expect(requests[0]?.['userIds']).toEqual(['u1', 'u2']);
    expect(stderr).toContain(
      "team.csv:2: unknown column 'name' is dropped; only 'userId' of each record is sent\n",
    );
    expect(await read('team.rejects.csv')).toBe('userId,name\nu1,"Ada, L"\n');
  });

  it('rejected from the command line keep the exit code of the error', async () => {
    const data = { organizationId: 'acme', organizationUserGroupId: 'no', userIds: ['u1', 'u2'] };
    const { exitCode, summary, created } = await add({
      files: {},
      data,
      answer: () => refused('INVALID_ARGUMENT', 400),
    });
    expect([exitCode, summary, created]).toMatchObject([
      3,
      { total: 2, succeeded: 0, skipped: 2 },
      [],
    ]);
    const file = await add({
      files: { 'u.csv': 'userId\nu1\n' },
      answer: () => refused('INVALID_ARGUMENT', 400),
    });
    expect([file.exitCode, file.created.length]).toEqual([3, 2]);
  });
});

describe('one result for a whole batch', () => {
  const update = (scenario: BulkScenario) =>
    runBulk({
      operation: 'presence.update',
      data: { organizationId: 'acme', documentId: 'd1' },
      files: { 'users.ndjson': '{"userId":"success"}\n{"userId":"b"}' },
      ...scenario,
    });

  it.each<[unknown, Readonly<Record<string, number>>, number]>([
    [{ success: true }, { succeeded: 2 }, 0],
    [{ success: 'true' }, { failed: 2 }, 10],
    [{}, { unknown: 2 }, 9],
    [{ success: false, message: 'no' }, { failed: 2 }, 10],
    [{ b: { success: true } }, { unknown: 2 }, 9],
    // The response reports success for the whole request.
    [null, { succeeded: 2 }, 0],
  ])('%j', async (reply, counts, code) => {
    const { summary, exitCode } = await update({ answer: () => results(reply) });
    expect(summary).toMatchObject({ total: 2, succeeded: 0, failed: 0, unknown: 0, ...counts });
    expect(exitCode).toBe(code);
  });

  it('applies only to its own batch', async () => {
    const { summary } = await update({
      options: { batchSize: 1 },
      answer: (_, index) => results({ success: index === 0, message: 'said' }),
    });
    expect(summary).toMatchObject({
      succeeded: 1,
      failed: 1,
      failures: [{ id: 'b', message: 'said' }],
    });
  });
});

describe('generated IDs', () => {
  const LOOK = { featureType: 'comment', actionType: 'look', actionUser: { userId: 'u1' } };
  const log = (scenario: BulkScenario) =>
    runBulk({
      operation: 'activities.add',
      data: { organizationId: 'acme', documentId: 'd1' },
      answer: (_, __, data) => all(idsOf(data, 'activities')),
      ...scenario,
    });
  const cells = 'comment,look,"{""userId"":""u1""}"';
  const INPUTS: Readonly<Record<string, string>> = {
    'log.json': JSON.stringify([LOOK, { ...LOOK, id: 'a2' }]),
    'log.ndjson': `${JSON.stringify(LOOK)}\n${JSON.stringify({ ...LOOK, id: 'a2' })}`,
    'log.yaml': `- ${JSON.stringify(LOOK)}\n- ${JSON.stringify({ ...LOOK, id: 'a2' })}`,
    'log.csv': `featureType,actionType,actionUser,id\n${cells},\n${cells},a2\n`,
  };

  it.each(Object.entries(INPUTS))(
    'for %s are written to the rejects file, and nowhere else',
    async (name, text) => {
      const first = await log({
        files: { [name]: text },
        answer: () => results({ other: { success: true } }),
      });
      expect(first.requests[0]?.['activities']).toEqual([
        { ...LOOK, id: UUID },
        { ...LOOK, id: 'a2' },
      ]);
      expect([first.exitCode, first.summary.unknown]).toEqual([9, 2]);
      const rejects = name.replace('.', '.rejects.');
      const again = await log({ files: { [name]: await first.read(rejects) } });
      expect(again.requests).toEqual(first.requests);
      expect(again.summary).toMatchObject({ total: 2, succeeded: 2 });
    },
  );

  it('get a column of their own in a CSV file without one', async () => {
    const text = `featureType;actionType;actionUser\n${cells.replaceAll(',', ';')}\n`;
    const first = await log({
      files: { 'log.csv': text },
      answer: () => results({ other: { success: true } }),
    });
    const [id = ''] = idsOf(first.requests[0] ?? {}, 'activities');
    expect(await first.read('log.rejects.csv')).toBe(
      `featureType;actionType;actionUser;id\ncomment;look;"{""userId"":""u1""}";${id}\n`,
    );
    const again = await log({ files: { 'log.csv': await first.read('log.rejects.csv') } });
    expect(again.requests).toEqual(first.requests);
  });

  it('are part of a dry run, and are kept for a record given by flags', async () => {
    const { planned } = await log({ files: {}, record: LOOK, global: { dryRun: true } });
    expect(planned[0]?.body).toMatchObject({ data: { activities: [{ ...LOOK, id: UUID }] } });
    const flags = await log({
      files: {},
      record: LOOK,
      answer: () => results({ other: { success: true } }),
    });
    const [id] = idsOf(flags.requests[0] ?? {}, 'activities');
    expect(flags.created).toEqual([]);
    const sent = JSON.stringify({
      organizationId: 'acme',
      documentId: 'd1',
      activities: flags.requests[0]?.['activities'],
    });
    expect(flags.error?.hint).toBe(`repeating it is safe: svc activities add --data '${sent}'`);
    expect(sent).toContain(`"id":"${id}"`);
    const data = { organizationId: 'acme', documentId: 'd1', activities: [LOOK, LOOK] };
    const listed = await log({
      files: {},
      data,
      usesDataFlag: true,
      answer: () => results({ other: { success: true } }),
    });
    expect(JSON.parse(await listed.read('data.rejects.json'))).toEqual(
      listed.requests[0]?.['activities'],
    );
    const failing = (ids: readonly string[]) =>
      results(Object.fromEntries(ids.map((one) => [one, { success: false }])));
    const failed = await log({
      files: {},
      data,
      usesDataFlag: true,
      answer: (_, __, { activities }) =>
        failing((activities as { id: string }[]).map((one) => one.id)),
    });
    expect([failed.exitCode, failed.summary.failed, failed.created]).toEqual([10, 2, []]);
  });

  it('are not used if the service does not accept them', async () => {
    const { error, requests } = await log({
      operation: 'activities.update',
      data: { organizationId: 'acme' },
      files: { 'log.ndjson': '{"actionIcon":"star"}' },
    });
    expect([error?.message, requests.length]).toEqual(['log.ndjson:1: id: is required', 0]);
  });
});

describe('unknown fields', () => {
  it('are reported once each, with a suggestion', async () => {
    const { stderr, requests } = await runBulk({
      files: {
        'u.ndjson':
          '{"userId":"a","emial":"x"}\n{"userId":"b","emial":"y","zzz":1}\n{"userId":"c","zzz":1}',
      },
    });
    expect(stderr).toBe(
      [
        "warning: u.ndjson:1: unknown field 'emial' is sent unchanged; did you mean 'email'?",
        "warning: u.ndjson:2: unknown field 'zzz' is sent unchanged; known: userId, name, email, initial, photoUrl, organizationId, documentId, folderId",
        '',
      ].join('\n'),
    );
    expect(requests[0]?.users[0]).toEqual({ userId: 'a', emial: 'x' });
  });

  it('are summarized by a count if there are many', async () => {
    const record = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`field${at}`, at]));
    const { stderr } = await runBulk({
      files: { 'u.ndjson': JSON.stringify({ userId: 'a', ...record }) },
    });
    expect(stderr.split('\n').slice(4, 6)).toEqual([
      expect.stringContaining("'field4'"),
      'warning: and 3 more',
    ]);
  });
});

describe('every list of records', () => {
  it.each([
    ['users.update', 'users', 'userId', {}],
    ['users.update.v2', 'users', 'userId', {}],
    ['users.add.v2', 'users', 'userId', {}],
    ['documents.add', 'documents', 'documentId', {}],
    ['folders.add', 'folders', 'folderId', {}],
    ['folders.update', 'folders', 'folderId', {}],
    ['organizations.add', 'organizations', 'organizationId', { organizationId: undefined }],
    ['groups.add', 'organizationUserGroups', 'groupId', {}],
    ['activities.update', 'activities', 'id', {}],
  ] as const)(
    '%s: from its own name in a file and in --data',
    async (operation, field, id, data) => {
      const shared = { organizationId: 'acme', ...data };
      const records = [{ [id]: '0123' }, { [id]: '__proto__' }];
      const answer: BulkScenario['answer'] = (_, __, sent) => all(idsOf(sent, field, id));
      const file = await runBulk({
        operation,
        data: shared,
        answer,
        files: { 'r.json': JSON.stringify({ [field]: records }) },
      });
      expect(file.summary).toMatchObject({ operation, total: 2, succeeded: 2 });
      const listed = await runBulk({
        operation,
        data: { ...shared, [field]: records },
        answer,
        files: {},
        usesDataFlag: true,
      });
      // Jobs of updates also read the previous values.
      const writesOf = ({ requests }: typeof file) => requests.filter((sent) => field in sent);
      expect(writesOf(listed)).toEqual(writesOf(file));
      expect(writesOf(listed)[0]?.[field]).toEqual(records);
    },
  );
});
