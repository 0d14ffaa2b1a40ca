import * as z from 'zod';
import { plural } from '../kernel/plural.ts';
import type { Bulk, Operation } from './define.ts';
import { elementOf, shapeOf } from './introspect.ts';

/** The records of an operation: where they stand in its input, and what each has to be. */
export interface BulkFields extends Bulk {
  /** The name of the list of records in a file: that of the array, or of the operation's own records. */
  readonly list: string;
  /** One record as a file holds it; of an operation without an array, the whole input of a call. */
  readonly schema: z.ZodType;
  /** The fields of a record that the service knows. */
  readonly known: readonly string[];
}

export function bulkFieldsOf({ bulk, input, path }: Operation): BulkFields {
  if (!bulk) throw new TypeError(`${path} takes no records`);
  const schema = recordSchema(bulk, input);
  return { ...bulk, list: bulk.field ?? plural(bulk.noun), schema, known: Object.keys(shapeOf(schema)) };
}

function recordSchema({ field, id, bareIds }: Bulk, input: z.ZodObject): z.ZodType {
  if (field === undefined) return input;
  const array = input.shape[field];
  if (!array) throw new TypeError(`there is no field ${field} in the catalog`);
  const element = elementOf(array);
  return bareIds ? z.looseObject({ [id]: element }) : element;
}
