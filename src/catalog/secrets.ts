import type * as z from 'zod';
import { definitionOf } from './introspect.ts';

/**
 * Path of a secret in a response: property names from the top of its data; `*` matches any index or
 * key.
 */
export type SecretPath = readonly string[];

export function findSecretPaths(schema: z.ZodType, path: SecretPath = []): readonly SecretPath[] {
  if (schema.meta()?.['secret'] === true) return [path];
  const { innerType, element, valueType, shape } = definitionOf(schema);
  if (innerType) return findSecretPaths(innerType, path);
  const many = element ?? valueType;
  if (many) return findSecretPaths(many, [...path, '*']);
  return Object.entries(shape ?? {}).flatMap(([field, inner]) =>
    findSecretPaths(inner, [...path, field]),
  );
}
