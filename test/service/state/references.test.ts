import { describe, expect, it } from 'vitest';
import { type State, stateSchema } from '../../../src/catalog/state.ts';
import { exportState } from '../../../src/service/state/export.ts';
import { importState } from '../../../src/service/state/import.ts';
import { secondKey, serviceWorld, type World } from '../world.ts';
import { FULL_STATE } from './full-state.ts';

type Given = { readonly [Kind in keyof State]?: unknown };

async function load(world: World, given: Given, apiKey = world.credentials.apiKey): Promise<readonly string[]> {
  const state = stateSchema.parse(given);
  const findings = await importState({ store: world.store, apiKey, now: world.clock.now(), dryRun: false }, state);
  return findings.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const acme = { organizationId: 'acme' };
const folder = (folderId: string, parentFolderId?: string) => ({
  ...acme,
  folderId,
  ...(parentFolderId && { parentFolderId }),
});
const text = (data: string, type = 'text') => ({ ...acme, documentId: 'd', editorId: 'e', type, data });

describe('what does not fit together', () => {
  it.each<readonly [string, Given, readonly string[]]>([
    [
      'records that stand twice',
      {
        users: [
          { ...acme, userId: 'u' },
          { organizationId: 'other', userId: 'u' },
          { ...acme, userId: 'u' },
        ],
      },
      ["users.2.userId: 'u' is users[0] already"],
    ],
    [
      'a folder without its parent',
      { folders: [folder('a', 'b')] },
      ["folders.0.parentFolderId: there is no folder 'b'"],
    ],
    [
      'a parent in another organization',
      { folders: [folder('a', 'b'), { organizationId: 'other', folderId: 'b' }] },
      ["folders.0.parentFolderId: there is no folder 'b'"],
    ],
    [
      'a folder inside itself',
      { folders: [folder('a', 'a')] },
      ['folders.0.parentFolderId: the folder would stand inside itself'],
    ],
    [
      'a circle of folders, once',
      { folders: [folder('x', 'a'), folder('a', 'c'), folder('b', 'a'), folder('c', 'b')] },
      ['folders.0.parentFolderId: the folder would stand inside itself'],
    ],
    [
      'a folder named as the top level',
      { folders: [folder('root')] },
      ["folders.0.folderId: 'root' is the top level, not a folder"],
    ],
    [
      'a document without its folder',
      { documents: [{ ...acme, documentId: 'd', folderId: 'f' }] },
      ["documents.0.folderId: there is no folder 'f'"],
    ],
    [
      'a membership of another organization',
      { users: [{ ...acme, userId: 'u', memberships: [{ type: 'organization', id: 'other' }] }] },
      ["users.0.memberships.0.id: is not the user's own organization"],
    ],
    [
      'a member of a group who is no user',
      { users: [{ ...acme, userId: 'u' }], groups: [{ ...acme, groupId: 'g', userIds: ['u', 'v'] }] },
      ["groups.0.userIds.1: there is no user 'v'"],
    ],
    [
      'an agent that is none',
      { agentGroups: [{ groupId: 'g', agentIds: ['a'] }] },
      ["agentGroups.0.agentIds.0: there is no agent 'a'"],
    ],
    ['XML that is none', { crdt: [text('<p>', 'xml')] }, ['crdt.0.data: not well-formed XML']],
    [
      'one uid for two endpoints',
      { endpoints: ['a', 'b'].map((id) => ({ id, uid: 'u', url: 'https://example.com/' })) },
      ["endpoints.1.uid: 'u' is the uid of endpoints[0]"],
    ],
    [
      'half a character',
      { users: [{ ...acme, userId: '\ud800' }], config: { email: { emailServiceConfig: { fromEmail: '\udc00' } } } },
      [
        'users.0: half of a surrogate pair is no text: write the whole character',
        'config.email: half of a surrogate pair is no text: write the whole character',
      ],
    ],
  ])('names %s, and writes nothing', async (_, given, expected) => {
    const world = await serviceWorld();
    expect(await load(world, { organizations: [{ organizationId: 'good' }], ...given })).toEqual(expected);
    expect((await exportState(world.store, world.credentials.apiKey)).organizations).toEqual([]);
  });

  it('is looked for in the store as well', async () => {
    const world = await serviceWorld();
    expect(await load(world, FULL_STATE)).toEqual([]);
    expect(
      await load(world, {
        folders: [folder('f1', 'f3'), folder('new', 'f3')],
        documents: [{ ...acme, documentId: 'new', folderId: 'f3' }],
        groups: [{ ...acme, groupId: 'new', userIds: ['0123'] }],
        agentGroups: [{ groupId: 'new', agentIds: ['a'] }],
        crdt: [{ ...acme, documentId: 'd1', editorId: 'e', type: 'text', data: '' }],
        endpoints: [{ id: 'new', url: 'https://example.com/', uid: 'u' }],
      }),
    ).toEqual([
      'folders.0.parentFolderId: the folder would stand inside itself',
      'crdt.0.type: the content is of type map already',
      "endpoints.0.uid: 'u' is the uid of endpoint ep_b",
    ]);
  });

  it('includes the endpoint of another API key, which is not overwritten', async () => {
    const world = await serviceWorld();
    await secondKey(world);
    const endpoints = [{ id: 'ep_1', url: 'https://example.com/' }];
    expect(await load(world, { endpoints }, 'second-key')).toEqual([]);
    expect(await load(world, { endpoints })).toEqual(['endpoints.0.id: an endpoint of another API key']);
  });

  it('is found in 20,000 folders inside each other at once', async () => {
    const count = 20_000;
    const folders = Array.from({ length: count }, (_, at) => folder(`f${at}`, `f${(at + 1) % count}`));
    expect(await load(await serviceWorld(), { folders })).toEqual([
      'folders.0.parentFolderId: the folder would stand inside itself',
    ]);
  });
});

describe('importing into a store that holds something', () => {
  it('leaves what is not said as it is', async () => {
    const world = await serviceWorld();
    await load(world, FULL_STATE);
    const before = await exportState(world.store, world.credentials.apiKey);
    await load(world, {
      organizations: [{ organizationId: 'acme' }],
      folders: [folder('f1')],
      documents: [
        { ...acme, documentId: 'd2' },
        { ...acme, documentId: 'd1' },
      ],
      users: [
        { ...acme, userId: '0123' },
        { ...acme, userId: '__proto__' },
      ],
      groups: [{ ...acme, groupId: 'legal' }],
      activities: [{ ...acme, documentId: 'd1', id: 'a2' }],
      userData: [{ ...acme, userId: '0123' }],
      endpoints: [{ id: 'ep_b', url: 'https://example.com/b' }],
      config: { webhook: {}, email: { emailServiceConfig: {} } },
    });
    expect(await exportState(world.store, world.credentials.apiKey)).toEqual(before);
  });

  it('knows an endpoint by its uid where it is given no id', async () => {
    const world = await serviceWorld();
    await load(world, FULL_STATE);
    expect(await load(world, { endpoints: [{ url: 'https://example.com/new', uid: 'u' }] })).toEqual([]);
    const { endpoints } = await exportState(world.store, world.credentials.apiKey);
    expect(endpoints).toMatchObject([{ id: 'ep_b', url: 'https://example.com/new', description: 'b' }, { id: 'ep_a' }]);
  });

  it('changes what is said', async () => {
    const world = await serviceWorld();
    await load(world, FULL_STATE);
    expect(
      await load(world, {
        organizations: [{ organizationId: 'acme', organizationName: 'New' }],
        folders: [folder('f2', 'root')],
        documents: [{ ...acme, documentId: 'd2', folderId: 'root', disabled: true }],
        users: [{ ...acme, userId: '0123', name: 'New', memberships: [{ type: 'folder', id: 'f1' }] }],
        groups: [{ ...acme, groupId: 'legal', userIds: ['nowhere'] }],
        activities: [{ ...acme, id: 'a2', actionIcon: 'new' }],
        agents: [{ id: 'a', name: 'New' }],
        agentGroups: [{ groupId: 'g', agentIds: [] }],
        crdt: [{ ...acme, documentId: 'd1', editorId: 'e', type: 'map', data: { a: 1 } }],
        userData: [{ ...acme, userId: '0123', comments: [] }],
        endpoints: [{ id: 'ep_b', url: 'https://example.com/new', filterTypes: null, metadata: {} }],
        config: { webhook: { webhookServiceConfig: { triggers: { 'comment.update': true } } } },
      }),
    ).toEqual([]);
    const after = await exportState(world.store, world.credentials.apiKey);
    expect(after.organizations[0]).toMatchObject({ organizationName: 'New', region: { name: 'eu' } });
    expect(after.folders).toMatchObject([
      { folderId: 'f1', accessType: 'restricted' },
      { folderId: 'f2', ancestors: ['root'], accessType: 'public' },
      { folderId: 'f3', ancestors: ['root', 'f2'], accessType: 'public' },
      { folderId: 'f1' },
    ]);
    expect(after.documents[0]).toMatchObject({ documentName: 'Q3 "plan"', folderId: 'root', disabled: true });
    expect(after.users[0]).toMatchObject({ name: 'New', plan: 'gold', memberships: [{ type: 'folder', id: 'f1' }] });
    expect(after.groups[0]).toMatchObject({ groupName: 'Legal', userIds: ['nowhere'] });
    expect(after.activities[0]).toMatchObject({ documentId: 'd1', featureType: 'custom', actionIcon: 'new' });
    expect(after.agents).toMatchObject([{ id: 'b' }, { id: 'a', name: 'New' }]);
    expect(after.agents[1]).not.toHaveProperty('execution');
    expect(after.agentGroups).toEqual([{ groupId: 'g', agentIds: [] }]);
    expect(after.crdt.filter(({ editorId }) => editorId === 'e')).toContainEqual(
      expect.objectContaining({ contentKey: 'content', data: { a: 1 } }),
    );
    expect(after.userData[0]).toMatchObject({ comments: [], notifications: [{ notificationId: 'n1' }] });
    expect(after.endpoints[0]).toMatchObject({
      url: 'https://example.com/new',
      filterTypes: null,
      uid: 'u',
      metadata: {},
    });
    expect(after.endpoints[0]?.secret).toBe('whsec_AAAA');
    expect(after.config.webhook?.webhookServiceConfig).toMatchObject({
      triggers: { 'comment.add': false, 'comment.update': true },
      authToken: 'token',
    });
  });
});
