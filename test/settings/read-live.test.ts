import { expect, it } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { queryDeclared } from '../../src/settings/live/declared-query.ts';
import { createRequestQueue, readLive } from '../../src/settings/live/read-live.ts';
import { findLiveRecord } from '../../src/settings/live-records.ts';
import { SLOW } from '../slow.ts';
import { startPlannedWorld } from './planned-world.ts';

const document = (at: number, rest: object = {}) => ({
  organizationId: 'acme',
  documentId: `d${at}`,
  ...rest,
});
const range = (count: number) => Array.from({ length: count }, (_, at) => at);

it('reads only what is declared', async () => {
  const world = await startPlannedWorld();
  const live = await readLive(
    world.client,
    queryDeclared({ config: { email: {} }, folders: [{ organizationId: 'no', folderId: 'f' }] }),
  );
  expect(world.calls.toSorted().reverse()).toEqual([
    '/v2/workspace/emailconfig/get',
    '/v2/organizations/folders/get',
  ]);
  expect(live.reads).toBe(2);
  expect(findLiveRecord(live, 'folders/no/f')).toBeUndefined();
  expect(findLiveRecord(live, 'config//email')).toMatchObject({ useEmailService: false });
});

it('reads documents by ID, in pages, and by folder, with few requests', SLOW, async () => {
  const world = await startPlannedWorld();
  const add = (folderId: string | undefined, from: number, to: number) =>
    world.service.call('/v1/organizations/documents/add', {
      organizationId: 'acme',
      documents: range(to - from).map((at) => ({ documentId: `d${from + at}` })),
      ...(folderId && { folderId }),
    });
  await world.service.call('/v2/organizations/folders/add', {
    organizationId: 'acme',
    createOrganization: true,
    folders: [{ folderId: 'f' }],
  });
  await add(undefined, 0, 2_500);
  await add('f', 2_500, 2_510);
  const read = async (...documents: readonly object[]) => {
    const live = await readLive(
      world.client,
      queryDeclared({ documents: documents as { organizationId: string }[] }),
    );
    return { reads: live.reads, found: live.documents.get('acme')?.records };
  };
  const few = await read(...range(20).map((at) => document(at)), document(99_999));
  expect([few.reads, few.found?.size]).toEqual([1, 20]);
  const all = await read(...range(2_510).map((at) => document(at)));
  expect([all.reads, all.found?.size]).toEqual([3, 2_510]);
  const last = await read(...range(60).map((at) => document(2_400 + at)));
  expect([last.reads, last.found?.size]).toEqual([4, 60]);
  const inFolder = await read(
    document(2_500, { folderId: 'f' }),
    document(2_501, { folderId: 'f' }),
  );
  expect([inFolder.reads, inFolder.found?.get('d2500')]).toMatchObject([1, { folderId: 'f' }]);
  const elsewhere = await read(document(1, { folderId: 'f' }), document(2_501, { folderId: 'no' }));
  expect([
    elsewhere.reads,
    elsewhere.found?.get('d1'),
    elsewhere.found?.get('d2501')?.['folderId'],
  ]).toMatchObject([3, { id: 'd1' }, undefined]);
});

it('reports refused kinds, and fails if every read is denied', async () => {
  const world = await startPlannedWorld({ without: ['advanced-queries'] });
  const query = queryDeclared({
    config: { webhook: {} },
    folders: [{ organizationId: 'acme' }],
    endpoints: [],
  });
  const live = await readLive(world.client, query);
  expect(live.folders.get('acme')?.problem?.failure).toBe('failed_precondition');
  expect(live.endpoints?.problem?.failure).toBe('failed_precondition');
  const denied = async () => {
    throw new SvcError('permission_denied', 'Invalid API key.');
  };
  await expect(readLive({ ...world.client, call: denied }, query)).rejects.toThrow(
    'Invalid API key.',
  );
});

it.each([
  ['endpoints', { endpoints: [{ url: 'https://x.example' }], done: true }, 'id'],
  ['folders', [{ folderName: 'Plans' }], 'folderId'],
  ['documents', [{ documentName: 'Plan' }], 'id'],
])('fails if the service leaves out an ID: %s', async (kind, data, field) => {
  const world = await startPlannedWorld();
  const call = async () => ({ sent: true, result: {}, data }) as never;
  const query = queryDeclared({ [kind]: [{ organizationId: 'acme', documentId: 'd1' }] });
  await expect(readLive({ ...world.client, call }, query)).rejects.toMatchObject({
    failure: 'invalid_response',
    message: expect.stringContaining(`returned a record without ${field}`),
  });
});

it('limits the number of concurrent tasks, and starts none after a failure', async () => {
  const run = createRequestQueue(6, () => true);
  let running = 0;
  let most = 0;
  await Promise.all(
    range(50).map(() =>
      run(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
      }),
    ),
  );
  expect(most).toBe(6);
  let started = 0;
  const failing = createRequestQueue(1, () => true);
  const results = await Promise.allSettled(
    range(5).map((at) =>
      failing(async () => {
        started += 1;
        if (at === 1) throw new Error('refused');
      }),
    ),
  );
  expect(started).toBe(2);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', ...Array(4).fill('rejected')]);
});

it('reads the other records if one kind is refused', async () => {
  const world = await startPlannedWorld();
  const folders = range(20).map((at) => `org${at}`);
  const live = await readLive(world.client, {
    configs: ['webhook'],
    endpoints: true,
    folders,
    documents: [],
    agents: [],
  });
  expect(live.endpoints?.problem?.failure).toBe('failed_precondition');
  expect([...live.folders.values()].filter(({ problem }) => problem)).toEqual([]);
});
