import { loadOperation, type OperationName } from '../catalog/index.ts';
import { getEntry, manifest } from '../catalog/manifest.ts';
import {
  type KnownValues,
  SAMPLE_DOCUMENT,
  SAMPLE_ORG,
  SAMPLE_URL,
  SAMPLE_USER,
} from '../catalog/sample-data.ts';

export type SampleCall = readonly [OperationName, (known: KnownValues) => object];
/** Data of a call, or a function that derives it from the operation's sample and values of the service. */
type Data = object | ((sample: object, known: KnownValues) => object);
type PlannedCall = readonly [OperationName, Data];

const ORG = SAMPLE_ORG;
const UNKNOWN_ORG = { organizationId: 'unknown' };
const UNKNOWN_DOCUMENT = { ...ORG, documentId: 'unknown' };
const UNKNOWN_USER = { userId: 'unknown' };

const SAMPLE: Data = (sample: object) => sample;
const changed =
  (change: object): Data =>
  (sample: object) => ({ ...sample, ...change });

/** Plans calls of each operation: its sample, and the given data. */
function calls(
  names: OperationName | readonly OperationName[],
  ...data: readonly Data[]
): readonly PlannedCall[] {
  return only(names, SAMPLE, ...data);
}

function only(
  names: OperationName | readonly OperationName[],
  ...data: readonly Data[]
): readonly PlannedCall[] {
  return [names].flat().flatMap((name) => data.map((each): PlannedCall => [name, each]));
}

/** Calls whose response depends on whether advanced webhooks are enabled. */
const CALLS_OF_UNKNOWN_ENDPOINTS: readonly PlannedCall[] = [
  ...only('webhooks.endpoints.list', {}),
  ...only('webhooks.endpoints.create', { url: SAMPLE_URL }),
  ...only('webhooks.endpoints.update', { endpointId: 'unknown', description: 'new' }),
  ...only(['webhooks.endpoints.secret', 'webhooks.endpoints.delete'], { endpointId: 'unknown' }),
];

/**
 * Calls of every operation, in the states that change its response: known and unknown IDs, optional
 * fields given and omitted, first and last pages. Reads come first and after the writes.
 */
const READS: readonly PlannedCall[] = [
  ...calls('workspace.get'),
  ...calls('auth-tokens.list', { apiKey: 'unknown' }),
  ...calls([
    'webhooks.config.get',
    'webhooks.advanced.get',
    'email.get',
    'permission-provider.get',
  ]),
  ...only(
    'webhooks.endpoints.list',
    {},
    { limit: 1 },
    { limit: 1000 },
    (_, { last }) => ({ limit: 1, iterator: last('iterator') }),
    { iterator: 'unknown' },
  ),
  ...only('webhooks.endpoints.secret', { endpointId: 'unknown' }),
  ...calls(
    ['folders.list', 'folders.list.v1'],
    ORG,
    UNKNOWN_ORG,
    { organizationId: 'empty' },
    { ...ORG, folderId: 'f5' },
    { ...ORG, folderId: 'unknown' },
    { ...UNKNOWN_ORG, folderId: 'f1' },
  ),
  ...only(
    'folders.list',
    { ...ORG, maxDepth: 3 },
    { ...ORG, folderId: 'f1', maxDepth: 3 },
    { ...ORG, folderId: 'f1', maxDepth: 0 },
  ),
  ...calls(
    'documents.list',
    ORG,
    UNKNOWN_ORG,
    { ...ORG, pageSize: 1 },
    { ...ORG, documentIds: ['d1', 'unknown'] },
    { ...ORG, documentIds: Array.from({ length: 31 }, (_, at) => `d${at}`) },
    { ...ORG, folderId: 'f1' },
    { ...ORG, folderId: 'unknown' },
    { ...ORG, pageToken: 'unknown' },
    (_, { last }) => ({ ...ORG, pageSize: 1, pageToken: last('pageToken') }),
  ),
  ...calls(
    'users.data',
    changed(UNKNOWN_USER),
    changed(UNKNOWN_ORG),
    changed({ pageToken: 'unknown' }),
    SAMPLE,
    (sample, { last }) => ({ ...sample, pageToken: last('nextPageToken') }),
  ),
  ...calls(
    'crdt.get',
    ...['map', 'array', 'xml', 'unknown'].map((editorId) => changed({ editorId })),
    changed(UNKNOWN_DOCUMENT),
  ),
  ...calls(
    'agents.list',
    {},
    { filter: 'defaultOnly' },
    { filter: 'customOnly' },
    { filter: 'unknown' },
    { groupId: 'ag1' },
    { groupId: 'unknown' },
  ),
  ...calls(
    'agents.get',
    ...['built-in-1', 'built-in-2', 'custom-2', 'unknown', ''].map((agentId) => ({ agentId })),
  ),
  ...only('documents.migration-status', { ...ORG, migrationId: 'unknown' }),
];

