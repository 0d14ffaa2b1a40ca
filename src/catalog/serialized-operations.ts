import type * as z from 'zod';
import type { Operation } from './define.ts';
import { deriveFlags } from './flags.ts';
import { loadResource, type OperationName, RESOURCES, type Resource } from './index.ts';
import { definitionOf, shapeOf, unwrap } from './introspect.ts';
import type { OperationEntry } from './operation-entry.ts';
import { findSecretPaths } from './secrets.ts';

/**
 * The operations of the catalog, each serialized as JSON, so that a command parses only its own. The build replaces
 * this module with the computed texts, so that the built tool starts without loading schemas.
 */
export const serializedOperations: Readonly<Record<OperationName, string>> = Object.fromEntries(
  (await Promise.all(RESOURCES.map(entriesOf))).flat().map((entry) => [entry.name, JSON.stringify(entry)]),
) as Record<OperationName, string>;

async function entriesOf(resource: Resource): Promise<OperationEntry[]> {
  const operations: Readonly<Record<string, Operation>> = await loadResource(resource);
  return Object.entries(operations).map(([name, operation]) => ({
    name: name as OperationName,
    resource,
    command: operation.command,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    examples: operation.examples ?? {},
    path: operation.path,
    version: operation.path.split('/')[1] ?? '',
    auth: operation.auth,
    effect: operation.effect,
    flags: deriveFlags(operation),
    ...(operation.bulk && { bulk: operation.bulk.field ? ('array' as const) : ('calls' as const) }),
    ...(operation.bulk?.ifExists && {
      ifExists: ['fail', 'skip', ...(operation.bulk.ifExists.update ? (['update'] as const) : [])],
    }),
    fields: listResultFields(operation),
    ...(operation.columns && { columns: operation.columns }),
    ...(operation.argument && { argument: operation.argument }),
    ...(operation.selectedBy && { selectedBy: operation.selectedBy }),
    ...(operation.wait && { wait: operation.wait }),
    ...(operation.createsParents && { createsParents: operation.createsParents.kinds }),
    paged: operation.pages !== undefined,
    ...(operation.eventTypes && { takesEvents: true as const }),
    secrets: operation.revealsSecrets ? [] : findSecretPaths(operation.output),
  }));
}

/** Lists the names that `--fields` accepts for a result, or for a list's records, from the columns and the schema. */
function listResultFields({ output, records, columns = [] }: Operation): readonly string[] {
  const result = records === undefined ? output : shapeOf(output)[records];
  return [...new Set([...columns.map(({ field }) => field), ...(result ? listFieldPaths(elementOrSelf(result)) : [])])];
}

function elementOrSelf(declared: z.ZodType): z.ZodType {
  const { schema } = unwrap(declared);
  return definitionOf(schema).element ?? schema;
}

function listFieldPaths(declared: z.ZodType, depth = 2): readonly string[] {
  const { shape } = definitionOf(unwrap(declared).schema);
  if (shape === undefined || depth === 0) return [];
  return Object.entries(shape).flatMap(([name, inner]) => [
    name,
    ...listFieldPaths(inner, depth - 1).map((path) => `${name}.${path}`),
  ]);
}
