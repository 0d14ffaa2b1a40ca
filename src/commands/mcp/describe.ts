import { loadOperation } from '../../catalog/index.ts';
import { createOperationSchemas } from '../../catalog/json-schema.ts';
import { manifest } from '../../catalog/manifest.ts';
import { isObject, mapInner } from '../../kernel/json.ts';
import { findEntry, isOffered } from './tools.ts';

/** Lists the operations that the tools offer, one per line: name, effect, and summary. */
export function describeAll(allowWrites: boolean): string {
  return manifest
    .filter((entry) => isOffered(entry, 'read') || (allowWrites && isOffered(entry, 'write')))
    .map(({ name, effect, summary }) => `${name} (${EFFECTS[effect]}): ${summary}`)
    .join('\n');
}

const EFFECTS = {
  read: 'reads',
  keyed: 'adds or updates',
  set: 'replaces fields',
  delete: 'deletes',
  once: 'not repeatable',
} as const;

/** Describes one operation by the fields of its input and result. */
export async function describeOperation(name: string, allowWrites: boolean): Promise<object> {
  const entry = findEntry(name, allowWrites);
  const operation = await loadOperation(entry.resource, entry.name);
  const { summary, description, effect, paged, fields } = entry;
  // Hosts need no rules between fields, which the call checks.
  const { input } = createOperationSchemas(operation, { rules: false });
  return {
    operation: entry.name,
    summary,
    ...(description !== undefined && { description }),
    effect: EFFECTS[effect],
    tool: isOffered(entry, 'read') ? 'read' : isOffered(entry, 'write') ? 'write' : null,
    ...(effect !== 'read' && { asksUser: operation.confirm !== undefined }),
    ...(paged && { pages: 'one page per call; a note contains the cursor of the next' }),
    input: withoutKeys(JSON.parse(JSON.stringify(input))),
    resultFields: fields,
  };
}

/** Keys of schemas that only matter to validators. Some hosts reject the patterns. */
const DROPPED = new Set(['$schema', 'pattern', 'additionalProperties', 'propertyNames']);

function withoutKeys(schema: unknown): unknown {
  const inner = mapInner(schema, (value) => withoutKeys(value));
  if (!isObject(inner)) return inner;
  // A field may have the name of a keyword, but its value is then a schema.
  return Object.fromEntries(
    Object.entries(inner).filter(([key, value]) => !DROPPED.has(key) || isFieldSchema(key, value)),
  );
}

function isFieldSchema(key: string, value: unknown): boolean {
  return key === 'pattern' && isObject(value);
}
