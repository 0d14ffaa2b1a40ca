import { mapInner } from './json.ts';
import { maskSecret } from './redact.ts';

/**
 * Copies a value with the values at the given paths masked; `*` is any key. Absent, null, and empty
 * values stay unchanged.
 */
export function maskSecrets(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.length === 0 || value === undefined || value === null) return value;
  if (paths.some((path) => path.length === 0))
    return typeof value === 'string' ? maskSecret(value) : maskSecret('?');
  return mapInner(value, (inner, key) => maskSecrets(inner, pathsBelow(paths, key)));
}

function pathsBelow(
  paths: readonly (readonly string[])[],
  key: string,
): readonly (readonly string[])[] {
  return paths.filter(([head]) => head === key || head === '*').map(([, ...rest]) => rest);
}
