import type * as z from 'zod';

/**
 * The fields of a schema's definition that the catalog reads. zod types them per class; this
 * interface combines them.
 */
interface SchemaDefinition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, string>>;
  readonly options?: readonly z.ZodType[];
  /** The values of a literal. */
  readonly values?: readonly unknown[];
  /** Returns the schema of `z.lazy`. */
  readonly getter?: () => z.ZodType;
}

export function definitionOf(schema: z.ZodType): SchemaDefinition {
  return schema.def as unknown as SchemaDefinition;
}

/**
 * Returns a schema without its `optional` and `default` wrappers, and the metadata of all of them.
 */
export function unwrap(declared: z.ZodType) {
  let schema = declared;
  let required = true;
  let meta: Readonly<Record<string, unknown>> = schema.meta() ?? {};
  for (let inner = definitionOf(schema).innerType; inner; inner = definitionOf(schema).innerType) {
    required = false;
    schema = inner;
    meta = { ...schema.meta(), ...meta };
  }
  return { schema, required, meta };
}

export function elementOf(schema: z.ZodType): z.ZodType {
  const { element } = definitionOf(unwrap(schema).schema);
  if (!element) throw new TypeError('not a list in the catalog');
  return element;
}

export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  const { shape } = definitionOf(unwrap(schema).schema);
  if (!shape) throw new TypeError('not an object in the catalog');
  return shape;
}
