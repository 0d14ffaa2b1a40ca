import { describe, expect, it } from 'vitest';
import { finishMigration, finishMigrations } from '../../src/service/records/migrations.ts';
import type { Tables } from '../../src/service/store/tables.ts';
import { addSecondKey, startTestService, type TestService } from './test-service.ts';

const MIGRATE = '/v2/organizations/documents/migrate';
const STATUS = `${MIGRATE}/status`;
const ACME = { organizationId: 'acme' };
const MOVE = { ...ACME, documentId: 'd1', newDocumentId: 'd2' };

const migrate = async ({ call }: TestService, data: object = MOVE): Promise<string> =>
  (await call(MIGRATE, data)).body.result?.data.migrationId;
const statusOf = async ({ call }: TestService, migrationId: string) =>
  (await call(STATUS, { ...ACME, migrationId })).body.result?.data.status;

/** Starts a service with a document that has data of every kind, and with a second document. */
async function startWithDocument(): Promise<TestService> {
  const service = await startTestService();
  const { call } = service;
  const documents = [{ documentId: 'd1', documentName: 'Plan' }, { documentId: 'other' }];
  await call('/v1/organizations/documents/add', { ...ACME, documents });
  for (const documentId of ['d1', 'other']) {
    const ids = { ...ACME, documentId };
    const user = { userId: `user of ${documentId}` };
    const responses = await Promise.all([
      call('/v1/users/add', { ...ids, users: [user] }),
      call('/v2/crdt/add', { ...ids, editorId: 'e', type: 'text', data: documentId }),
      call('/v2/presence/update', { ...ids, users: [user] }),
      call('/v2/activities/add', {
        ...ids,
        activities: [{ id: documentId, featureType: 'comment', actionType: 'x', actionUser: user }],
      }),
      call('/v2/notifications/add', {
        ...ids,
        actionUser: user,
        notifyUsers: [user],
        displayHeadlineMessageTemplate: 'h',
        displayBodyMessage: 'b',
      }),
    ]);
    expect(responses.map(({ http }) => http)).toEqual([200, 200, 200, 200, 200]);
  }
  return service;
}

const COLUMNS = [
  ['documents', 'documentId'],
  ['editors', 'documentId'],
  ['presence', 'documentId'],
  ['activities', 'documentId'],
  ['userData', 'documentId'],
  ['members', 'resourceId'],
] as const satisfies readonly (readonly [keyof Tables, string])[];

/** Reads the document IDs in each table. */
async function readDocumentIds({ store }: TestService) {
  const found = await store.read(async (database) => {
    const ids: [string, string[]][] = [];
    for (const [table, column] of COLUMNS) {
      const { dynamic } = database;
      const rows = await database
        .selectFrom(table)
        .select(dynamic.ref<string>(column))
        .distinct()
        .execute();
      ids.push([table, rows.map((row) => String(Object.values(row)[0])).sort()]);
    }
    return ids;
  });
  return Object.fromEntries(found);
}

const inEveryTable = (...ids: string[]) =>
  Object.fromEntries(COLUMNS.map(([table]) => [table, ids]));

