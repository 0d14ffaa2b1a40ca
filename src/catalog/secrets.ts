import type * as z from 'zod/mini';
import { definitionOf } from './introspect.ts';
import { metadataOf } from './metadata.ts';

/**
 * Path of a secret in a response: property names from the top of its data; `*` matches any index or
 * key.
 */
export type SecretPath = readonly string[];

export function findSecretPaths(
  schema: z.ZodMiniType,
  path: SecretPath = [],
): readonly SecretPath[] {
  if (metadataOf(schema)['secret'] === true) return [path];
  const { innerType, element, valueType, shape } = definitionOf(schema);
  if (innerType) return findSecretPaths(innerType, path);
  const many = element ?? valueType;
  if (many) return findSecretPaths(many, [...path, '*']);
  return Object.entries(shape ?? {}).flatMap(([field, inner]) =>
    findSecretPaths(inner, [...path, field]),
  );
}
