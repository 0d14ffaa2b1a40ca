import * as z from 'zod';
import { plural } from '../kernel/plural.ts';
import type { Bulk, Operation } from './define.ts';
import { elementOf, shapeOf, unwrap } from './introspect.ts';

/** The records of an operation: where they stand in its input, and what each has to be. */
export interface BulkFields extends Bulk {
  /** The name of the list of records in a file: that of the array, or of the operation's own records. */
  readonly list: string;
  /** One record as a file holds it; of an operation without an array, the whole input of a call. */
  readonly schema: z.ZodType;
  /** The fields of a record that the service knows. */
  readonly known: readonly string[];
  /** The fields of the input that say where all records of a call go: the organization, say. */
  readonly target: readonly TargetField[];
}

export interface TargetField {
  readonly name: string;
  readonly required: boolean;
}

export function bulkFieldsOf({ bulk, input, path }: Operation): BulkFields {
  if (!bulk) throw new TypeError(`${path} takes no records`);
  const schema = recordSchema(bulk, input);
  const known = Object.keys(shapeOf(schema));
  const target = targetFields(input).filter(({ name }) =>
    bulk.field === undefined ? name !== bulk.id : !known.includes(name),
  );
  return { ...bulk, list: bulk.field ?? plural(bulk.noun), schema, known, target };
}

/** Those that hold one id. */
function targetFields({ shape }: z.ZodObject): readonly TargetField[] {
  return Object.entries(shape).flatMap(([name, schema]) =>
    name.endsWith('Id') ? [{ name, required: unwrap(schema as z.ZodType).required }] : [],
  );
}

function recordSchema({ field, id, bareIds }: Bulk, input: z.ZodObject): z.ZodType {
  if (field === undefined) return input;
  const array = input.shape[field];
  if (!array) throw new TypeError(`there is no field ${field} in the catalog`);
  const element = elementOf(array);
  return bareIds ? z.looseObject({ [id]: element }) : element;
}
