import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PlannedWrite } from '../../src/settings/plan.ts';
import { createRecordKey } from '../../src/settings/settings.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { addFolders, folderItem, startPlanRuns, TARGET } from './plan-run.ts';

const FOLDERS = '/v2/organizations/folders';
const config = (name: string) => createRecordKey('config', null, name);

const WEBHOOK: PlannedWrite = {
  operation: 'webhooks.config.update',
  shared: {},
  items: [
    {
      key: config('webhook'),
      data: {
        useWebhookService: true,
        webhookServiceConfig: {
          rawNotificationUrl: 'https://hooks.example.com/raw',
          authToken: { $secret: { env: 'HOOK_TOKEN' } },
        },
      },
      requires: [],
    },
  ],
};
const ADVANCED: PlannedWrite = {
  operation: 'webhooks.advanced.update',
  shared: {},
  items: [{ key: config('advancedWebhooks'), data: { isEnabled: true }, requires: [] }],
};
const createEndpoint = (uid: string, url = `https://hooks.example.com/${uid}`): PlannedWrite => ({
  operation: 'webhooks.endpoints.create',
  shared: {},
  items: [
    {
      key: createRecordKey('endpoints', null, uid),
      data: { uid, url },
      requires: [config('advancedWebhooks')],
    },
  ],
});

