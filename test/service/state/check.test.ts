import { describe, expect, it } from 'vitest';
import { type State, stateSchema } from '../../../src/catalog/state.ts';
import { exportState, importState } from '../../../src/service/state/transfer.ts';
import { SLOW } from '../../slow.ts';
import { addSecondKey, startTestService, type TestService } from '../test-service.ts';
import { FULL_STATE } from './full-state.ts';

type StateInput = { readonly [Kind in keyof State]?: unknown };

async function importInto(
  service: TestService,
  input: StateInput,
  apiKey = service.credentials.apiKey,
): Promise<readonly string[]> {
  const state = stateSchema.parse(input);
  const findings = await importState(
    { store: service.store, apiKey, now: service.clock.now(), dryRun: false },
    state,
  );
  return findings.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const acme = { organizationId: 'acme' };
const folder = (folderId: string, parentFolderId?: string) => ({
  ...acme,
  folderId,
  ...(parentFolderId && { parentFolderId }),
});
const text = (data: string, type = 'text') => ({
  ...acme,
  documentId: 'd',
  editorId: 'e',
  type,
  data,
});

describe('an inconsistent state', () => {
  it.each<readonly [string, StateInput, readonly string[]]>([
    [
      'duplicate records',
      {
        users: [
          { ...acme, userId: 'u' },
          { organizationId: 'other', userId: 'u' },
          { ...acme, userId: 'u' },
        ],
      },
      ["users.2.userId: 'u' is already in use by users[0]"],
    ],
    [
      'a folder whose parent is missing',
      { folders: [folder('a', 'b')] },
      ["folders.0.parentFolderId: folder 'b' does not exist"],
    ],
    [
      'a parent in another organization',
      { folders: [folder('a', 'b'), { organizationId: 'other', folderId: 'b' }] },
      ["folders.0.parentFolderId: folder 'b' does not exist"],
    ],
    [
      'a folder inside itself',
      { folders: [folder('a', 'a')] },
      ['folders.0.parentFolderId: the folder would contain itself'],
    ],
    [
      'a cycle of folders, once',
      { folders: [folder('x', 'a'), folder('a', 'c'), folder('b', 'a'), folder('c', 'b')] },
      ['folders.0.parentFolderId: the folder would contain itself'],
    ],
    [
      'a folder named as the top level',
      { folders: [folder('root')] },
      ["folders.0.folderId: 'root' is reserved for the top level"],
    ],
    [
      'a document whose folder is missing',
      { documents: [{ ...acme, documentId: 'd', folderId: 'f' }] },
      ["documents.0.folderId: folder 'f' does not exist"],
    ],
    [
      'a membership of another organization',
      { users: [{ ...acme, userId: 'u', memberships: [{ type: 'organization', id: 'other' }] }] },
      ["users.0.memberships.0.id: must be the user's own organization 'acme', got 'other'"],
    ],
    [
      'a group member that is not a user',
      {
        users: [{ ...acme, userId: 'u' }],
        groups: [{ ...acme, groupId: 'g', userIds: ['u', 'v'] }],
      },
      ["groups.0.userIds.1: user 'v' does not exist"],
    ],
    [
      'a missing agent',
      { agentGroups: [{ groupId: 'g', agentIds: ['a'] }] },
      ["agentGroups.0.agentIds.0: agent 'a' does not exist"],
    ],
    ['malformed XML', { crdt: [text('<p>', 'xml')] }, ['crdt.0.data: must be well-formed XML']],
    [
      'the same uid for two endpoints',
      { endpoints: ['a', 'b'].map((id) => ({ id, uid: 'u', url: 'https://example.com/' })) },
      ["endpoints.1.uid: uid 'u' is already in use by endpoints[0]"],
    ],
    [
      'an unpaired surrogate',
      {
        users: [{ ...acme, userId: '\ud800' }],
        config: { email: { emailServiceConfig: { fromEmail: '\udc00' } } },
      },
      [
        'users.0: contains an unpaired surrogate, which cannot be stored as UTF-8: write the whole character',
        'config.email: contains an unpaired surrogate, which cannot be stored as UTF-8: write the whole character',
      ],
    ],
  ])('is rejected for %s, and nothing is written', async (_, input, expected) => {
    const service = await startTestService();
    expect(
      await importInto(service, { organizations: [{ organizationId: 'good' }], ...input }),
    ).toEqual(expected);
    expect((await exportState(service.store, service.credentials.apiKey)).organizations).toEqual(
      [],
    );
  });

  it('is also detected against the store', async () => {
    const service = await startTestService();
    expect(await importInto(service, FULL_STATE)).toEqual([]);
    expect(
      await importInto(service, {
        folders: [folder('f1', 'f3'), folder('new', 'f3')],
        documents: [{ ...acme, documentId: 'new', folderId: 'f3' }],
        groups: [{ ...acme, groupId: 'new', userIds: ['0123'] }],
        agentGroups: [{ groupId: 'new', agentIds: ['a'] }],
        crdt: [{ ...acme, documentId: 'd1', editorId: 'e', type: 'text', data: '' }],
        endpoints: [{ id: 'new', url: 'https://example.com/', uid: 'u' }],
      }),
    ).toEqual([
      'folders.0.parentFolderId: the folder would contain itself',
      'crdt.0.type: must be "map", the type of the existing content, got "text"',
      "endpoints.0.uid: uid 'u' is already in use by endpoint ep_b",
    ]);
  });

  it('is rejected for an endpoint of another API key, which is not overwritten', async () => {
    const service = await startTestService();
    await addSecondKey(service);
    const endpoints = [{ id: 'ep_1', url: 'https://example.com/' }];
    expect(await importInto(service, { endpoints }, 'second-key')).toEqual([]);
    expect(await importInto(service, { endpoints })).toEqual([
      "endpoints.0.id: endpoint 'ep_1' belongs to another API key",
    ]);
  });

  it('is detected quickly in 20,000 nested folders', SLOW, async () => {
    const count = 20_000;
    const folders = Array.from({ length: count }, (_, at) =>
      folder(`f${at}`, `f${(at + 1) % count}`),
    );
    expect(await importInto(await startTestService(), { folders })).toEqual([
      'folders.0.parentFolderId: the folder would contain itself',
    ]);
  });
});

describe('importing into a store with data', () => {
  it('keeps fields that records omit', async () => {
    const service = await startTestService();
    await importInto(service, FULL_STATE);
    const before = await exportState(service.store, service.credentials.apiKey);
    await importInto(service, {
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
    expect(await exportState(service.store, service.credentials.apiKey)).toEqual(before);
  });

  it('matches an endpoint by uid if it has no ID', async () => {
    const service = await startTestService();
    await importInto(service, FULL_STATE);
    expect(
      await importInto(service, { endpoints: [{ url: 'https://example.com/new', uid: 'u' }] }),
    ).toEqual([]);
    const { endpoints } = await exportState(service.store, service.credentials.apiKey);
    expect(endpoints).toMatchObject([
      { id: 'ep_b', url: 'https://example.com/new', description: 'b' },
      { id: 'ep_a' },
    ]);
  });

  it('updates fields that records contain', async () => {
    const service = await startTestService();
    await importInto(service, FULL_STATE);
    expect(
      await importInto(service, {
        organizations: [{ organizationId: 'acme', organizationName: 'New' }],
        folders: [folder('f2', 'root')],
        documents: [{ ...acme, documentId: 'd2', folderId: 'root', disabled: true }],
        users: [
          { ...acme, userId: '0123', name: 'New', memberships: [{ type: 'folder', id: 'f1' }] },
        ],
        groups: [{ ...acme, groupId: 'legal', userIds: ['nowhere'] }],
        activities: [{ ...acme, id: 'a2', actionIcon: 'new' }],
        agents: [{ id: 'a', name: 'New' }],
        agentGroups: [{ groupId: 'g', agentIds: [] }],
        crdt: [{ ...acme, documentId: 'd1', editorId: 'e', type: 'map', data: { a: 1 } }],
        userData: [{ ...acme, userId: '0123', comments: [] }],
        endpoints: [
          { id: 'ep_b', url: 'https://example.com/new', filterTypes: null, metadata: {} },
        ],
        config: { webhook: { webhookServiceConfig: { triggers: { 'comment.update': true } } } },
      }),
    ).toEqual([]);
    const after = await exportState(service.store, service.credentials.apiKey);
    expect(after.organizations[0]).toMatchObject({
      organizationName: 'New',
      region: { name: 'eu' },
    });
    expect(after.folders).toMatchObject([
      { folderId: 'f1', accessType: 'restricted' },
      { folderId: 'f2', ancestors: ['root'], accessType: 'public' },
      { folderId: 'f3', ancestors: ['root', 'f2'], accessType: 'public' },
      { folderId: 'f1' },
    ]);
    expect(after.documents[0]).toMatchObject({
      documentName: 'Q3 "plan"',
      folderId: 'root',
      disabled: true,
    });
    expect(after.users[0]).toMatchObject({
      name: 'New',
      plan: 'gold',
      memberships: [{ type: 'folder', id: 'f1' }],
    });
    expect(after.groups[0]).toMatchObject({ groupName: 'Legal', userIds: ['nowhere'] });
    expect(after.activities[0]).toMatchObject({
      documentId: 'd1',
      featureType: 'custom',
      actionIcon: 'new',
    });
    expect(after.agents).toMatchObject([{ id: 'b' }, { id: 'a', name: 'New' }]);
    expect(after.agents[1]).not.toHaveProperty('execution');
    expect(after.agentGroups).toEqual([{ groupId: 'g', agentIds: [] }]);
    expect(after.crdt.filter(({ editorId }) => editorId === 'e')).toContainEqual(
      expect.objectContaining({ contentKey: 'content', data: { a: 1 } }),
    );
    expect(after.userData[0]).toMatchObject({
      comments: [],
      notifications: [{ notificationId: 'n1' }],
    });
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
