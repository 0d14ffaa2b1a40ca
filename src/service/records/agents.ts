import { isObject } from '../../kernel/json.ts';
import { isSecretName } from '../../kernel/redact.ts';
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

const REDACTED = '__redacted__';
const IDENTITY_FIELDS = ['id', 'name', 'description', 'enabled'];
const BUILT_IN_FIELDS = ['system', 'essentialDefault'];
const RUN_FIELDS = ['executionCount', 'lastExecutedAt'];
/** Values of fields that an agent may lack. */
const DEFAULTS = { essentialDefault: false, executionCount: 0, lastExecutedAt: null };

/**
 * Converts an agent to its form in lists. If the agent has never run, its `executionCount` is 0 and
 * its `lastExecutedAt` is null.
 */
export function toAgentSummary(agent: Agent) {
  const kindFields = agent.system ? BUILT_IN_FIELDS : ['version'];
  return {
    ...pick({ ...DEFAULTS, ...agent }, [...IDENTITY_FIELDS, ...kindFields, ...RUN_FIELDS]),
    ...ownershipOf(agent),
  };
}

/**
 * Converts an agent to its complete form without secrets. Built-in agents have only identity fields
 * and `input`.
 */
export function toAgentRecord(agent: Agent) {
  if (agent.system)
    return {
      ...pick({ ...DEFAULTS, ...agent }, [...IDENTITY_FIELDS, ...BUILT_IN_FIELDS, 'input']),
      ...ownershipOf(agent),
    };
  const hidden = new Set([...RUN_FIELDS, 'system', 'internal']);
  const { contextGathering, execution, ...others } = pick(
    agent,
    Object.keys(agent).filter((field) => !hidden.has(field)),
  );
  return {
    ...others,
    ...ownershipOf(agent),
    ...(contextGathering !== undefined && {
      contextGathering: redactField(contextGathering, 'strategyOptions'),
    }),
    ...(execution !== undefined && { execution: redactField(execution, 'mcpServers') }),
  };
}

function ownershipOf({ id, system, managedBy }: Agent) {
  return {
    id,
    managedBy: typeof managedBy === 'string' ? managedBy : system ? 'platform' : 'customer',
  };
}

function pick(agent: Agent, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter((field) => agent[field] !== undefined).map((field) => [field, agent[field]]),
  );
}

function redactField(value: unknown, field: string): unknown {
  if (!isObject(value) || value[field] === undefined) return value;
  return { ...value, [field]: redact(value[field]) };
}

/** Fields of an `auth` object that describe the login method and are not secret. */
const DESCRIPTIVE_AUTH_FIELD = /^(type|kind|scheme|method|in|name|header|headername|prefix)$/i;

function redact(value: unknown, isAuth = false): unknown {
  if (Array.isArray(value)) return value.map((inner) => redact(inner, isAuth));
  if (!isObject(value))
    return isAuth && value !== null && typeof value !== 'boolean' ? REDACTED : value;
  const fields = Object.entries(value).map(([name, inner]) => [
    name,
    redactEntry(name, inner, isAuth),
  ]);
  return Object.fromEntries(fields);
}

function redactEntry(name: string, value: unknown, isAuth: boolean): unknown {
  if (isAuth && DESCRIPTIVE_AUTH_FIELD.test(name) && typeof value === 'string') return value;
  return redact(value, isAuth || /^auth(entication)?$/i.test(name) || isSecretName(name));
}
