import type * as z from 'zod';
import type { Operation } from './define.ts';
import { definitionOf, shapeOf, unwrap } from './introspect.ts';

/** Fields of a result, or of each record of a list, that `--fields` accepts: those of the schema, and those of the columns. */
export function resultFields({ output, records, columns = [] }: Operation): readonly string[] {
  const result = records === undefined ? output : shapeOf(output)[records];
  return [...new Set([...columns.map(({ field }) => field), ...(result ? fieldsOf(elementOrSelf(result)) : [])])];
}

/** Schema of the elements of an array, or the schema itself. */
function elementOrSelf(declared: z.ZodType): z.ZodType {
  const { schema } = unwrap(declared);
  return definitionOf(schema).element ?? schema;
}

/** Names of the fields of an object, and paths of the fields of objects in it: `owner.email`. */
function fieldsOf(declared: z.ZodType, depth = 2): readonly string[] {
  const { shape } = definitionOf(unwrap(declared).schema);
  if (shape === undefined || depth === 0) return [];
  return Object.entries(shape).flatMap(([name, inner]) => [
    name,
    ...fieldsOf(inner, depth - 1).map((path) => `${name}.${path}`),
  ]);
}
