import type { KeyScope } from '../calls/call.ts';
import { prepareSelect } from '../store/statements.ts';

const selectAgents = prepareSelect('agents', ['agent'], ['key']);
const selectGroupAgentIds = prepareSelect('agentGroups', ['agentIds']);

/** An imported agent. `system` marks built-in agents, and `internal` hidden agents. */
export interface Agent {
  readonly id: string;
  readonly name?: string;
  readonly system?: boolean;
  readonly internal?: boolean;
  readonly [field: string]: unknown;
}

export async function findAllAgents({ database, apiKey }: KeyScope): Promise<readonly Agent[]> {
  return (await selectAgents(database, { apiKey })).map(({ agent }) => JSON.parse(agent));
}

export async function findAgent(
  { database, apiKey }: KeyScope,
  agentId: string,
): Promise<Agent | undefined> {
  const [found] = await selectAgents(database, { apiKey, agentId });
  return found && JSON.parse(found.agent);
}

export async function findGroupAgentIds(
  { database, apiKey }: KeyScope,
  groupId: string,
): Promise<string[] | undefined> {
  const [found] = await selectGroupAgentIds(database, { apiKey, groupId });
  return found && JSON.parse(found.agentIds);
}
