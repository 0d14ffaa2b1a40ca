import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { id, openChoice, warnAboutUnknownValues } from './fields.ts';

export const AGENT_FILTERS = ['defaultOnly', 'customOnly'];

const agent = z.looseObject({
  id: z.string(),
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  system: z.optional(z.boolean()),
  essentialDefault: z.optional(z.boolean()),
  enabled: z.optional(z.boolean()),
  managedBy: z.optional(z.string()),
  version: z.optional(z.number()),
  executionCount: z.optional(z.number()),
  lastExecutedAt: z.nullish(z.number()),
});

const shared = { path: '/v2/agents/get', auth: 'key', effect: 'read' } as const;

export const agents = {
  'agents.list': defineOperation('agents.list', {
    ...shared,
    summary: 'List agents',
    input: z.object({
      filter: z.optional(openChoice(AGENT_FILTERS, 'include only built-in or only custom agents')),
      groupId: z.optional(id('include only agents in this group, in group order')),
    }),
    output: z.looseObject({ agents: z.array(agent) }),
    message: 'Agents fetched successfully',
    records: 'agents',
    columns: [
      { header: 'ID', field: 'id', kind: 'whole' },
      { header: 'NAME', field: 'name' },
      { header: 'MANAGED BY', field: 'managedBy', hideOrder: 3 },
      { header: 'ENABLED', field: 'enabled', hideOrder: 4 },
      { header: 'RUNS', field: 'executionCount', hideOrder: 2 },
      { header: 'LAST RUN', field: 'lastExecutedAt', kind: 'time', hideOrder: 1 },
    ],
    warnings: ({ filter }) => warnAboutUnknownValues('filter', AGENT_FILTERS, [filter]),
    decision: 'an unknown agent or agent group is NOT_FOUND',
    settings: 'read',
    sample: () => ({ filter: 'customOnly', groupId: 'ag1' }),
  }),
  'agents.get': defineOperation('agents.get', {
    ...shared,
    summary: 'Show an agent',
    argument: { field: 'agentId' },
    selectedBy: 'agentId',
    input: z.object({ agentId: id('agent ID') }),
    output: z.looseObject({ agent }),
    message: 'Agent fetched successfully',
    decision: 'an unknown agent or agent group is NOT_FOUND',
    settings: 'read',
    sample: () => ({ agentId: 'agent-1' }),
  }),
};