describe('a migration', () => {
  it('moves all data of the document to its new ID, and nothing else', async () => {
    const service = await startWithDocument();
    expect(await readDocumentIds(service)).toEqual(inEveryTable('d1', 'other'));
    const response = await service.call(MIGRATE, MOVE);
    expect(response).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Document migration started successfully.',
          data: { migrationId: expect.stringMatching(/^[0-9a-f]{32}$/) },
        },
      },
    });
    await service.whenIdle();
    const { migrationId } = response.body.result?.data ?? {};
    expect(await service.call(STATUS, { ...ACME, migrationId })).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Migration status retrieved successfully.',
          data: { migrationId, status: 'completed' },
        },
      },
    });
    expect(await readDocumentIds(service)).toEqual(inEveryTable('d2', 'other'));
    const { body } = await service.call('/v2/organizations/documents/get', {
      ...ACME,
      documentIds: ['d1', 'd2'],
    });
    expect(body.result?.data).toEqual([
      expect.objectContaining({ id: 'd2', documentName: 'Plan' }),
    ]);
  });

  it('reports its status: pending, in progress, completed', async () => {
    const service = await startWithDocument();
    const statuses: string[] = [];
    const { store } = service;
    const watched = {
      ...store,
      write: async <Result>(work: Parameters<typeof store.write<Result>>[0]) => {
        const result = await store.write(work);
        statuses.push(await rowStatus(service));
        return result;
      },
    };
    await service.store.write((database) =>
      database
        .insertInto('documentMigrations')
        .values({
          ...MOVE,
          migrationId: 'm',
          apiKey: service.credentials.apiKey,
          status: 'pending',
          createdAt: 0,
        })
        .execute(),
    );
    await finishMigration(watched, 'm');
    expect(statuses).toEqual(['in_progress', 'completed']);
  });

  const rowStatus = async ({ store }: TestService) =>
    (
      await store.read((database) =>
        database.selectFrom('documentMigrations').select('status').executeTakeFirstOrThrow(),
      )
    ).status;

  it.each(['pending', 'in_progress'] as const)(
    'resumes if it was %s when the service stopped',
    async (status) => {
      const service = await startWithDocument();
      const row = { ...MOVE, apiKey: service.credentials.apiKey, status, createdAt: 0 };
      await service.store.write((database) =>
        database
          .insertInto('documentMigrations')
          .values([
            { ...row, migrationId: 'one' },
            { ...row, migrationId: 'two', documentId: 'other', newDocumentId: 'another' },
          ])
          .execute(),
      );
      expect(await statusOf(service, 'one')).toBe(status);
      await service.whenIdle();
      expect(await statusOf(service, 'one')).toBe('completed');
      expect(await readDocumentIds(service)).toEqual(inEveryTable('d2', 'other'));
      await finishMigrations(service.store);
      expect(await readDocumentIds(service)).toEqual(inEveryTable('another', 'd2'));
    },
  );

  it.each([
    ['a missing document', { ...MOVE, documentId: 'no' }],
    ['a missing organization', { ...MOVE, organizationId: 'no' }],
    ['a new ID that is in use', { ...MOVE, newDocumentId: 'other' }],
  ])('fails for %s, and moves nothing', async (_, data) => {
    const service = await startWithDocument();
    const migrationId = await migrate(service, data);
    await service.whenIdle();
    const { organizationId } = data;
    const { body } = await service.call(STATUS, { organizationId, migrationId });
    expect(body.result?.data).toEqual({ migrationId, status: 'failed' });
    expect(await readDocumentIds(service)).toEqual(inEveryTable('d1', 'other'));
  });

  it('is not found with another ID, organization, or API key', async () => {
    const service = await startWithDocument();
    const migrationId = await migrate(service);
    const second = await addSecondKey(service);
    const responses = [
      await service.call(STATUS, { ...ACME, migrationId: 'no' }),
      await service.call(STATUS, { organizationId: 'no', migrationId }),
      await service.call(STATUS, { ...ACME, migrationId }, second),
    ];
    const unknown = {
      http: 404,
      body: { error: { status: 'NOT_FOUND', message: 'Migration not found.' } },
    };
    expect(responses).toEqual([unknown, unknown, unknown]);
  });

  it('does not reach the documents of another API key', async () => {
    const service = await startWithDocument();
    const second = await addSecondKey(service);
    const { body } = await service.call(MIGRATE, MOVE, second);
    await service.whenIdle();
    const { migrationId } = body.result?.data ?? {};
    const status = await service.call(STATUS, { ...ACME, migrationId }, second);
    expect(status.body.result?.data.status).toBe('failed');
    expect(await readDocumentIds(service)).toEqual(inEveryTable('d1', 'other'));
  });

  it.each([
    {},
    { ...MOVE, organizationId: '' },
    { ...MOVE, documentId: 7 },
    { ...MOVE, newDocumentId: undefined },
    { ...MOVE, newDocumentId: 'd1' },
  ])('is not started by %j', async (data) => {
    const { call, store } = await startTestService();
    expect((await call(MIGRATE, data)).body.error?.status).toBe('INVALID_ARGUMENT');
    const rows = await store.read((database) =>
      database.selectFrom('documentMigrations').selectAll().execute(),
    );
    expect(rows).toEqual([]);
  });
});
