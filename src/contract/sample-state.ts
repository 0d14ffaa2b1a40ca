import { type State, stateSchema } from '../catalog/state.ts';

const ORG = { organizationId: 'acme' };
const DOCUMENT = { ...ORG, documentId: 'd1' };
const PAGE_OF_USER_DATA = 101;

/**
 * Records of every kind, with and without each optional field, so that the embedded service shows
 * every field that it can return.
 */
export function createSampleState(): State {
  return stateSchema.parse({
    organizations: [{ ...ORG, organizationName: 'Acme' }, { organizationId: 'empty' }],
    folders: [
      { ...ORG, folderId: 'f1', folderName: 'Plans', accessType: 'restricted' },
      { ...ORG, folderId: 'f2', parentFolderId: 'f1' },
      { ...ORG, folderId: 'f3', parentFolderId: 'f2', folderName: 'Old' },
      { ...ORG, folderId: 'f4', accessType: 'organizationPrivate' },
      { ...ORG, folderId: 'f5', accessType: 'public' },
    ],
    documents: [
      { ...DOCUMENT, documentName: 'Plan', folderId: 'f1', disabled: true, accessType: 'public' },
      { ...ORG, documentId: 'd2' },
      { ...ORG, documentId: 'd3', documentName: 'Draft', accessType: 'restricted' },
    ],
    users: [
      { ...ORG, userId: 'u1', name: 'Ada', email: 'ada@example.com', initial: 'A' },
      { ...ORG, userId: 'u2' },
    ],
    groups: [{ ...ORG, groupId: 'g1', groupName: 'Legal', userIds: ['u1'] }],
    activities: [{ ...DOCUMENT, id: 'a1', featureType: 'custom', actionType: 'added' }],
    agents: [BUILT_IN_AGENT, { id: 'built-in-2', system: true }, CUSTOM_AGENT, { id: 'custom-2' }],
    agentGroups: [{ groupId: 'ag1', agentIds: ['custom-1', 'built-in-1'] }],
    crdt: [
      { ...DOCUMENT, editorId: 'text', type: 'text', data: 'text' },
      { ...DOCUMENT, editorId: 'map', type: 'map', data: { key: 'value' } },
      { ...DOCUMENT, editorId: 'array', type: 'array', data: ['value'] },
      { ...DOCUMENT, editorId: 'xml', type: 'xml', data: '<p>text</p>' },
    ],
    userData: [
      {
        ...ORG,
        userId: 'u1',
        comments: Array.from({ length: PAGE_OF_USER_DATA }, (_, at) => ({ id: `c${at}` })),
        reactions: [{ id: 'r1', documentId: 'd1' }],
        recordings: [{ id: 'v1' }],
        notifications: [{ notificationId: 'n1' }],
      },
    ],
    endpoints: [
      {
        url: 'https://example.com/all',
        description: 'all',
        filterTypes: ['comment.add'],
        channels: ['c1'],
        disabled: true,
        rateLimit: 5,
        uid: 'all',
        metadata: { team: 'a' },
      },
      { url: 'https://example.com/none' },
    ],
    config: { advancedWebhooks: { isEnabled: true } },
  });
}

const BUILT_IN_AGENT = {
  id: 'built-in-1',
  name: 'Built-in',
  description: 'An agent',
  enabled: true,
  system: true,
  input: { inputRequirements: { requires: [] } },
  executionCount: 3,
  lastExecutedAt: 1_700_000_000_000,
};

const CUSTOM_AGENT = {
  id: 'custom-1',
  name: 'Custom',
  description: 'An agent',
  enabled: true,
  version: 2,
  rawInstructions: 'Do it',
  instructions: 'Do it',
  contextGathering: { strategies: [], strategyOptions: {} },
  execution: { executionStrategy: 'once', mcpServers: [] },
  response: { useAiFormatting: false },
  postProcess: { guardrails: { enabled: false } },
  input: { userContextFields: [] },
  inputRequirements: { requires: [] },
  userContextFields: [],
  scope: { pageScope: [] },
  pageScope: [],
  crossPage: { enabled: false },
  executionCount: 3,
  lastExecutedAt: 1_700_000_000_000,
};
