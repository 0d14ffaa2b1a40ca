import { describe, expect, it } from 'vitest';
import { finishMigration, finishMigrations } from '../../src/service/records/migrations.ts';
import type { Tables } from '../../src/service/store/tables.ts';
import { secondKey, serviceWorld, type World } from './world.ts';

const MIGRATE = '/v2/organizations/documents/migrate';
const STATUS = `${MIGRATE}/status`;
const ACME = { organizationId: 'acme' };
const MOVE = { ...ACME, documentId: 'd1', newDocumentId: 'd2' };

const migrate = async ({ call }: World, data: object = MOVE): Promise<string> =>
  (await call(MIGRATE, data)).body.result?.data.migrationId;
const statusOf = async ({ call }: World, migrationId: string) =>
  (await call(STATUS, { ...ACME, migrationId })).body.result?.data.status;

/** A document that has something of everything, beside another one. */
async function filledWorld(): Promise<World> {
  const world = await serviceWorld();
  const { call } = world;
  const documents = [{ documentId: 'd1', documentName: 'Plan' }, { documentId: 'other' }];
  await call('/v1/organizations/documents/add', { ...ACME, documents });
  for (const documentId of ['d1', 'other']) {
    const place = { ...ACME, documentId };
    const user = { userId: `user of ${documentId}` };
    const answers = await Promise.all([
      call('/v1/users/add', { ...place, users: [user] }),
      call('/v2/crdt/add', { ...place, editorId: 'e', type: 'text', data: documentId }),
      call('/v2/presence/update', { ...place, users: [user] }),
      call('/v2/activities/add', {
        ...place,
        activities: [{ id: documentId, featureType: 'custom', actionType: 'x', actionUser: user }],
      }),
      call('/v2/notifications/add', {
        ...place,
        actionUser: user,
        notifyUsers: [user],
        displayHeadlineMessageTemplate: 'h',
        displayBodyMessage: 'b',
      }),
    ]);
    expect(answers.map(({ http }) => http)).toEqual([200, 200, 200, 200, 200]);
  }
  return world;
}

const COLUMNS = [
  ['documents', 'documentId'],
  ['editors', 'documentId'],
  ['presence', 'documentId'],
  ['activities', 'documentId'],
  ['userData', 'documentId'],
  ['members', 'resourceId'],
] as const satisfies readonly (readonly [keyof Tables, string])[];

/** The ids of the documents that each table knows. */
async function documentsIn({ store }: World) {
  const found = await store.read(async (database) => {
    const ids: [string, string[]][] = [];
    for (const [table, column] of COLUMNS) {
      const { dynamic } = database;
      const rows = await database.selectFrom(table).select(dynamic.ref<string>(column)).distinct().execute();
      ids.push([table, rows.map((row) => String(Object.values(row)[0])).sort()]);
    }
    return ids;
  });
  return Object.fromEntries(found);
}

const everywhere = (...ids: string[]) => Object.fromEntries(COLUMNS.map(([table]) => [table, ids]));

