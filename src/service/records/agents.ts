import type { KeyScope } from '../call.ts';

/** An imported agent. `system` marks built-in agents, and `internal` hidden agents. */
export interface Agent {
  readonly id: string;
  readonly name?: string;
  readonly system?: boolean;
  readonly internal?: boolean;
  readonly [field: string]: unknown;
}

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

/** Returns the IDs of a group's agents, in the group's order. Returns `undefined` if the group does not exist. */
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
