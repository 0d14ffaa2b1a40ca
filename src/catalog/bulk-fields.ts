import * as z from 'zod';
import { pluralize } from '../kernel/plural.ts';
import type { Bulk, Operation } from './define.ts';
import { elementOf, shapeOf, unwrap } from './introspect.ts';

/** The records of a bulk operation: their position in its input, and their schema. */
export interface BulkFields extends Bulk {
  /**
   * Name of the list of records in a file: the array's name, or the plural of the record's noun.
   */
  readonly listName: string;
  /** Without an array, the whole input of a call. */
  readonly schema: z.ZodType;
  readonly knownFields: readonly string[];
  readonly input: z.ZodObject;
  readonly targetFields: readonly TargetField[];
}

export interface TargetField {
  readonly name: string;
  readonly required: boolean;
}

export function bulkFieldsOf({ bulk, input, path }: Operation): BulkFields {
  if (!bulk) throw new TypeError(`${path} is not a bulk operation`);
  const schema = recordSchema(bulk, input);
  const known = Object.keys(shapeOf(schema));
  const target = targetFields(input).filter(({ name }) =>
    bulk.field === undefined ? name !== bulk.id : !known.includes(name),
  );
  return {
    ...bulk,
    input,
    listName: bulk.field ?? pluralize(bulk.noun),
    schema,
    knownFields: known,
    targetFields: target,
  };
}

function targetFields({ shape }: z.ZodObject): readonly TargetField[] {
  return Object.entries(shape).flatMap(([name, schema]) =>
    name.endsWith('Id') ? [{ name, required: unwrap(schema as z.ZodType).required }] : [],
  );
}

function recordSchema({ field, id, bareIds }: Bulk, input: z.ZodObject): z.ZodType {
  if (field === undefined) return input;
  const array = input.shape[field];
  if (!array) throw new TypeError(`the catalog has no field ${field}`);
  const element = elementOf(array);
  return bareIds ? z.looseObject({ [id]: element }) : element;
}
