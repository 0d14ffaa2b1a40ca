import { findAllAgents } from '../records/agents.ts';
import { serializeOtherFields } from '../records/other-fields.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import { omitUnset, parseOtherFields, type Section } from './section.ts';

const selectOrganizations = prepareSelect(
  'organizations',
  ['organizationId', 'organizationName', 'otherFields'],
  ['key'],
);
const upsertOrganizations = prepareUpsert('organizations', ['apiKey', 'organizationId'], {
  merged: ['organizationName', 'otherFields'],
});

/** Organizations. The import creates missing ones beforehand, so `write` only sets fields. */
export const organizations: Section<'organizations'> = {
  read: async ({ database, apiKey }) => {
    return (await selectOrganizations(database, { apiKey })).map(
      ({ organizationId, organizationName, otherFields: others }) => ({
        organizationId,
        ...omitUnset({ organizationName }),
        ...parseOtherFields(others),
      }),
    );
  },
  write: async ({ database, apiKey, now }, records) => {
    const rows = records.map(({ organizationId, organizationName = null, ...others }) => ({
      apiKey,
      organizationId,
      organizationName,
      otherFields: serializeOtherFields(others),
      createdAt: now,
    }));
    await upsertOrganizations(database, rows);
  },
};

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
