import { isObject } from '../../kernel/is-object.ts';

export type Data = Readonly<Record<string, unknown>>;

/** A copy with a value put in at a place; objects on the way are made. */
export function withValue(data: Data, [head, ...rest]: readonly string[], value: unknown): Data {
  if (head === undefined) return data;
  const inner = data[head];
  return { ...data, [head]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}

/** A copy of `data` with what `over` says laid over it, field by field. */
export function laidOver(data: Data, over: Data): Data {
  const fields = new Map(Object.entries(data));
  for (const [key, value] of Object.entries(over)) {
    const inner = fields.get(key);
    fields.set(key, isObject(value) && isObject(inner) ? laidOver(inner, value) : value);
  }
  return Object.fromEntries(fields);
}
