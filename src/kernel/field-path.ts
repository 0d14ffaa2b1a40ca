import { type Fields, isObject } from './json.ts';

/** Formats a path for messages: `users[0].email`. The empty path is an empty string. */
export function formatFieldPath(path: readonly PropertyKey[]): string {
  const name = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('');
  return name.replace(/^\./, '');
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value);
}

/** Copies data without the field at a path. */
export function withoutValue(data: Fields, path: readonly string[]): Fields {
  const [head = '', ...rest] = path;
  if (!Object.hasOwn(data, head)) return data;
  const { [head]: inner, ...others } = data;
  if (rest.length === 0) return others;
  return isObject(inner) ? { ...data, [head]: withoutValue(inner, rest) } : data;
}

export function withValue(
  data: Fields,
  [head, ...rest]: readonly string[],
  value: unknown,
): Fields {
  if (head === undefined) return data;
  const inner = data[head];
  return {
    ...data,
    [head]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value),
  };
}
