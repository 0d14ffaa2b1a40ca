import type { KeyScope } from '../call.ts';

/** An agent as imported. `system` marks built-in agents, `internal` hidden ones. */
export interface Agent {
  readonly id: string;
  readonly name?: string;
  readonly system?: boolean;
  readonly internal?: boolean;
  readonly [field: string]: unknown;
}

/** Finds the agents of an API key, oldest first. */
export async function findAllAgents({ database, apiKey }: KeyScope): Promise<readonly Agent[]> {
  const rows = await database
    .selectFrom('agents')
    .select('agent')
    .where('apiKey', '=', apiKey)
    .orderBy('key')
    .execute();
  return rows.map(({ agent }) => JSON.parse(agent));
}

export async function findAgent({ database, apiKey }: KeyScope, agentId: string): Promise<Agent | undefined> {
  const found = await database
    .selectFrom('agents')
    .select('agent')
    .where('apiKey', '=', apiKey)
    .where('agentId', '=', agentId)
    .executeTakeFirst();
  return found && JSON.parse(found.agent);
}

/** Finds the IDs of a group's agents in the group's order. Returns `undefined` if the group does not exist. */
export async function findGroupAgentIds(
  { database, apiKey }: KeyScope,
  groupId: string,
): Promise<string[] | undefined> {
  const found = await database
    .selectFrom('agentGroups')
    .select('agentIds')
    .where('apiKey', '=', apiKey)
    .where('groupId', '=', groupId)
    .executeTakeFirst();
  return found && JSON.parse(found.agentIds);
}
