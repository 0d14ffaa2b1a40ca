import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/service/records/agents.ts';
import { addSecondKey, startTestService, success, type TestService } from './test-service.ts';

const GET = '/v2/agents/get';

const SPELLING: Agent = {
  id: 'spelling',
  name: 'Spelling',
  description: 'finds typing errors',
  enabled: true,
  system: true,
  managedBy: 'platform',
  input: { userContextFields: [] },
  rawInstructions: 'not for customers',
  executionCount: 3,
  lastExecutedAt: 1_700_000_000_000,
};
const LEGAL: Agent = {
  id: 'legal',
  name: 'Legal',
  description: 'reads contracts',
  enabled: true,
  version: 2,
  managedBy: 'customer',
  rawInstructions: 'raw',
  instructions: 'cooked',
  contextGathering: {
    strategies: ['http'],
    strategyOptions: {
      http: { url: 'https://example.com', auth: { type: 'bearer', token: 'S3CRET-1' }, retries: 2 },
      search: { apiKey: 'S3CRET-2', headers: { Authorization: 'S3CRET-3' }, pages: ['a'] },
    },
  },
  execution: {
    executionStrategy: 'single',
    responseDescriptions: { ok: 'fine' },
    knowledge: { useMemory: true, maxChunks: 4 },
    mcpServers: [
      {
        name: 'one',
        url: 'https://one.example.com',
        auth: { type: 'basic', username: 'u', password: 'S3CRET-4' },
      },
      { name: 'two', url: 'https://two.example.com', auth: 'S3CRET-5' },
      { name: 'three', url: 'https://three.example.com' },
    ],
  },
  response: { useAiFormatting: false },
  scope: { pageScope: ['*'], crossPage: { enabled: false } },
  executionCount: 0,
  lastExecutedAt: null,
};
const TONE: Agent = { id: 'tone', name: 'Tone', enabled: false, version: 1 };
const HIDDEN: Agent = { id: 'hidden', name: 'Hidden', system: true, internal: true };

async function startWithAgents(): Promise<TestService> {
  const service = await startTestService();
  const { apiKey } = service.credentials;
  await service.store.write(async (database) => {
    for (const agent of [SPELLING, LEGAL, TONE, HIDDEN]) {
      const row = { apiKey, agentId: agent.id, agent: JSON.stringify(agent) };
      await database.insertInto('agents').values(row).execute();
    }
    const agentIds = JSON.stringify(['tone', 'gone', 'hidden', 'spelling']);
    const group = {
      apiKey,
      groupId: 'g',
      agentIds,
      agentGroup: JSON.stringify({ groupId: 'g', agentIds }),
    };
    await database.insertInto('agentGroups').values(group).execute();
  });
  return service;
}

