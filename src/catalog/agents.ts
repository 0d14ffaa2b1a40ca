import * as z from 'zod';
import { defineOperation } from './define.ts';
import { id } from './fields.ts';

const agent = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
  system: z.boolean().optional(),
  enabled: z.boolean().optional(),
  managedBy: z.string().optional(),
  version: z.number().optional(),
  executionCount: z.number().optional(),
  lastExecutedAt: z.number().nullish(),
});

const shared = { path: '/v2/agents/get', auth: 'key', effect: 'read' } as const;

export const agents = {
  'agents.list': defineOperation('agents.list', {
    ...shared,
    summary: 'List agents',
    examples: { 'svc agents list --filter customOnly': 'list custom agents only' },
    input: z.object({
      filter: z
        .enum(['defaultOnly', 'customOnly'])
        .optional()
        .describe('include only built-in or only custom agents'),
      groupId: id('include only agents in this group, in group order').optional(),
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
  }),
  'agents.get': defineOperation('agents.get', {
    ...shared,
    summary: 'Show an agent',
    examples: { 'svc agents get agent-1 -o yaml': 'show all fields of an agent' },
    argument: { field: 'agentId' },
    selectedBy: 'agentId',
    input: z.object({ agentId: id('agent ID') }),
    output: z.looseObject({ agent }),
    message: 'Agent fetched successfully',
  }),
};
