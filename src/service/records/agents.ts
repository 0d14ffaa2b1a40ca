import type { KeyCall } from '../call.ts';

/** An agent as it was brought in: the interface's fields, and whether it is the service's own and hidden. */
export interface Agent {
  readonly id: string;
  readonly name?: string;
  readonly system?: boolean;
  readonly internal?: boolean;
  readonly [field: string]: unknown;
}

/** The agents of an API key, in the order of their coming. */
export async function allAgents({ database, apiKey }: KeyCall): Promise<readonly Agent[]> {
  const rows = await database
    .selectFrom('agents')
    .select('agent')
    .where('apiKey', '=', apiKey)
    .orderBy('key')
    .execute();
  return rows.map(({ agent }) => JSON.parse(agent));
}

export async function findAgent({ database, apiKey }: KeyCall, agentId: string): Promise<Agent | undefined> {
  const found = await database
    .selectFrom('agents')
    .select('agent')
    .where('apiKey', '=', apiKey)
    .where('agentId', '=', agentId)
    .executeTakeFirst();
  return found && JSON.parse(found.agent);
}

/** The ids of a group's agents in its own order, or `undefined` where there is no such group. */
export async function agentIdsOf({ database, apiKey }: KeyCall, groupId: string): Promise<string[] | undefined> {
  const found = await database
    .selectFrom('agentGroups')
    .select('agentIds')
    .where('apiKey', '=', apiKey)
    .where('groupId', '=', groupId)
    .executeTakeFirst();
  return found && JSON.parse(found.agentIds);
}