const ACTIVITY = { featureType: 'comment', actionType: 'x', actionUser: SAMPLE_USER };
const NEW_FOLDER_NAME = { folderName: 'New' };

const WRITES: readonly PlannedCall[] = [
  ...calls('access-tokens.generate', {
    userId: 'u1',
    userProperties: { ...SAMPLE_USER, ...ORG },
    permissions: { resources: [] },
  }),
  ...calls(
    'activities.add',
    changed({ activities: [ACTIVITY] }),
    changed({ activities: [{ ...ACTIVITY, featureType: 'x' }] }),
    changed({ activities: [{ ...ACTIVITY, id: 'a1' }] }),
    { ...UNKNOWN_DOCUMENT, activities: [{ ...ACTIVITY, id: 'a9' }] },
  ),
  ...calls(
    'activities.update',
    changed({ activities: [{ id: 'a1', actionIcon: 'icon' }, { id: 'unknown' }] }),
    changed(UNKNOWN_ORG),
  ),
  ...calls('organizations.add', { organizations: [ORG] }),
  ...calls(
    'folders.add',
    { ...ORG, folders: [{ folderId: 'f1' }, { folderId: 'f7', parentFolderId: 'unknown' }] },
    { ...UNKNOWN_ORG, folders: [{ folderId: 'f6' }] },
  ),
  ...calls(
    'folders.update',
    {
      ...ORG,
      folders: [
        { folderId: 'f1', ...NEW_FOLDER_NAME },
        { folderId: 'unknown', ...NEW_FOLDER_NAME },
        { folderId: 'f2', parentFolderId: 'f3' },
        { folderId: 'f3', parentFolderId: 'unknown' },
      ],
    },
    { ...UNKNOWN_ORG, folders: [{ folderId: 'f1', ...NEW_FOLDER_NAME }] },
  ),
  ...calls(
    'documents.add',
    { ...ORG, documents: [{ documentId: 'd1' }] },
    { ...ORG, folderId: 'unknown', documents: [{ documentId: 'd5' }] },
    { ...UNKNOWN_ORG, documents: [{ documentId: 'd5' }] },
  ),
  ...calls(
    ['users.add', 'users.add.v2'],
    { ...ORG, users: [SAMPLE_USER, { userId: 'u3' }] },
    { ...ORG, folderId: 'f1', users: [SAMPLE_USER] },
    { ...UNKNOWN_DOCUMENT, users: [SAMPLE_USER] },
    { ...ORG, folderId: 'unknown', users: [SAMPLE_USER] },
    { ...SAMPLE_DOCUMENT, folderId: 'f1', users: [SAMPLE_USER] },
    { organizationId: 'new', users: [SAMPLE_USER] },
  ),
  ...calls(
    ['users.update', 'users.update.v2'],
    { ...ORG, users: [SAMPLE_USER, UNKNOWN_USER] },
    { ...UNKNOWN_DOCUMENT, users: [SAMPLE_USER] },
    { ...ORG, folderId: 'unknown', users: [SAMPLE_USER] },
    { ...UNKNOWN_ORG, users: [SAMPLE_USER] },
  ),
  ...calls(
    'groups.add',
    changed({ organizationUserGroups: [{ groupId: 'legal', groupName: 'Legal' }] }),
    changed(UNKNOWN_ORG),
  ),
  ...calls(
    'groups.add-users',
    changed({ userIds: ['u1', 'unknown'] }),
    changed({ organizationUserGroupId: 'unknown' }),
    changed(UNKNOWN_ORG),
  ),
  ...calls(
    'permissions.add',
    { user: { userId: 'u1' }, permissions: { resources: [{ type: 'document', id: '?', ...ORG }] } },
    { user: UNKNOWN_USER, permissions: { resources: [{ type: 'organization', id: 'unknown' }] } },
  ),
  ...calls(
    'notifications.add',
    changed({ ...UNKNOWN_DOCUMENT, createDocument: false }),
    changed({ ...UNKNOWN_ORG, createOrganization: false }),
  ),
  ...calls(['presence.add', 'presence.update'], changed(UNKNOWN_DOCUMENT), changed(UNKNOWN_ORG)),
  ...calls(
    'presence.delete',
    changed({ userIds: ['u1', 'unknown'] }),
    changed(UNKNOWN_DOCUMENT),
    changed(UNKNOWN_ORG),
  ),
  ...calls(
    'crdt.add',
    changed({ editorId: 'e1' }),
    changed({ editorId: 'bad', data: 1 }),
    changed({ ...UNKNOWN_DOCUMENT, editorId: 'new' }),
    changed({ ...UNKNOWN_ORG, editorId: 'new' }),
  ),
  ...calls('crdt.update', changed({ editorId: 'unknown' }), changed({ data: 1 }), {
    ...SAMPLE_DOCUMENT,
    editorId: 'map',
    type: 'text',
    data: 'new',
  }),
  ...only(
    'email.update',
    { emailServiceConfig: { fromCompany: 'Acme' } },
    {
      useEmailService: true,
      emailServiceConfig: { triggers: { 'comment.add': true, 'huddle.create': false } },
    },
    { emailServiceConfig: { type: 'Custom' } },
    SAMPLE,
  ),
  ...only(
    'webhooks.config.update',
    {
      webhookServiceConfig: {
        rawNotificationUrl: SAMPLE_URL,
        processedNotificationUrl: SAMPLE_URL,
      },
    },
    SAMPLE,
  ),
  ...calls('permission-provider.update', {
    permissionProviderConfig: { permissionProviderUrl: 'unknown' },
  }),
  ...CALLS_OF_UNKNOWN_ENDPOINTS,
  ...only('webhooks.advanced.update', { encodeData: true }, SAMPLE, { isEnabled: false }),
  ...CALLS_OF_UNKNOWN_ENDPOINTS,
  ...calls('webhooks.advanced.update'),
  ...calls(
    'webhooks.endpoints.create',
    { url: SAMPLE_URL, uid: 'mine' },
    { url: 'unknown' },
    { url: SAMPLE_URL, disabled: true },
  ),
  ...calls('webhooks.endpoints.secret'),
  ...calls('webhooks.endpoints.update', { endpointId: 'unknown', description: 'new' }),
  ...calls('webhooks.endpoints.delete', { endpointId: 'unknown' }),
  ...calls(
    'workspace.create',
    { ownerEmail: 'ada@example.com' },
    { ownerEmail: 'bob@example.com' },
  ),
  ...calls(
    'documents.migrate',
    changed({ ...UNKNOWN_DOCUMENT, newDocumentId: 'd8' }),
    changed({ ...UNKNOWN_ORG, newDocumentId: 'd8' }),
    { ...ORG, documentId: 'd2', newDocumentId: 'd2' },
    { ...ORG, documentId: 'd2', newDocumentId: 'd3' },
  ),
  ...calls('documents.migration-status'),
];

/** Replaces the auth token that the other calls use, so it comes last. */
const RESETS = only('auth-tokens.reset', { apiKey: 'unknown' }, SAMPLE);

/** Returns the calls in order, with the samples of their operations. */
export function loadSampleCalls(): Promise<readonly SampleCall[]> {
  const listed = [...READS, ...WRITES, ...READS, ...RESETS];
  const names = new Set(listed.map(([name]) => name));
  const others = manifest.flatMap(({ name }) => (names.has(name) ? [] : calls(name)));
  const planned = [...others, ...listed];
  return Promise.all(
    planned.map(async ([name, data]): Promise<SampleCall> => {
      const { sample } = await loadOperation(getEntry(name).resource, name);
      return [name, (known) => (typeof data === 'function' ? data(sample(known), known) : data)];
    }),
  );
}