describe('a migration', () => {
  it('moves everything of the document to its new id, and nothing else', async () => {
    const world = await filledWorld();
    expect(await documentsIn(world)).toEqual(everywhere('d1', 'other'));
    const answer = await world.call(MIGRATE, MOVE);
    expect(answer).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Document migration started successfully.',
          data: { migrationId: expect.stringMatching(/^[0-9a-f]{32}$/) },
        },
      },
    });
    await world.settled();
    const { migrationId } = answer.body.result?.data ?? {};
    expect(await world.call(STATUS, { ...ACME, migrationId })).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Migration status retrieved successfully.',
          data: { migrationId, status: 'completed' },
        },
      },
    });
    expect(await documentsIn(world)).toEqual(everywhere('d2', 'other'));
    const { body } = await world.call('/v2/organizations/documents/get', { ...ACME, documentIds: ['d1', 'd2'] });
    expect(body.result?.data).toEqual([expect.objectContaining({ id: 'd2', documentName: 'Plan' })]);
  });

  it('says where it is: pending, in progress, completed', async () => {
    const world = await filledWorld();
    const statuses: string[] = [];
    const { store } = world;
    const watched = {
      ...store,
      write: async <Result>(work: Parameters<typeof store.write<Result>>[0]) => {
        const result = await store.write(work);
        statuses.push(await rowStatus(world));
        return result;
      },
    };
    await world.store.write((database) =>
      database
        .insertInto('documentMigrations')
        .values({ ...MOVE, migrationId: 'm', apiKey: world.credentials.apiKey, status: 'pending', createdAt: 0 })
        .execute(),
    );
    await finishMigration(watched, 'm');
    expect(statuses).toEqual(['in_progress', 'completed']);
  });

  const rowStatus = async ({ store }: World) =>
    (
      await store.read((database) =>
        database.selectFrom('documentMigrations').select('status').executeTakeFirstOrThrow(),
      )
    ).status;

  it.each(['pending', 'in_progress'] as const)('that was %s when the service died goes on', async (status) => {
    const world = await filledWorld();
    const row = { ...MOVE, apiKey: world.credentials.apiKey, status, createdAt: 0 };
    await world.store.write((database) =>
      database
        .insertInto('documentMigrations')
        .values([
          { ...row, migrationId: 'one' },
          { ...row, migrationId: 'two', documentId: 'other', newDocumentId: 'another' },
        ])
        .execute(),
    );
    expect(await statusOf(world, 'one')).toBe(status);
    await world.settled();
    expect(await statusOf(world, 'one')).toBe('completed');
    expect(await documentsIn(world)).toEqual(everywhere('d2', 'other'));
    await finishMigrations(world.store);
    expect(await documentsIn(world)).toEqual(everywhere('another', 'd2'));
  });

  it.each([
    ['of no document', { ...MOVE, documentId: 'no' }],
    ['of no organization', { ...MOVE, organizationId: 'no' }],
    ['to a document that exists', { ...MOVE, newDocumentId: 'other' }],
  ])('%s fails, and moves nothing', async (_, data) => {
    const world = await filledWorld();
    const migrationId = await migrate(world, data);
    await world.settled();
    const { organizationId } = data;
    const { body } = await world.call(STATUS, { organizationId, migrationId });
    expect(body.result?.data).toEqual({ migrationId, status: 'failed' });
    expect(await documentsIn(world)).toEqual(everywhere('d1', 'other'));
  });

  it('is unknown under another id, organization or API key', async () => {
    const world = await filledWorld();
    const migrationId = await migrate(world);
    const second = await secondKey(world);
    const answers = [
      await world.call(STATUS, { ...ACME, migrationId: 'no' }),
      await world.call(STATUS, { organizationId: 'no', migrationId }),
      await world.call(STATUS, { ...ACME, migrationId }, second),
    ];
    const unknown = { http: 404, body: { error: { status: 'NOT_FOUND', message: 'Migration not found.' } } };
    expect(answers).toEqual([unknown, unknown, unknown]);
  });

  it('does not reach the documents of another API key', async () => {
    const world = await filledWorld();
    const second = await secondKey(world);
    const { body } = await world.call(MIGRATE, MOVE, second);
    await world.settled();
    const { migrationId } = body.result?.data ?? {};
    const status = await world.call(STATUS, { ...ACME, migrationId }, second);
    expect(status.body.result?.data.status).toBe('failed');
    expect(await documentsIn(world)).toEqual(everywhere('d1', 'other'));
  });

  it.each([
    {},
    { ...MOVE, organizationId: '' },
    { ...MOVE, documentId: 7 },
    { ...MOVE, newDocumentId: undefined },
    { ...MOVE, newDocumentId: 'd1' },
  ])('is not started by %j', async (data) => {
    const { call, store } = await serviceWorld();
    expect((await call(MIGRATE, data)).body.error?.status).toBe('INVALID_ARGUMENT');
    const rows = await store.read((database) => database.selectFrom('documentMigrations').selectAll().execute());
    expect(rows).toEqual([]);
  });
});
