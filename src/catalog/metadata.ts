import * as z from 'zod/mini';

// Messages of issues, which zod/mini does not set: the service returns some of them.
z.config(z.locales.en());

/** Describes a new schema, for help and generated documents. */
export function described<Schema extends z.core.$ZodType>(
  schema: Schema,
  description: string,
): Schema {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), description });
  return schema;
}

/** Returns a copy of a schema with additional metadata. */
export function withMetadata<Schema extends z.core.$ZodType>(
  schema: Schema,
  metadata: object,
): Schema {
  const copy = z.clone(schema);
  z.globalRegistry.add(copy, { ...z.globalRegistry.get(schema), ...metadata });
  return copy;
}

/** Returns the metadata of a schema, which includes its description. */
export function metadataOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  return z.globalRegistry.get(schema) ?? {};
}
