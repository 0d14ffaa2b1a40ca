import { AGENT_FILTERS } from '../../catalog/agents.ts';
import type { KeyCall } from '../calls/call.ts';
import { requireKnownValue } from '../calls/validate.ts';
import {
  type Agent,
  findAgent,
  findAllAgents,
  findGroupAgentIds,
  toAgentRecord,
  toAgentSummary,
} from '../records/agents.ts';
import { Refusal } from '../store/refusal.ts';
import type { HandlersOf } from './handler.ts';

export const agents: HandlersOf<'agents'> = {
  'agents.list': async (call, { filter, groupId }) => {
    requireKnownValue(['filter'], filter, AGENT_FILTERS);
    const agents =
      groupId === undefined ? await findAllAgents(call) : await findGroupAgents(call, groupId);
    const visible = agents.filter(
      ({ internal, system }) =>
        internal !== true &&
        (filter === undefined || (filter === 'defaultOnly') === (system === true)),
    );
    return { data: { agents: visible.map(toAgentSummary) } };
  },

  'agents.get': async (call, { agentId }) => {
    const agent = await findAgent(call, agentId);
    if (!agent) throw new Refusal('NOT_FOUND', 'Agent not found.');
    return { data: { agent: toAgentRecord(agent) } };
  },
};

async function findGroupAgents(call: KeyCall, groupId: string): Promise<readonly Agent[]> {
  const agentIds = await findGroupAgentIds(call, groupId);
  if (!agentIds) throw new Refusal('NOT_FOUND', 'Agent group not found.');
  const agentsById = new Map((await findAllAgents(call)).map((agent) => [agent.id, agent]));
  return agentIds.map((id) => agentsById.get(id)).filter((agent) => agent !== undefined);
}
