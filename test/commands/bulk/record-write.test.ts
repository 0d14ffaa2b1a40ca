import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../src/catalog/index.ts';
import { manifest } from '../../../src/catalog/manifest.ts';
import { type BulkScenario, refused, results, runBulk } from './run-bulk.ts';

const USER = {
  files: {},
  record: { userId: 'u9' },
  global: { output: 'table' },
} as const satisfies BulkScenario;
const failing = (item: object) => () => results({ u9: { success: false, ...item } });

describe('a job with one record', () => {
  it.each<[OperationName, object, object, object, string]>([
    ['users.add', {}, { userId: 'a' }, {}, 'Added user a to acme'],
    ['users.add', { documentId: 'd' }, { userId: 'a' }, {}, 'Added user a to document d in acme'],
    ['users.update', { folderId: 'f' }, { userId: 'a' }, {}, 'Updated user a in folder f in acme'],
    ['documents.add', {}, { documentId: 'a' }, {}, 'Created document a in acme'],
    [
      'groups.add-users',
      { organizationUserGroupId: 'g', userIds: ['a'] },
      {},
      {},
      'Added user a to group g in acme',
    ],
    [
      'folders.add',
      {},
      { folderId: 'a' },
      { ifExists: 'skip' },
      'Skipped folder a: it already exists in acme',
    ],
    [
      'presence.update',
      { documentId: 'd' },
      { userId: 'a' },
      {},
      'Updated presence of user a in document d in acme',
    ],
  ])('of %s is described in one line', async (operation, data, record, options, expected) => {
    const item =
      Object.keys(options).length > 0
        ? { success: false, code: 'already-exists' }
        : { success: true };
    const { stdout, stderr, exitCode } = await runBulk({
      operation,
      files: {},
      options,
      global: { output: 'table' },
      data: { organizationId: 'acme', ...data },
      ...(Object.keys(record).length > 0 ? { record: record as never } : {}),
      answer: () => results(operation.startsWith('presence') ? item : { a: item }),
    });
    expect([exitCode, stdout, stderr]).toEqual([0, `${expected}\n`, '']);
  });

  it.each([
    [{ message: 'User already exists', code: 'already-exists' }, 3, 'already_exists'],
    [{ message: 'no such user', code: 'not-found' }, 5, 'not_found'],
    [{ message: 'User does not exist.' }, 5, 'not_found'],
    [{ message: 'enable it', code: 'failed-precondition' }, 6, 'failed_precondition'],
    [{ message: 'not yours', code: 'permission-denied' }, 4, 'permission_denied'],
    [{ message: 'broken', code: 'internal' }, 8, 'invalid_response'],
    [{ message: 'too short', code: 'of a new kind' }, 3, 'invalid_argument'],
  ])('that fails with %o exits with %i', async (item, exitCode, failure) => {
    const flags = await runBulk({ ...USER, answer: failing(item) });
    expect([flags.exitCode, flags.stdout, flags.created]).toEqual([exitCode, '', []]);
    expect(flags.error).toMatchObject({
      failure,
      message: `could not add user u9 to acme: ${item.message}`,
    });
    const file = await runBulk({ files: { 'u.csv': 'userId\nu9\n' }, answer: failing(item) });
    expect([file.exitCode, file.summary.failed, file.created.length]).toEqual([exitCode, 1, 2]);
    expect(file.error?.hint).toMatch(/^fix u\.rejects\.csv /);
    const stop = await runBulk({ ...USER, answer: failing(item), options: { onError: 'stop' } });
    expect(stop.exitCode).toBe(exitCode);
  });

  it('may have been applied if the response does not mention it', async () => {
    const { exitCode, error, stdout } = await runBulk({ ...USER, answer: () => results({}) });
    expect([exitCode, stdout]).toEqual([9, '']);
    expect(error?.message).toMatch(/^user u9 may or may not have been added to acme: /);
  });

  it('exists if the service refuses the whole request for that', async () => {
    const operation = {
      operation: 'documents.add',
      record: { documentId: 'd1' },
      files: {},
    } as const;
    const answer = () => refused('ALREADY_EXISTS', 409);
    const skipped = await runBulk({ ...operation, options: { ifExists: 'skip' }, answer });
    expect([skipped.exitCode, skipped.summary]).toMatchObject([
      0,
      { total: 1, skipped: 1, existing: 1, succeeded: 0 },
    ]);
    expect((await runBulk({ ...operation, answer })).exitCode).toBe(3);
  });

  it('can be described for every bulk command', () => {
    const verbs = manifest
      .filter(({ bulk }) => bulk)
      .map(({ command }) => command.at(-1)?.split('-')[0]);
    expect(new Set(verbs)).toEqual(new Set(['add', 'update', 'delete']));
  });
});

it('two records from flags fail with 10, and leave no file', async () => {
  const data = { organizationId: 'acme', users: [{ userId: 'u1' }, { userId: 'u9' }] };
  const answer = () =>
    results({ u1: { success: true }, u9: { success: false, code: 'not-found' } });
  const { exitCode, summary, created } = await runBulk({
    files: {},
    data,
    usesDataFlag: true,
    answer,
  });
  expect([exitCode, summary, created]).toMatchObject([
    10,
    { failed: 1, rejects: null, failures: [{ id: 'u9' }] },
    [],
  ]);
  const named = await runBulk({
    files: {},
    data,
    usesDataFlag: true,
    answer,
    options: { rejects: 'again.json' },
  });
  expect(named.created.toSorted()).toEqual(['again.json', 'again.json.reasons.ndjson']);
});
