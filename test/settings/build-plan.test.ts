import { describe, expect, it } from 'vitest';
import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { getEntry, manifest } from '../../src/catalog/manifest.ts';
import { findSecretPaths } from '../../src/catalog/secrets.ts';
import { CONFIG_NAMES, CONFIGS } from '../../src/settings/kinds.ts';
import type { Change, Plan } from '../../src/settings/plan.ts';
import { createRecordKey, parseRecordKey } from '../../src/settings/settings.ts';
import { secret, startPlannedWorld } from './planned-world.ts';

const lines = ({ changes }: Pick<Plan, 'changes'>) =>
  changes.map(({ sign, kind, id, field, before, after }: Change) =>
    [
      sign,
      kind,
      id,
      ...(field === null ? [] : [field, JSON.stringify(before), JSON.stringify(after)]),
    ].join(' '),
  );

describe('kinds', () => {
  it('classifies each operation by its effect', () => {
    for (const { name, effect, settings } of manifest)
      expect([name, settings === 'read']).toEqual([name, effect === 'read']);
  });

  it('knows the secret of each configuration', async () => {
    for (const name of CONFIG_NAMES) {
      const { read, nested, secret: field } = CONFIGS[name];
      const { output } = await loadOperation(getEntry(read).resource, read satisfies OperationName);
      expect(findSecretPaths(output)).toEqual(field === undefined ? [] : [[nested, field]]);
    }
  });

  it('creates keys that can be parsed, whatever the IDs contain', () => {
    for (const id of ['plans', 'a/b', '100%', '%2F', 'ü', '../..']) {
      const key = createRecordKey('folders', 'a/c%me', id);
      expect(parseRecordKey(key)).toEqual({ kind: 'folders', org: 'a/c%me', id });
    }
  });
});

