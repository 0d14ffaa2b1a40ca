import { isObject } from '../../kernel/is-object.ts';
import { isSecretName } from '../../kernel/redact.ts';
import type { Agent } from './agents.ts';

/** Stands in replies for what an agent logs in elsewhere with. */
const REDACTED = '__redacted__';

const IDENTITY = ['id', 'name', 'description', 'enabled'];
const RUNS = ['executionCount', 'lastExecutedAt'];

/** A row of a list: identity and runs. An agent that never ran has an `executionCount` of 0. */
export function agentRow(agent: Agent) {
  const counted = { ...agent, executionCount: agent['executionCount'] ?? 0 };
  return { ...pick(counted, [...IDENTITY, agent.system ? 'system' : 'version', ...RUNS]), ...ownerOf(agent) };
}

/** One agent as a whole, its secrets redacted. Of a built-in one only what it is and takes is shown. */
export function agentRecord(agent: Agent) {
  if (agent.system) return { ...pick(agent, [...IDENTITY, 'system', 'input']), ...ownerOf(agent) };
  const hidden = new Set([...RUNS, 'system', 'internal']);
  const { contextGathering, execution, ...others } = pick(
    agent,
    Object.keys(agent).filter((field) => !hidden.has(field)),
  );
  return {
    ...others,
    ...ownerOf(agent),
    ...(contextGathering !== undefined && { contextGathering: within(contextGathering, 'strategyOptions') }),
    ...(execution !== undefined && { execution: within(execution, 'mcpServers') }),
  };
}

function ownerOf({ id, system, managedBy }: Agent) {
  return { id, managedBy: typeof managedBy === 'string' ? managedBy : system ? 'platform' : 'customer' };
}

function pick(agent: Agent, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.filter((field) => agent[field] !== undefined).map((field) => [field, agent[field]]));
}

/** A part of an agent, redacted in one of its fields. */
function within(part: unknown, field: string): unknown {
  if (!isObject(part) || part[field] === undefined) return part;
  return { ...part, [field]: redacted(part[field]) };
}

/** Fields of an `auth` that say how to log in, not with what. */
const DESCRIPTIVE = new Set(['type', 'kind', 'scheme', 'method', 'in', 'name', 'header', 'headername', 'prefix']);

function redacted(value: unknown, isAuth = false): unknown {
  if (Array.isArray(value)) return value.map((inner) => redacted(inner, isAuth));
  if (!isObject(value)) return isAuth && value !== null && typeof value !== 'boolean' ? REDACTED : value;
  const fields = Object.entries(value).map(([name, inner]) => [name, redactedField(name, inner, isAuth)]);
  return Object.fromEntries(fields);
}

function redactedField(name: string, value: unknown, isAuth: boolean): unknown {
  if (isAuth && DESCRIPTIVE.has(name.toLowerCase()) && typeof value === 'string') return value;
  return redacted(value, isAuth || /^auth(entication)?$/i.test(name) || isSecretName(name));
}
