import type * as z from 'zod';

/** Where a reply holds a secret: property names from the top of its data; `*` stands for any index or key. */
export type SecretPath = readonly string[];

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}

/** The paths of every field of a schema that is marked as a secret. */
export function secretPaths(schema: z.ZodType, path: SecretPath = []): readonly SecretPath[] {
  if (schema.meta()?.['secret'] === true) return [path];
  const { innerType, element, valueType, shape } = schema.def as unknown as Definition;
  if (innerType) return secretPaths(innerType, path);
  const many = element ?? valueType;
  if (many) return secretPaths(many, [...path, '*']);
  return Object.entries(shape ?? {}).flatMap(([field, inner]) => secretPaths(inner, [...path, field]));
}
