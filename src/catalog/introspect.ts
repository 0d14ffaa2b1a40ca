import type * as z from 'zod/mini';
import { metadataOf } from './metadata.ts';

/**
 * The fields of a schema's definition that the catalog reads. zod types them per class; this
 * interface combines them.
 */
interface SchemaDefinition {
  readonly type: string;
  readonly innerType?: z.ZodMiniType;
  readonly element?: z.ZodMiniType;
  readonly valueType?: z.ZodMiniType;
  readonly shape?: Readonly<Record<string, z.ZodMiniType>>;
  readonly entries?: Readonly<Record<string, string>>;
  readonly options?: readonly z.ZodMiniType[];
  /** The values of a literal. */
  readonly values?: readonly unknown[];
  /** Returns the schema of `z.lazy`. */
  readonly getter?: () => z.ZodMiniType;
}

export function definitionOf(schema: z.ZodMiniType): SchemaDefinition {
  return schema.def;
}

/**
 * Returns a schema without its `optional` and `default` wrappers, and the metadata of all of them.
 */
export function unwrap(declared: z.ZodMiniType) {
  let schema = declared;
  let required = true;
  let meta = metadataOf(schema);
  for (let inner = definitionOf(schema).innerType; inner; inner = definitionOf(schema).innerType) {
    required = false;
    schema = inner;
    meta = { ...metadataOf(schema), ...meta };
  }
  return { schema, required, meta };
}

export function elementOf(schema: z.ZodMiniType): z.ZodMiniType {
  const { element } = definitionOf(unwrap(schema).schema);
  if (!element) throw new TypeError('not a list in the catalog');
  return element;
}

export function shapeOf(schema: z.ZodMiniType): Readonly<Record<string, z.ZodMiniType>> {
  const { shape } = definitionOf(unwrap(schema).schema);
  if (!shape) throw new TypeError('not an object in the catalog');
  return shape;
}
