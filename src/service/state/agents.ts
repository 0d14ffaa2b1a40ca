import { findAllAgents } from '../records/agents.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { Section } from './section.ts';

const upsertAgents = prepareUpsert('agents', ['apiKey', 'agentId'], { replaced: ['agent'] });

export const agents: Section<'agents'> = {
  read: async (scope) => [...(await findAllAgents(scope))],
  write: async ({ database, apiKey }, records) => {
    const rows = records.map((agent) => ({
      apiKey,
      agentId: agent.id,
      agent: JSON.stringify(agent),
    }));
    await upsertAgents(database, rows);
  },
};

const selectGroups = prepareSelect('agentGroups', ['agentGroup'], ['key']);
const upsertGroups = prepareUpsert('agentGroups', ['apiKey', 'groupId'], {
  replaced: ['agentIds', 'agentGroup'],
});

export const agentGroups: Section<'agentGroups'> = {
  read: async ({ database, apiKey }) => {
    const groups = await selectGroups(database, { apiKey });
    return groups.map(({ agentGroup }) => JSON.parse(agentGroup));
  },
  write: async ({ database, apiKey }, records) => {
    const rows = records.map((group) => {
      const { groupId, agentIds } = group;
      return {
        apiKey,
        groupId,
        agentIds: JSON.stringify(agentIds),
        agentGroup: JSON.stringify(group),
      };
    });
    await upsertGroups(database, rows);
  },
};
