import { isObject } from '../../kernel/is-object.ts';

/** Sets the value at a path, and creates missing objects on the way. */
export function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = target[head];
  const next = isObject(inner) ? inner : {};
  target[head] = next;
  setPath(next, rest, value);
}
