import { batchesOf } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import type { Section } from './section.ts';

interface Owner {
  readonly apiKey: string;
}

const selectAgents = prepared((database, { apiKey }: Owner) =>
  database.selectFrom('agents').select('agent').where('apiKey', '=', apiKey).orderBy('key'),
);

const upsertAgents = prepared(
  (database, rows: readonly (Owner & { readonly agentId: string; readonly agent: string })[]) =>
    database
      .insertInto('agents')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['apiKey', 'agentId']).doUpdateSet(({ ref }) => ({ agent: ref('excluded.agent') })),
      ),
);

/** Whole agents, their secrets included; one that exists is replaced. */
export const agents: Section<'agents'> = {
  read: async ({ database, apiKey }) => {
    const rows = await selectAgents(database, { apiKey });
    return rows.map(({ agent }) => JSON.parse(agent));
  },
  write: async ({ database, apiKey }, records) => {
    for (const batch of batchesOf(records)) {
      const rows = batch.map((agent) => ({ apiKey, agentId: agent.id, agent: JSON.stringify(agent) }));
      await upsertAgents(database, rows);
    }
  },
};

const selectGroups = prepared((database, { apiKey }: Owner) =>
  database.selectFrom('agentGroups').select('agentGroup').where('apiKey', '=', apiKey).orderBy('key'),
);

interface GroupRow extends Owner {
  readonly groupId: string;
  readonly agentIds: string;
  readonly agentGroup: string;
}

const upsertGroups = prepared((database, rows: readonly GroupRow[]) =>
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
    for (const batch of batchesOf(records)) {
      const rows = batch.map((group) => {
        const { groupId, agentIds } = group;
        return { apiKey, groupId, agentIds: JSON.stringify(agentIds), agentGroup: JSON.stringify(group) };
      });
      await upsertGroups(database, rows);
    }
  },
};
