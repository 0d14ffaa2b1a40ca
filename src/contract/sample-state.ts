import { SAMPLE_DOCUMENT, SAMPLE_ORG } from '../catalog/sample-data.ts';
import { type State, stateSchema } from '../catalog/state.ts';

const PAGE_OF_USER_DATA = 101;

/**
 * Records of every kind, with and without each optional field, so that the embedded service shows
 * every field that it can return.
 */
export function createSampleState(): State {
  return stateSchema.parse({
    organizations: [{ ...SAMPLE_ORG, organizationName: 'Acme' }, { organizationId: 'empty' }],
    folders: [
      { ...SAMPLE_ORG, folderId: 'f1', folderName: 'Plans', accessType: 'restricted' },
      { ...SAMPLE_ORG, folderId: 'f2', parentFolderId: 'f1' },
      { ...SAMPLE_ORG, folderId: 'f3', parentFolderId: 'f2', folderName: 'Old' },
      { ...SAMPLE_ORG, folderId: 'f4', accessType: 'organizationPrivate' },
      { ...SAMPLE_ORG, folderId: 'f5', accessType: 'public' },
    ],
    documents: [
      {
        ...SAMPLE_DOCUMENT,
        documentName: 'Plan',
        folderId: 'f1',
        disabled: true,
        accessType: 'public',
      },
      { ...SAMPLE_ORG, documentId: 'd2' },
      { ...SAMPLE_ORG, documentId: 'd3', documentName: 'Draft', accessType: 'restricted' },
    ],
    users: [
      { ...SAMPLE_ORG, userId: 'u1', name: 'Ada', email: 'ada@example.com', initial: 'A' },
      { ...SAMPLE_ORG, userId: 'u2' },
    ],
    groups: [{ ...SAMPLE_ORG, groupId: 'legal', groupName: 'Legal', userIds: ['u1'] }],
    activities: [{ ...SAMPLE_DOCUMENT, id: 'a1', featureType: 'custom', actionType: 'added' }],
    agents: [BUILT_IN_AGENT, { id: 'built-in-2', system: true }, CUSTOM_AGENT, { id: 'custom-2' }],
    agentGroups: [{ groupId: 'ag1', agentIds: ['agent-1', 'built-in-1'] }],
    crdt: [
      { ...SAMPLE_DOCUMENT, editorId: 'e1', type: 'text', data: 'text' },
      { ...SAMPLE_DOCUMENT, editorId: 'map', type: 'map', data: { key: 'value' } },
      { ...SAMPLE_DOCUMENT, editorId: 'array', type: 'array', data: ['value'] },
      { ...SAMPLE_DOCUMENT, editorId: 'xml', type: 'xml', data: '<p>text</p>' },
    ],
    userData: [
      {
        ...SAMPLE_ORG,
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
      { id: 'ep_1', url: 'https://example.com/none' },
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
  id: 'agent-1',
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
