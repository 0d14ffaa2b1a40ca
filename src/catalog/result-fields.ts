import type * as z from 'zod';
import type { Operation } from './define.ts';
import { definitionOf, shapeOf, unwrap } from './introspect.ts';

/** Lists the names that `--fields` accepts for a result, or for a list's records, from the columns and the schema. */
export function listResultFields({ output, records, columns = [] }: Operation): readonly string[] {
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
