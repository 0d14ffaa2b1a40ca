import type { KeyCall } from '../call.ts';
import { agentRecord, agentRow } from '../records/agent-record.ts';
import { type Agent, agentIdsOf, allAgents, findAgent } from '../records/agents.ts';
import { Refusal } from '../refusal.ts';
import type { HandlersOf } from './handler.ts';

export const agents: HandlersOf<'agents'> = {
  'agents.list': async (call, { filter, groupId }) => {
    const listed = groupId === undefined ? await allAgents(call) : await membersOf(call, groupId);
    const shown = listed.filter(
      ({ internal, system }) =>
        internal !== true && (filter === undefined || (filter === 'defaultOnly') === (system === true)),
    );
    return { data: { agents: shown.map(agentRow) } };
  },

  'agents.get': async (call, { agentId }) => {
    const agent = await findAgent(call, agentId);
    if (!agent) throw new Refusal('NOT_FOUND', 'Agent not found.');
    return { data: { agent: agentRecord(agent) } };
  },
};

/** A group's agents in the order of its `agentIds`; one that does not exist is left out. */
async function membersOf(call: KeyCall, groupId: string): Promise<readonly Agent[]> {
  const agentIds = await agentIdsOf(call, groupId);
  if (!agentIds) throw new Refusal('NOT_FOUND', 'Agent group not found.');
  const known = new Map((await allAgents(call)).map((agent) => [agent.id, agent]));
  return agentIds.map((id) => known.get(id)).filter((agent) => agent !== undefined);
}