describe('runPlan', () => {
  it('sends items in batches and single calls, in order, with their secrets', SLOW, async () => {
    const { run, read, requests } = await startPlanRuns();
    const writes = [
      addFolders(folderItem('a'), folderItem('b')),
      addFolders(folderItem('c', { parentFolderId: 'a' })),
      WEBHOOK,
      ADVANCED,
      createEndpoint('acme.billing'),
    ];
    const { stop, counters } = await run(writes, { secrets: { HOOK_TOKEN: 'hook-token-1234' } });
    expect(stop).toBeUndefined();
    expect(counters).toMatchObject({ succeeded: 6, failed: 0, unknown: 0 });
    const writing = requests.filter(({ path }) => !path.endsWith('/get')).map(({ path }) => path);
    expect(writing).toEqual([
      `${FOLDERS}/add`,
      `${FOLDERS}/add`,
      '/v2/workspace/webhookconfig/update',
      '/v2/workspace/advancedwebhookconfig/update',
      '/v2/workspace/advancedwebhook/endpoints/create',
    ]);
    const stored = await read('/v2/workspace/webhookconfig/get', {});
    expect(stored.webhookServiceConfig).toMatchObject({ authToken: 'hook-token-1234' });
  });

  it('stops only the items that require a failed one', async () => {
    const { run, read } = await startPlanRuns();
    const { stop, counters, journal } = await run([
      addFolders(folderItem('a'), folderItem('x', { parentFolderId: 'missing' })),
      addFolders(
        folderItem('a1', { parentFolderId: 'a' }),
        folderItem('x1', { parentFolderId: 'x' }),
      ),
      addFolders(
        folderItem('a2', { parentFolderId: 'a1' }),
        folderItem('x2', { parentFolderId: 'x1' }),
      ),
      createEndpoint('acme.billing'),
      ADVANCED,
    ]);
    expect(stop).toBeUndefined();
    expect(counters).toMatchObject({ succeeded: 4, failed: 4, unknown: 0 });
    expect([...journal.unsuccessfulRecords()]).toMatchObject([
      { at: 1, id: 'x', message: 'Parent folder not found.' },
      { at: 3, id: 'x1', message: 'not sent, because it requires x (folders)', code: 'not_sent' },
      { at: 5, id: 'x2', message: 'not sent, because it requires x1 (folders)' },
      { at: 6, id: 'acme.billing', code: 'failed_precondition' },
    ]);
    const folders = await read(`${FOLDERS}/get`, { organizationId: 'acme' });
    expect(folders.map(({ folderId }: { folderId: string }) => folderId).sort()).toEqual([
      'a',
      'a1',
      'a2',
    ]);
    expect(await read('/v2/workspace/advancedwebhookconfig/get', {})).toMatchObject({
      isEnabled: true,
    });
  });

  it('sends the failed items again when it resumes', async () => {
    let broken = true;
    const { run, createJournal, read } = await startPlanRuns(({ path, data }) => {
      if (!broken || !path.endsWith('/folders/add') || data.folders[0].folderId !== 'b')
        return undefined;
      const error = { status: 'FAILED_PRECONDITION', message: 'not now' };
      return Response.json({ error }, { status: 400 });
    });
    const writes = [
      addFolders(folderItem('a')),
      addFolders(folderItem('b')),
      addFolders(
        folderItem('b1', { parentFolderId: 'b' }),
        folderItem('a1', { parentFolderId: 'a' }),
      ),
    ];
    const journal = await createJournal();
    expect((await run(writes, { journal })).counters).toMatchObject({ succeeded: 2, failed: 2 });
    broken = false;
    expect((await run(writes, { journal })).counters).toMatchObject({ succeeded: 4, failed: 0 });
    journal.verify();
    expect(await read(`${FOLDERS}/get`, { organizationId: 'acme' })).toHaveLength(4);
  });

  it('reads the results per item of a failed call', async () => {
    const { run } = await startPlanRuns(({ path, data }) => {
      if (!path.endsWith('/usergroups/add')) return undefined;
      const details = Object.fromEntries(
        data.organizationUserGroups.map(({ groupId }: { groupId: string }) => [
          groupId,
          groupId === 'bad'
            ? { success: false, message: 'no such thing', code: 'not-found' }
            : { success: true },
        ]),
      );
      return Response.json(
        { error: { status: 'INTERNAL', message: 'partial', details } },
        { status: 500 },
      );
    });
    const item = (groupId: string) => ({
      key: createRecordKey('groups', 'acme', groupId),
      data: { groupId },
      requires: [],
    });
    const write: PlannedWrite = {
      operation: 'groups.add',
      shared: { organizationId: 'acme' },
      items: [item('good'), item('bad'), item('fine')],
    };
    const { counters, journal } = await run([write]);
    expect(counters).toMatchObject({ succeeded: 2, failed: 1, requests: 1 });
    expect([...journal.unsuccessfulRecords()]).toMatchObject([
      { id: 'bad', message: 'no such thing' },
    ]);
  });

  it('fails a record that the service stores differently, and names the field', async () => {
    const { run, createJournal } = await startPlanRuns(({ path, data }) => {
      if (path.endsWith('/folders/add')) data.folders[0].folderName = 'by the service';
      if (path.endsWith('/webhookconfig/update'))
        data.webhookServiceConfig.authToken = 'another token';
      return undefined;
    });
    const journal = await createJournal();
    const writes = [addFolders(folderItem('a'), folderItem('b'), folderItem('c')), WEBHOOK];
    const { counters } = await run(writes, { journal, secrets: { HOOK_TOKEN: 'hook-token-1234' } });
    expect(counters).toMatchObject({ succeeded: 2, failed: 2 });
    expect([...journal.unsuccessfulRecords()]).toMatchObject([
      {
        at: 0,
        id: 'a',
        code: 'differs',
        message: expect.stringContaining('folderName "by the service" instead of "a"'),
      },
      {
        at: 3,
        id: 'webhook',
        message: 'written, but the service has another webhookServiceConfig.authToken',
      },
    ]);
    journal.verify();
    expect(journal.counts()).toMatchObject({ succeeded: 2, failed: 2, open: 0 });
  });
});

