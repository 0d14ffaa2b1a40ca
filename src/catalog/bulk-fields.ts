import * as z from 'zod';
import type { Bulk, Operation } from './define.ts';

/** The records of an operation: where they stand in its input, and what each has to be. */
export interface BulkFields extends Bulk {
  readonly schema: z.ZodType;
  /** The fields of a record that the service knows. */
  readonly known: readonly string[];
}

export function bulkFieldsOf({ bulk, input, path }: Operation): BulkFields {
  const list = bulk && input.shape[bulk.field];
  if (!bulk || !(list instanceof z.ZodArray)) throw new TypeError(`${path} takes no records`);
  const schema = list.element as z.ZodType;
  return { ...bulk, schema, known: schema instanceof z.ZodObject ? Object.keys(schema.shape) : [] };
}
