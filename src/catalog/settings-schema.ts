import { isObject, mapInner } from '../kernel/json.ts';
import { EMAIL_TRIGGERS, EVENT_TYPES, WEBHOOK_TRIGGERS } from './events.ts';
import { createJsonSchema, type JsonSchema } from './json-schema.ts';
import { settingsSchema } from './settings.ts';

/**
 * Returns the JSON Schema of settings files, for editors: strings may contain variables, and the
 * known event types are suggested.
 */
export function createSettingsSchema(): JsonSchema {
  const schema = adapt(createJsonSchema(settingsSchema, 'input'), '') as JsonSchema;
  return { title: 'Settings file of svc', ...schema };
}

const VARIABLE = { type: 'string', pattern: '\\$\\{', description: 'a text with variables' };
const CONSTRAINTS = ['enum', 'format', 'maxLength', 'pattern'];
const DESCRIPTIONS = new Map(EVENT_TYPES.map(({ name, description }) => [name, description]));

function adapt(node: unknown, name: string): unknown {
  // Names of fields do not contain variables.
  if (name === 'propertyNames') return node;
  const adapted = mapInner(node, adapt);
  if (!isObject(adapted)) return adapted;
  if (name === 'filterTypes') return mapInner(adapted, suggestEventTypes);
  if (name === 'webhookServiceConfig') return suggestTriggers(adapted, WEBHOOK_TRIGGERS);
  if (name === 'emailServiceConfig') return suggestTriggers(adapted, EMAIL_TRIGGERS);
  if (adapted['type'] !== 'string' || !CONSTRAINTS.some((key) => Object.hasOwn(adapted, key)))
    return adapted;
  const { description, ...constraints } = adapted;
  return { ...(description !== undefined && { description }), anyOf: [constraints, VARIABLE] };
}

function suggestEventTypes(node: unknown, name: string): unknown {
  if (name !== 'items' || !isObject(node)) return mapInner(node, suggestEventTypes);
  const { anyOf = [] } = node as { readonly anyOf?: readonly unknown[] };
  return { ...node, anyOf: [{ enum: [...DESCRIPTIONS.keys()] }, ...anyOf] };
}

function suggestTriggers(
  node: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, boolean>>,
): unknown {
  const triggers = Object.entries(names).map(([name, isOn]) => [
    name,
    { type: 'boolean', description: `${DESCRIPTIONS.get(name)} (default: ${isOn})` },
  ]);
  return mapInner(node, (inner, key) => {
    if (key !== 'properties' || !isObject(inner)) return inner;
    return {
      ...inner,
      triggers: { ...Object(inner['triggers']), properties: Object.fromEntries(triggers) },
    };
  });
}