it('keeps the failures of a batch of which the service stores a record differently', async () => {
  const { run, createJournal } = await startPlanRuns(({ path, data }) => {
    const [folder] = data.folders ?? [];
    if (path.endsWith('/folders/add')) folder.folderName = 'by the service';
    return undefined;
  });
  const journal = await createJournal();
  const items = [folderItem('a'), folderItem('b', { parentFolderId: 'missing' }), folderItem('c')];
  const { counters } = await run([addFolders(...items)], { journal });
  expect(counters).toMatchObject({ succeeded: 1, failed: 2 });
  expect([...journal.unsuccessfulRecords()]).toMatchObject([
    { at: 0, id: 'a', code: 'differs' },
    { at: 1, id: 'b' },
  ]);
  journal.verify();
  expect(journal.counts()).toMatchObject({ succeeded: 1, failed: 2, open: 0 });
});

describe('users from a file', () => {
  const write = (path: string, records: number): PlannedWrite => ({
    operation: 'users.add',
    shared: {},
    items: [],
    from: { path, records },
  });

  it(
    'sends only the users that the ledger does not know, grouped by organization',
    SLOW,
    async () => {
      const { run, folders, requests, ledger } = await startPlanRuns();
      const path = join(folders.state, 'users.csv');
      const rows = Array.from(
        { length: 500 },
        (_, at) => `${at % 2 ? 'acme' : 'beta'},u${at},User ${at}`,
      );
      await writeFile(path, ['organizationId,userId,name', ...rows].join('\n'));
      const writes = [write(path, 500)];
      expect((await run(writes)).counters).toMatchObject({ succeeded: 500, failed: 0 });
      expect(requests.filter(({ path }) => path.endsWith('/users/add'))).toHaveLength(6);
      expect((await run(writes)).counters).toMatchObject({ succeeded: 0 });
      await writeFile(
        path,
        ['organizationId,userId,name', ...rows, 'acme,new,New', 'beta,u0,Renamed'].join('\n'),
      );
      expect((await run([write(path, 2)])).counters).toMatchObject({ succeeded: 2 });
      expect(ledger.knows(TARGET, { identity: ['users.add', 'users/acme/new'], data: [] })).toBe(
        false,
      );
    },
  );

  it('resumes with the users that were not acknowledged', SLOW, async () => {
    let answered = 0;
    const stop = new AbortController();
    const { run, folders, requests, createJournal } = await startPlanRuns(({ path }) => {
      if (path.endsWith('/users/add')) answered += 1;
      if (answered === 3) stop.abort(new Error('stopped'));
      return undefined;
    });
    const path = join(folders.state, 'users.csv');
    const rows = Array.from({ length: 1_000 }, (_, at) => `u${at},User ${at}`);
    await writeFile(path, ['userId,name', ...rows].join('\n'));
    const from = { path, records: 1_000, organizationId: 'acme' };
    const writes = [{ ...write(path, 1_000), from }, addFolders(folderItem('a'))];
    const journal = await createJournal();
    const first = await run(writes, { journal, signal: stop.signal });
    expect(first.stop).toMatchObject({ kind: 'signal' });
    const { succeeded } = first.counters;
    expect(succeeded).toBeGreaterThan(0);
    expect(succeeded).toBeLessThan(1_000);
    const second = await run(writes, { journal });
    expect(second.counters).toMatchObject({ succeeded: 1_001, failed: 0, unknown: 0 });
    const sent = requests
      .filter(({ path }) => path.endsWith('/users/add'))
      .flatMap(({ data }) => data.users);
    expect(new Set(sent.map(({ userId }: { userId: string }) => userId)).size).toBe(1_000);
    expect(sent).toHaveLength(1_000);
  });
});

describe('outcomes that are unknown', () => {
  it('looks up an endpoint by its uid before it is sent again', async () => {
    let lost = 2;
    const { run, requests, service, createJournal, read } = await startPlanRuns(
      async ({ path, data }) => {
        if (!path.endsWith('/endpoints/create') || lost === 0) return undefined;
        lost -= 1;
        // The first endpoint is written, and the second one is not.
        if (lost === 1) await service.call(path, data);
        throw new TypeError('connection lost');
      },
    );
    const journal = await createJournal();
    const [first, second] = [createEndpoint('acme.first'), createEndpoint('acme.second')];
    await run([ADVANCED]);
    const { stop } = await run([first, second], { journal });
    expect(stop).toBeUndefined();
    requests.length = 0;
    const { counters } = await run([first, second], { journal });
    expect(counters).toMatchObject({ succeeded: 2, failed: 0, unknown: 0 });
    const { endpoints } = await read('/v2/workspace/advancedwebhook/endpoints/get', {});
    expect(endpoints.map(({ uid }: { uid: string }) => uid)).toEqual(['acme.second', 'acme.first']);
    journal.verify();
  });
});

