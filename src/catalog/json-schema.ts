import * as z from 'zod';
import type { Operation } from './define.ts';
import { elementOf } from './introspect.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** An operation's schemas as JSON Schema, draft 2020-12. Rules between fields are not in them: those have no such form. */
export interface OperationSchemas {
  /** Of `data` in the request. */
  readonly input: JsonSchema;
  /** Of `result.data` in the reply. */
  readonly output: JsonSchema;
  /** Of one record of a file, where the operation takes many. */
  readonly record?: JsonSchema;
}

export function operationSchemas(operation: Operation): OperationSchemas {
  const record = recordOf(operation);
  return {
    input: jsonSchema(operation.input, 'input'),
    output: jsonSchema(operation.output, 'output'),
    ...(record && { record: jsonSchema(record, 'input') }),
  };
}

function recordOf({ input, bulk }: Operation): z.ZodType | undefined {
  const list = bulk?.field && input.shape[bulk.field];
  if (!bulk || !list) return bulk && input;
  const record = elementOf(list);
  return bulk.bareIds ? z.union([record, z.looseObject({ [bulk.id]: record })]) : record;
}

/** What the catalog notes at a field for the command line says nothing about data. */
const NOTES = ['flag', 'off', 'as', 'secret'];

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: made }) => {
      if (made['secret'] === true) made.format = 'password';
      for (const note of NOTES) delete made[note];
    },
  });
}
