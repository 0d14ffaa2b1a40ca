import type * as z from 'zod';
import { definition } from './introspect.ts';

/** Where a reply holds a secret: property names from the top of its data; `*` stands for any index or key. */
export type SecretPath = readonly string[];

/** The paths of every field of a schema that is marked as a secret. */
export function secretPaths(schema: z.ZodType, path: SecretPath = []): readonly SecretPath[] {
  if (schema.meta()?.['secret'] === true) return [path];
  const { innerType, element, valueType, shape } = definition(schema);
  if (innerType) return secretPaths(innerType, path);
  const many = element ?? valueType;
  if (many) return secretPaths(many, [...path, '*']);
  return Object.entries(shape ?? {}).flatMap(([field, inner]) => secretPaths(inner, [...path, field]));
}
