import * as z from 'zod/mini';
import { pluralize } from '../kernel/plural.ts';
import type { Bulk, Operation } from './define.ts';
import { organizationId } from './fields.ts';
import { elementOf, shapeOf, unwrap } from './introspect.ts';

/** The records of a bulk operation: their position in its input, and their schema. */
export interface BulkFields extends Bulk {
  /**
   * Name of the list of records in a file: the array's name, or the plural of the record's noun.
   */
  readonly listName: string;
  /** The fields of one record, or the whole input of a call that has no list of records. */
  readonly schema: z.ZodMiniType;
  readonly knownFields: readonly string[];
  readonly input: z.ZodMiniObject;
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

/** Lets each record name its organization. */
export function withOwnOrganization(fields: BulkFields): BulkFields {
  return {
    ...fields,
    schema: z.looseObject({
      ...shapeOf(fields.schema),
      organizationId: z.optional(organizationId),
    }),
    knownFields: [...fields.knownFields, 'organizationId'],
  };
}

function targetFields(input: z.ZodMiniObject): readonly TargetField[] {
  return Object.entries(shapeOf(input)).flatMap(([name, schema]) =>
    name.endsWith('Id') ? [{ name, required: unwrap(schema).required }] : [],
  );
}

function recordSchema({ field, id, bareIds }: Bulk, input: z.ZodMiniObject): z.ZodMiniType {
  if (field === undefined) return input;
  const array = shapeOf(input)[field];
  if (!array) throw new TypeError(`the catalog has no field ${field}`);
  const element = elementOf(array);
  return bareIds ? z.looseObject({ [id]: element }) : element;
}
