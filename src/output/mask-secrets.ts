import type { SecretPath } from '../catalog/secrets.ts';
import { isObject } from '../kernel/is-object.ts';
import { maskSecret } from '../kernel/redact.ts';

/** Copies a value with the values at the given paths masked. Absent, null, and empty values stay unchanged. */
export function maskSecrets(value: unknown, paths: readonly SecretPath[]): unknown {
  if (paths.length === 0 || value === undefined || value === null) return value;
  if (paths.some((path) => path.length === 0)) return typeof value === 'string' ? maskSecret(value) : maskSecret('?');
  if (Array.isArray(value)) return value.map((item, index) => maskSecrets(item, pathsBelow(paths, String(index))));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskSecrets(inner, pathsBelow(paths, key))]));
}

function pathsBelow(paths: readonly SecretPath[], key: string): readonly SecretPath[] {
  return paths.filter(([head]) => head === key || head === '*').map(([, ...rest]) => rest);
}