describe('plans', () => {
  const folder = (folderId: string, rest: object = {}) => ({
    organizationId: 'acme',
    folderId,
    ...rest,
  });

  it('creates folders by depth, and is empty afterwards', async () => {
    const world = await startPlannedWorld();
    const folders = [
      folder('c', { folderName: 'C', parentFolderId: 'b' }),
      folder('b', { parentFolderId: 'a', accessType: 'restricted' }),
      folder('a', { folderName: 'A' }),
    ];
    const plan = await world.plan({ folders });
    expect(plan.summary).toEqual({ create: 3, update: 0, replace: 0, delete: 0, send: 0 });
    expect(plan.writes.map(({ items }) => items.map(({ key }) => key))).toEqual([
      ['folders/acme/a'],
      ['folders/acme/b'],
      ['folders/acme/c'],
    ]);
    expect(plan.writes[2]?.items[0]?.requires).toEqual(['folders/acme/b']);
    await world.apply(plan);
    expect((await world.plan({ folders })).changes).toEqual([]);
  });

  it('turns a folder tree upside down', async () => {
    const world = await startPlannedWorld();
    await world.apply(
      await world.plan({ folders: [folder('a'), folder('b', { parentFolderId: 'a' })] }),
    );
    const folders = [
      folder('a', { parentFolderId: 'b' }),
      folder('b', { parentFolderId: 'root', folderName: 'Top' }),
    ];
    const plan = await world.plan({ folders });
    expect(lines(plan)).toEqual([
      '~ folders b folderName null "Top"',
      '~ folders b parentFolderId "a" "root"',
      '~ folders a parentFolderId "root" "b"',
    ]);
    await world.apply(plan);
    expect((await world.plan({ folders })).changes).toEqual([]);
  });

  it('refuses folders without a parent, inside themselves, and with another access type', async () => {
    const world = await startPlannedWorld();
    await world.apply(
      await world.plan({ folders: [folder('a'), folder('b', { parentFolderId: 'a' })] }),
    );
    const { changes, writes } = await world.plan({
      folders: [
        folder('a', { parentFolderId: 'b' }),
        folder('b', { accessType: 'restricted' }),
        folder('c', { parentFolderId: 'no' }),
      ],
    });
    expect(changes.map(({ sign, id, reason }) => [sign, id, reason])).toEqual([
      ['!', 'c', 'the parent folder no does not exist'],
      ['!', 'a', 'the folder would contain itself'],
      ['!', 'b', 'the access of an existing folder cannot be changed'],
    ]);
    expect(writes).toEqual([]);
  });

  it('keeps undeclared nested settings before the first enable, but sends no triggers', async () => {
    const world = await startPlannedWorld();
    const { webhookConfig } = await import('../../src/catalog/webhook-config.ts');
    const stored = { encryptData: true, publicKey: 'key', processedNotificationUrl: 'https://p' };
    await world.client.send(webhookConfig['webhooks.config.update'], {
      useWebhookService: false,
      webhookServiceConfig: stored,
    });
    const declared = { rawNotificationUrl: 'https://a.example/raw' };
    const plan = await world.plan({
      config: { webhook: { useWebhookService: true, webhookServiceConfig: declared } },
    });
    expect(plan.writes[0]?.items[0]?.data).toEqual({
      useWebhookService: true,
      webhookServiceConfig: { ...stored, ...declared },
    });
  });

  it('sends every declared field of a configuration, and the live values of the others', async () => {
    const world = await startPlannedWorld();
    const declared = {
      config: {
        webhook: {
          useWebhookService: true,
          webhookServiceConfig: {
            rawNotificationUrl: 'https://a.example/raw',
            authToken: secret('TOKEN'),
            triggers: { 'comment.add': false },
          },
        },
      },
    };
    const first = await world.plan(declared);
    expect(lines(first)).toEqual([
      '~ config webhook useWebhookService false true',
      '~ config webhook webhookServiceConfig.rawNotificationUrl "" "https://a.example/raw"',
      '~ config webhook webhookServiceConfig.authToken "differ" "differ"',
    ]);
    expect(first.writes[0]?.items[0]?.data).toEqual({
      useWebhookService: true,
      webhookServiceConfig: {
        rawNotificationUrl: 'https://a.example/raw',
        authToken: { $secret: { env: 'TOKEN' } },
        triggers: { 'comment.add': false },
      },
    });
    await world.apply(first);
    expect((await world.plan(declared)).changes).toEqual([]);
    const second = await world.plan({
      config: { webhook: { webhookServiceConfig: { encodeData: true } } },
    });
    expect(lines(second)).toEqual(['~ config webhook webhookServiceConfig.encodeData null true']);
    const sent = second.writes[0]?.items[0]?.data['webhookServiceConfig'];
    expect(sent).toMatchObject({
      encodeData: true,
      rawNotificationUrl: 'https://a.example/raw',
      authToken: { $secret: 'live' },
    });
    expect(Object(sent).triggers).toMatchObject({ 'comment.add': false, 'comment.update': true });
  });

  it('neither compares nor sends a secret that the service masks', async () => {
    const world = await startPlannedWorld();
    const stored = {
      authToken: '****cdef',
      rawNotificationUrl: 'https://a.example',
      triggers: { 'comment.add': true },
    };
    await world.service.call('/v2/workspace/webhookconfig/update', {
      useWebhookService: true,
      webhookServiceConfig: stored,
    });
    const plan = (webhookServiceConfig: object) =>
      world.plan({ config: { webhook: { webhookServiceConfig } } });
    const masked = await plan({ authToken: secret('TOKEN') });
    expect(masked.changes).toMatchObject([
      { sign: '?', before: 'differ', reason: 'the service masks this secret' },
    ]);
    expect(masked.writes).toEqual([]);
    const { writes } = await plan({ encodeData: true });
    expect(Object.keys(Object(writes[0]?.items[0]?.data['webhookServiceConfig']))).not.toContain(
      'authToken',
    );
  });

  it('creates, updates, replaces, adopts, and prunes endpoints', async () => {
    const world = await startPlannedWorld();
    const config = { advancedWebhooks: { isEnabled: true } };
    const endpoints = [
      { uid: 'acme.a', url: 'https://a.example', filterTypes: ['comment.add', 'comment.update'] },
      { uid: 'acme.b', url: 'https://b.example', description: null },
      { uid: 'foreign', url: 'https://f.example' },
    ];
    const first = await world.plan({ config, endpoints });
    expect(lines(first)).toEqual([
      '~ config advancedWebhooks isEnabled false true',
      '+ endpoints acme.a',
      '+ endpoints acme.b',
      '+ endpoints foreign',
    ]);
    expect(first.writes[1]?.items[0]?.requires).toEqual(['config//advancedWebhooks']);
    await world.apply(first);
    expect((await world.plan({ config, endpoints })).changes).toEqual([]);
    const reordered = [
      { uid: 'acme.a', url: 'https://a.example', filterTypes: ['comment.update', 'comment.add'] },
    ];
    expect((await world.plan({ endpoints: reordered })).changes).toEqual([]);

    const { data } = (await world.service.call('/v2/workspace/advancedwebhook/endpoints/get', {}))
      .body.result ?? {
      data: null,
    };
    const { id } = data.endpoints.find(({ uid }: { uid: string }) => uid === 'foreign');
    const changed = [
      { uid: 'acme.a', url: 'https://a.example/2', filterTypes: null },
      { id, uid: 'acme.f', url: 'https://f.example' },
      { id: 'ep_missing', url: 'https://x.example' },
    ];
    const second = await world.plan({ endpoints: changed }, { prune: true, stack: 'acme' });
    expect(lines(second)).toEqual([
      '-/+ endpoints acme.a',
      '-/+ endpoints acme.f',
      '! endpoints ep_missing',
      '- endpoints acme.b',
    ]);
    expect(second.changes.map(({ reason }) => reason)).toEqual([
      'filterTypes cannot be cleared',
      'uid cannot be changed',
      'there is no endpoint with this ID; declare a uid to create one',
      undefined,
    ]);
    await world.apply(second);
    expect(
      (await world.plan({ endpoints: changed.slice(0, 2) }, { prune: true, stack: 'acme' }))
        .changes,
    ).toEqual([]);
  });

  it('refuses to prune more than the limit, or without a stack', async () => {
    const world = await startPlannedWorld();
    const endpoints = ['acme.a', 'acme.b', 'x'].map((uid) => ({ uid, url: 'https://a.example' }));
    await world.apply(
      await world.plan({ config: { advancedWebhooks: { isEnabled: true } }, endpoints }),
    );
    const prune = (rest: object) =>
      world.plan({ endpoints: [] }, { prune: true, stack: 'acme', ...rest });
    await expect(prune({})).rejects.toThrow(
      'the plan would delete 2 endpoints of 3, more than the limit of 1',
    );
    await expect(prune({ stack: undefined })).rejects.toThrow('--prune requires a stack');
    expect(lines(await prune({ pruneLimit: 2 }))).toEqual([
      '- endpoints acme.b',
      '- endpoints acme.a',
    ]);
  });

  it('prunes only endpoints of exactly this stack, and counts no other dotted uids', async () => {
    const world = await startPlannedWorld();
    const call = (name: string, data: object) => world.service.call(`/v2/workspace/${name}`, data);
    await call('advancedwebhookconfig/update', { isEnabled: true });
    const uids = ['team.a', 'team.web.p', 'team-web.p', 'team.', '.team', 'team', 'teamx.a'];
    for (const uid of uids)
      await call('advancedwebhook/endpoints/create', { uid, url: 'https://a.example' });
    const prune = (stack: string) => world.plan({ endpoints: [] }, { prune: true, stack });
    expect(lines(await prune('team'))).toEqual(['- endpoints team.a']);
    expect(lines(await prune('team-web'))).toEqual(['- endpoints team-web.p']);
    expect(lines(await prune('team.web'))).toEqual([]);
    for (const uid of ['team.b', 'team.c', 'team.d'])
      await call('advancedwebhook/endpoints/create', { uid, url: 'https://a.example' });
    await expect(prune('team')).rejects.toThrow(
      'delete 4 endpoints of 7, more than the limit of 3',
    );
  });

  it('reports endpoints that cannot be read, unless the file enables advanced webhooks', async () => {
    const world = await startPlannedWorld();
    const endpoints = [{ uid: 'acme.a', url: 'https://a.example' }];
    const { changes, writes } = await world.plan({ endpoints });
    expect(changes).toMatchObject([
      { sign: '?', kind: 'endpoints', id: null, reason: expect.stringContaining('not configured') },
    ]);
    expect(writes).toEqual([]);
  });

  it('creates documents in folders, and never changes them', async () => {
    const world = await startPlannedWorld();
    const documents = [
      { organizationId: 'acme', documentId: 'd1', documentName: 'One', folderId: 'a' },
      { organizationId: 'acme', documentId: 'd2', documentName: 'Two' },
    ];
    const declared = { folders: [folder('a')], documents };
    const plan = await world.plan(declared);
    expect(
      plan.writes.map(({ operation, shared, items }) => [operation, shared, items[0]?.requires]),
    ).toEqual([
      ['folders.add', { organizationId: 'acme', createOrganization: true }, []],
      ['documents.add', { organizationId: 'acme', folderId: 'a' }, ['folders/acme/a']],
      ['documents.add', { organizationId: 'acme' }, []],
    ]);
    await world.apply(plan);
    expect((await world.plan(declared)).changes).toEqual([]);
    const moved = [
      { ...documents[0], folderId: 'root' },
      { ...documents[1], documentName: 'Zwei' },
    ];
    expect(lines(await world.plan({ documents: moved }))).toEqual([
      '! documents d1 folderId  "root"',
      '! documents d2 documentName "Two" "Zwei"',
    ]);
  });

  it('sends records that cannot be read, once', async () => {
    const world = await startPlannedWorld();
    const declared = {
      organizations: [{ organizationId: 'acme', organizationName: 'Acme' }],
      folders: [folder('a')],
      groups: [{ organizationId: 'acme', groupId: 'g', userIds: ['u1', 'u2'] }],
      users: [
        { organizationId: 'acme', userId: 'u1', name: 'Ada' },
        {
          organizationId: 'acme',
          userId: 'u2',
          memberships: [
            { type: 'organization', id: 'acme' },
            { type: 'folder', id: 'a', accessRole: 'viewer' },
          ],
        },
        { organizationId: 'acme', userId: 'u3', memberships: [{ type: 'folder', id: 'a' }] },
      ],
    };
    const sent = new Set<string>();
    const options = { isSent: (record: object) => sent.has(JSON.stringify(record)) };
    const plan = await world.plan(declared, options);
    expect(lines(plan)).toEqual([
      '> organizations acme',
      '+ folders a',
      '> groups g',
      '> users u1',
      '> users u2',
      '> users u3',
    ]);
    expect(plan.summary.send).toBe(5);
    expect(plan.writes.map(({ operation, shared }) => [operation, shared])).toEqual([
      ['organizations.add', {}],
      ['folders.add', { organizationId: 'acme', createOrganization: true }],
      ['groups.add', { organizationId: 'acme' }],
      ['users.add', { organizationId: 'acme' }],
      ['users.add', { organizationId: 'acme', folderId: 'a' }],
      ['permissions.add', {}],
      ['groups.add-users', { organizationId: 'acme', organizationUserGroupId: 'g' }],
    ]);
    await world.apply(plan);
    const { toSentRecord } = await import('../../src/settings/ledger.ts');
    for (const write of plan.writes)
      for (const item of write.items) sent.add(JSON.stringify(toSentRecord(write, item)));
    expect((await world.plan(declared, options)).changes).toEqual([]);
  });

  it('watches agents', async () => {
    const world = await startPlannedWorld();
    expect(lines(await world.plan({ agents: [{ id: 'a1', name: 'Helper' }] }))).toEqual([
      '! agents a1',
    ]);
  });
});
