import { chunkRows } from '../store/chunks.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Section } from './section.ts';

interface KeyQuery {
  readonly apiKey: string;
}

const selectAgents = prepareQuery((database, { apiKey }: KeyQuery) =>
  database.selectFrom('agents').select('agent').where('apiKey', '=', apiKey).orderBy('key'),
);

const upsertAgents = prepareQuery(
  (database, rows: readonly (KeyQuery & { readonly agentId: string; readonly agent: string })[]) =>
    database
      .insertInto('agents')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['apiKey', 'agentId']).doUpdateSet(({ ref }) => ({ agent: ref('excluded.agent') })),
      ),
);

/** Reads whole agents, including their secrets. Writing replaces existing agents. */
export const agents: Section<'agents'> = {
  read: async ({ database, apiKey }) => {
    const rows = await selectAgents(database, { apiKey });
    return rows.map(({ agent }) => JSON.parse(agent));
  },
  write: async ({ database, apiKey }, records) => {
    for (const batch of chunkRows(records)) {
      const rows = batch.map((agent) => ({ apiKey, agentId: agent.id, agent: JSON.stringify(agent) }));
      await upsertAgents(database, rows);
    }
  },
};

const selectGroups = prepareQuery((database, { apiKey }: KeyQuery) =>
  database.selectFrom('agentGroups').select('agentGroup').where('apiKey', '=', apiKey).orderBy('key'),
);

interface GroupRow extends KeyQuery {
  readonly groupId: string;
  readonly agentIds: string;
  readonly agentGroup: string;
}

const upsertGroups = prepareQuery((database, rows: readonly GroupRow[]) =>
  database
    .insertInto('agentGroups')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['apiKey', 'groupId'])
        .doUpdateSet(({ ref }) => ({ agentIds: ref('excluded.agentIds'), agentGroup: ref('excluded.agentGroup') })),
    ),
);

export const agentGroups: Section<'agentGroups'> = {
  read: async ({ database, apiKey }) => {
    const rows = await selectGroups(database, { apiKey });
    return rows.map(({ agentGroup }) => JSON.parse(agentGroup));
  },
  write: async ({ database, apiKey }, records) => {
    for (const batch of chunkRows(records)) {
      const rows = batch.map((group) => {
        const { groupId, agentIds } = group;
        return { apiKey, groupId, agentIds: JSON.stringify(agentIds), agentGroup: JSON.stringify(group) };
      });
      await upsertGroups(database, rows);
    }
  },
};
