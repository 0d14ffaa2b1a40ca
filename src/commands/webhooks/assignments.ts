import { SvcError } from '../../kernel/errors.ts';
import { exactJsonOrText } from '../../kernel/exact-json.ts';
import { fieldPath } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/is-object.ts';
import { splitPair } from '../call/key-value.ts';

type Key = string | number;

/**
 * A copy of a JSON value with each `path=value` put in, in order. A path is written `data.comments[0].text`; the value is
 * JSON where it is valid JSON, else a text. Objects on the way are made; an index may be one behind the end of its list.
 * @throws SvcError `usage` for a path that does not fit the value
 */
export function withAssignments(value: unknown, assignments: readonly string[]): unknown {
  return assignments.reduce((current, assignment) => {
    const [path, text] = splitPair(assignment, 'set');
    return assigned(current, { keys: keysOf(path), done: [] }, exactJsonOrText(text));
  }, value);
}

interface Way {
  readonly keys: readonly Key[];
  /** The keys that led here, for messages. */
  readonly done: readonly Key[];
}

function assigned(current: unknown, { keys, done }: Way, value: unknown): unknown {
  const [key, ...others] = keys;
  if (key === undefined) return value;
  const way = { keys: others, done: [...done, key] };
  if (typeof key === 'number') {
    const list = listAt(current, key, done);
    return list.toSpliced(key, 1, assigned(list[key], way, value));
  }
  const object = objectAt(current, done);
  // Through entries, because a key such as `__proto__` is one like any other.
  const entries = new Map(Object.entries(object));
  return Object.fromEntries(entries.set(key, assigned(entries.get(key), way, value)));
}

function listAt(current: unknown, index: number, done: readonly Key[]): readonly unknown[] {
  const list = current === undefined ? [] : current;
  if (!Array.isArray(list)) throw misfit(done, `is no list: ${kindOf(list)}`);
  if (index > list.length) throw misfit(done, `has ${list.length} items, so there is no place ${index}`);
  return list;
}

function objectAt(current: unknown, done: readonly Key[]): object {
  if (current === undefined || current === null) return {};
  if (isObject(current)) return current;
  throw misfit(done, `has no fields: ${kindOf(current)}`);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'it is a list, whose items are written [0]' : `it is ${JSON.stringify(value)}`;
}

function misfit(done: readonly Key[], problem: string): SvcError {
  return new SvcError('usage', `--set: ${done.length === 0 ? 'the payload' : fieldPath(done)} ${problem}`);
}

function keysOf(path: string): readonly Key[] {
  if (!/^(?:[^.[\]]+|\[\d{1,9}\])(?:\.[^.[\]]+|\[\d{1,9}\])*$/.test(path)) {
    throw new SvcError('usage', `--set: '${path}' is no path`, { hint: 'write it like data.comments[0].text=Hello' });
  }
  return Array.from(path.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([part, index]) =>
    index === undefined ? part : Number(index),
  );
}
