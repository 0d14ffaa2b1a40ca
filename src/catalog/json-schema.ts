import * as z from 'zod';
import { bulkFieldsOf } from './bulk-fields.ts';
import type { Operation } from './define.ts';
import { shapeOf } from './introspect.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** An operation's schemas as JSON Schema, draft 2020-12. */
export interface OperationSchemas {
  /** Of `data` in the request. */
  readonly input: JsonSchema;
  /** Of `result.data` in the reply. */
  readonly output: JsonSchema;
  /** Of one record of a file, where the operation takes many. */
  readonly record?: JsonSchema;
}

interface SchemaOptions {
  /** Whether the schemas hold the rules between fields that JSON Schema can express (default: true). */
  readonly rules?: boolean;
}

export function operationSchemas(operation: Operation, { rules = true }: SchemaOptions = {}): OperationSchemas {
  const record = recordOf(operation);
  return {
    input: jsonSchema(operation.input, 'input', rules),
    output: jsonSchema(operation.output, 'output', rules),
    ...(record && { record: jsonSchema(record, 'input', rules) }),
  };
}

/** A file may hold bare ids in place of the records that they make. */
function recordOf(operation: Operation): z.ZodType | undefined {
  if (!operation.bulk) return undefined;
  const { schema, bareIds, id } = bulkFieldsOf(operation);
  const bare = bareIds && shapeOf(schema)[id];
  return bare ? z.union([bare, schema]) : schema;
}

/** What the catalog notes at a field for the command line says nothing about data. */
const NOTES = ['flag', 'off', 'as', 'secret', 'rules', 'id'];

function jsonSchema(schema: z.ZodType, io: 'input' | 'output', withRules: boolean): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: made }) => {
      if (made['secret'] === true) made.format = 'password';
      if (withRules) Object.assign(made, made['rules']);
      for (const note of NOTES) delete made[note];
    },
  });
}
