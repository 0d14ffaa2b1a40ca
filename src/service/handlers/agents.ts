import { isObject } from '../../kernel/is-object.ts';
import { isSecretName } from '../../kernel/redact.ts';
import type { KeyCall } from '../call.ts';
import { type Agent, findAgent, findAllAgents, findGroupAgentIds } from '../records/agents.ts';
import { Refusal } from '../refusal.ts';
import type { HandlersOf } from './handler.ts';

export const agents: HandlersOf<'agents'> = {
  'agents.list': async (call, { filter, groupId }) => {
    const agents = groupId === undefined ? await findAllAgents(call) : await findGroupAgents(call, groupId);
    const visible = agents.filter(
      ({ internal, system }) => internal !== true && (filter === undefined || (filter === 'defaultOnly') === (system === true)),
    );
    return { data: { agents: visible.map(toAgentSummary) } };
  },

  'agents.get': async (call, { agentId }) => {
    const agent = await findAgent(call, agentId);
    if (!agent) throw new Refusal('NOT_FOUND', 'Agent not found.');
    return { data: { agent: toAgentRecord(agent) } };
  },
};

/** Returns the agents of a group, in the order of its `agentIds`. Omits agents that do not exist. */
async function findGroupAgents(call: KeyCall, groupId: string): Promise<readonly Agent[]> {
  const agentIds = await findGroupAgentIds(call, groupId);
  if (!agentIds) throw new Refusal('NOT_FOUND', 'Agent group not found.');
  const agentsById = new Map((await findAllAgents(call)).map((agent) => [agent.id, agent]));
  return agentIds.map((id) => agentsById.get(id)).filter((agent) => agent !== undefined);
}

const REDACTED = '__redacted__';

const IDENTITY_FIELDS = ['id', 'name', 'description', 'enabled'];
const RUN_FIELDS = ['executionCount', 'lastExecutedAt'];

/** Converts an agent to its form in lists. If the agent has never run, its `executionCount` is 0. */
function toAgentSummary(agent: Agent) {
  const withCount = { ...agent, executionCount: agent['executionCount'] ?? 0 };
  return {
    ...pick(withCount, [...IDENTITY_FIELDS, agent.system ? 'system' : 'version', ...RUN_FIELDS]),
    ...ownershipOf(agent),
  };
}

/** Converts an agent to its complete form without secrets. Built-in agents have only identity fields and `input`. */
function toAgentRecord(agent: Agent) {
  if (agent.system) return { ...pick(agent, [...IDENTITY_FIELDS, 'system', 'input']), ...ownershipOf(agent) };
  const hidden = new Set([...RUN_FIELDS, 'system', 'internal']);
  const { contextGathering, execution, ...others } = pick(
    agent,
    Object.keys(agent).filter((field) => !hidden.has(field)),
  );
  return {
    ...others,
    ...ownershipOf(agent),
    ...(contextGathering !== undefined && { contextGathering: redactField(contextGathering, 'strategyOptions') }),
    ...(execution !== undefined && { execution: redactField(execution, 'mcpServers') }),
  };
}

function ownershipOf({ id, system, managedBy }: Agent) {
  return { id, managedBy: typeof managedBy === 'string' ? managedBy : system ? 'platform' : 'customer' };
}

function pick(agent: Agent, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.filter((field) => agent[field] !== undefined).map((field) => [field, agent[field]]));
}

function redactField(value: unknown, field: string): unknown {
  if (!isObject(value) || value[field] === undefined) return value;
  return { ...value, [field]: redact(value[field]) };
}

/** Fields of an `auth` object that describe the login method and are not secret. */
const DESCRIPTIVE_AUTH_FIELD = /^(type|kind|scheme|method|in|name|header|headername|prefix)$/i;

function redact(value: unknown, isAuth = false): unknown {
  if (Array.isArray(value)) return value.map((inner) => redact(inner, isAuth));
  if (!isObject(value)) return isAuth && value !== null && typeof value !== 'boolean' ? REDACTED : value;
  const fields = Object.entries(value).map(([name, inner]) => [name, redactEntry(name, inner, isAuth)]);
  return Object.fromEntries(fields);
}

function redactEntry(name: string, value: unknown, isAuth: boolean): unknown {
  if (isAuth && DESCRIPTIVE_AUTH_FIELD.test(name) && typeof value === 'string') return value;
  return redact(value, isAuth || /^auth(entication)?$/i.test(name) || isSecretName(name));
}