describe('the list of agents', () => {
  const SPELLING_ROW = {
    id: 'spelling',
    name: 'Spelling',
    description: 'finds typing errors',
    enabled: true,
    system: true,
    essentialDefault: false,
    managedBy: 'platform',
    executionCount: 3,
    lastExecutedAt: 1_700_000_000_000,
  };
  const LEGAL_ROW = {
    id: 'legal',
    name: 'Legal',
    description: 'reads contracts',
    enabled: true,
    version: 2,
    managedBy: 'customer',
    executionCount: 0,
    lastExecutedAt: null,
  };
  const TONE_ROW = {
    id: 'tone',
    name: 'Tone',
    enabled: false,
    version: 1,
    managedBy: 'customer',
    executionCount: 0,
    lastExecutedAt: null,
  };

  it('is empty until agents are imported', async () => {
    const { call } = await startTestService();
    expect(await call(GET, {})).toEqual(success('Agents fetched successfully', { agents: [] }));
  });

  it.each([
    [{}, [SPELLING_ROW, LEGAL_ROW, TONE_ROW]],
    [{ filter: 'defaultOnly' }, [SPELLING_ROW]],
    [{ filter: 'customOnly' }, [LEGAL_ROW, TONE_ROW]],
    [{ groupId: 'g' }, [TONE_ROW, SPELLING_ROW]],
    [{ groupId: 'g', filter: 'customOnly' }, [TONE_ROW]],
  ])('shows only identity and run counters for %j', async (data, agents) => {
    const { call } = await startWithAgents();
    expect(await call(GET, data)).toEqual(success('Agents fetched successfully', { agents }));
  });

  it.each([
    [{ filter: 'all' }, 'INVALID_ARGUMENT', /^filter: /],
    [{ filter: 'all', groupId: 'no' }, 'INVALID_ARGUMENT', /^filter: /],
    [{ filter: 7 }, 'INVALID_ARGUMENT', /^filter: /],
    [{ groupId: '' }, 'INVALID_ARGUMENT', /^Group ID is required\.$/],
    [{ groupId: 'no' }, 'NOT_FOUND', /^Agent group not found\.$/],
  ])('rejects %j', async (data, status, message) => {
    const { call } = await startWithAgents();
    const { body } = await call(GET, data);
    expect(body.error?.status).toBe(status);
    expect(body.error?.message).toMatch(message);
  });

  it('shows no runs for an agent that never ran', async () => {
    const { call } = await startWithAgents();
    const { body } = await call(GET, { groupId: 'g', filter: 'customOnly' });
    expect(body.result?.data.agents).toMatchObject([
      { id: 'tone', executionCount: 0, lastExecutedAt: null },
    ]);
  });

  it('contains only agents of the API key', async () => {
    const service = await startWithAgents();
    const second = await addSecondKey(service);
    expect((await service.call(GET, {}, second)).body.result?.data).toEqual({ agents: [] });
    expect((await service.call(GET, { groupId: 'g' }, second)).body.error?.status).toBe(
      'NOT_FOUND',
    );
    expect((await service.call(GET, { agentId: 'legal' }, second)).body.error?.status).toBe(
      'NOT_FOUND',
    );
  });
});

describe('a single agent', () => {
  it('shows only identity and input if it is built in', async () => {
    const { call } = await startWithAgents();
    const { rawInstructions: _, executionCount: __, lastExecutedAt: ___, ...agent } = SPELLING;
    expect(await call(GET, { agentId: 'spelling' })).toEqual(
      success('Agent fetched successfully', { agent: { ...agent, essentialDefault: false } }),
    );
  });

  it('shows everything except secrets and run counters if it is a custom agent', async () => {
    const { call } = await startWithAgents();
    const response = await call(GET, { agentId: 'legal' });
    expect(JSON.stringify(response)).not.toContain('S3CRET');
    const { executionCount: _, lastExecutedAt: __, ...rest } = LEGAL;
    const redacted = '__redacted__';
    expect(response.body.result?.data.agent).toEqual({
      ...rest,
      contextGathering: {
        strategies: ['http'],
        strategyOptions: {
          http: {
            url: 'https://example.com',
            auth: { type: 'bearer', token: redacted },
            retries: 2,
          },
          search: { apiKey: redacted, headers: { Authorization: redacted }, pages: ['a'] },
        },
      },
      execution: {
        executionStrategy: 'single',
        responseDescriptions: { ok: 'fine' },
        knowledge: { useMemory: true, maxChunks: 4 },
        mcpServers: [
          {
            name: 'one',
            url: 'https://one.example.com',
            auth: { type: 'basic', username: redacted, password: redacted },
          },
          { name: 'two', url: 'https://two.example.com', auth: redacted },
          { name: 'three', url: 'https://three.example.com' },
        ],
      },
    });
  });

  it('is found by ID, ignoring the other parameters', async () => {
    const { call } = await startWithAgents();
    const agent = { id: 'tone', name: 'Tone', enabled: false, version: 1, managedBy: 'customer' };
    const data = { agentId: 'tone', filter: 'nonsense', groupId: 'no' };
    expect(await call(GET, data)).toEqual(success('Agent fetched successfully', { agent }));
  });

  it.each([
    ['no', 404, 'NOT_FOUND'],
    ['', 400, 'INVALID_ARGUMENT'],
    [null, 400, 'INVALID_ARGUMENT'],
    [['tone'], 400, 'INVALID_ARGUMENT'],
    ['__proto__', 404, 'NOT_FOUND'],
  ])('with ID %j: %i', async (agentId, http, status) => {
    const { call } = await startWithAgents();
    const response = await call(GET, { agentId });
    expect([response.http, response.body.error?.status]).toEqual([http, status]);
  });
});