describe('random plans with random failures', () => {
  it.each(Array.from({ length: repeats(20) }, (_, at) => at))(
    'writes exactly the items whose requirements were written (%i)',
    SLOW,
    async () => {
      const ids = Array.from({ length: 30 }, (_, at) => `f${at}`);
      const parents = new Map(
        ids.map((id, at) => [id, ids[Math.floor(Math.random() * (at + 2)) - 2] ?? 'root']),
      );
      const failing = new Set(ids.filter(() => Math.random() < 0.15));
      const isWritten = (id: string): boolean =>
        id === 'root' || (!failing.has(id) && isWritten(parents.get(id) ?? 'root'));
      let isBroken = true;
      const { run, createJournal, read } = await startPlanRuns(async ({ path, data }) => {
        if (!isBroken || !path.endsWith('/folders/add')) return undefined;
        const refused = data.folders.filter(({ folderId }: { folderId: string }) =>
          failing.has(folderId),
        );
        if (refused.length === 0) return undefined;
        if (data.folders.length > 1) return refuse('one of them is wrong');
        return Math.random() < 0.5
          ? refuse('it is wrong')
          : refuse('not today', 'FAILED_PRECONDITION');
      });
      const items = ids.map((id) => {
        const parentFolderId = parents.get(id);
        return folderItem(id, parentFolderId === 'root' ? {} : { parentFolderId });
      });
      const cuts = [0, ...[10, 20].map((at) => at + Math.floor(Math.random() * 5)), items.length];
      const writes = cuts.slice(1).map((end, at) => addFolders(...items.slice(cuts[at], end)));
      const journal = await createJournal();
      const { counters, stop } = await run(writes, { journal });
      expect(stop).toBeUndefined();
      const written = ids.filter(isWritten);
      expect(counters).toMatchObject({
        succeeded: written.length,
        failed: ids.length - written.length,
        unknown: 0,
      });
      const stored = (await read(`${FOLDERS}/get`, { organizationId: 'acme' })) ?? [];
      expect(stored.map(({ folderId }: { folderId: string }) => folderId).sort()).toEqual(
        written.sort(),
      );
      isBroken = false;
      expect((await run(writes, { journal })).counters).toMatchObject({
        succeeded: ids.length,
        failed: 0,
      });
      journal.verify();
      expect(await read(`${FOLDERS}/get`, { organizationId: 'acme' })).toHaveLength(ids.length);
    },
  );
});

function refuse(message: string, status = 'INVALID_ARGUMENT') {
  return Response.json({ error: { status, message } }, { status: 400 });
}

it(
  'sends other writes after the service refused more than a hundred items of one',
  SLOW,
  async () => {
    const { run, read } = await startPlanRuns(({ path }) =>
      path.endsWith('/folders/add') ? refuse('no folders') : undefined,
    );
    const items = Array.from({ length: 250 }, (_, at) => folderItem(`f${at}`));
    const child = folderItem('child', { parentFolderId: 'f249' });
    const { counters, stop } = await run([addFolders(...items), addFolders(child), ADVANCED]);
    expect(stop).toMatchObject({ kind: 'fatal', error: { message: 'no folders' } });
    expect(counters.succeeded).toBe(1);
    expect(counters.failed).toBeGreaterThan(0);
    expect(await read('/v2/workspace/advancedwebhookconfig/get')).toMatchObject({
      isEnabled: true,
    });
  },
);
