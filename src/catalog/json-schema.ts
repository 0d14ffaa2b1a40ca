import * as z from 'zod/mini';
import { bulkFieldsOf } from './bulk-fields.ts';
import type { Operation } from './define.ts';
import { shapeOf } from './introspect.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface OperationSchemas {
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  readonly record?: JsonSchema;
}

/** @param options `rules`: whether to include rules between fields (default: true) */
export function createOperationSchemas(
  operation: Operation,
  { rules = true } = {},
): OperationSchemas {
  const record = recordSchemaOf(operation);
  return {
    input: createJsonSchema(operation.input, 'input', rules),
    output: createJsonSchema(operation.output, 'output', rules),
    ...(record && { record: createJsonSchema(record, 'input', rules) }),
  };
}

/**
 * Returns the schema of one record. If the array contains IDs, a file may contain either IDs or
 * records.
 */
function recordSchemaOf(operation: Operation): z.ZodMiniType | undefined {
  if (!operation.bulk) return undefined;
  const { schema, bareIds, id } = bulkFieldsOf(operation);
  const bare = bareIds && shapeOf(schema)[id];
  return bare ? z.union([bare, schema]) : schema;
}

/** Catalog metadata that is not part of the JSON Schema. */
const CATALOG_METADATA = ['flag', 'off', 'as', 'implies', 'secret', 'rules', 'id'];

export function createJsonSchema(
  schema: z.ZodMiniType,
  io: 'input' | 'output',
  withRules = true,
): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: node }) => {
      if (node['secret'] === true && node.type === 'string') node.format = 'password';
      if (withRules) Object.assign(node, node['rules']);
      for (const key of CATALOG_METADATA) delete node[key];
    },
  });
}
