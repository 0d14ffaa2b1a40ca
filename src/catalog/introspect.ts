import type * as z from 'zod';

/** The parts of a schema's definition that the catalog reads. zod types them by class, so the union is spelled out here. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, string>>;
}

export function definition(schema: z.ZodType): Definition {
  return schema.def as unknown as Definition;
}

/** A schema without its `optional` and `default` layers, and what was noted at any of them. */
export interface Unwrapped {
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly meta: Readonly<Record<string, unknown>>;
}

export function unwrap(declared: z.ZodType): Unwrapped {
  let schema = declared;
  let required = true;
  let meta = schema.meta() ?? {};
  for (let inner = definition(schema).innerType; inner; inner = definition(schema).innerType) {
    required = false;
    schema = inner;
    meta = { ...schema.meta(), ...meta };
  }
  return { schema, required, meta };
}

/** The schema of the elements of a list. */
export function elementOf(schema: z.ZodType): z.ZodType {
  const { element } = definition(unwrap(schema).schema);
  if (!element) throw new TypeError('not a list in the catalog');
  return element;
}

/** The schemas of the fields of an object. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  const { shape } = definition(unwrap(schema).schema);
  if (!shape) throw new TypeError('not an object in the catalog');
  return shape;
}
