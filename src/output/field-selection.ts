import type { Column } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { didYouMean, findNearest } from '../kernel/nearest.ts';
import { headerOf } from './columns.ts';

/**
 * Searches lists item by item. Names can contain dots (`triggers.comment.add`): the longest
 * matching name wins.
 */
export function fieldAt(value: unknown, path: string): unknown {
  if (path === '') return value;
  if (Array.isArray(value)) {
    const found = value.map((item) => fieldAt(item, path)).filter((item) => item !== undefined);
    return found.length > 0 || value.length === 0 ? found : undefined;
  }
  if (!isObject(value)) return undefined;
  const name = headOf(value, path);
  return Object.hasOwn(value, name) ? fieldAt(value[name], restOf(path, name)) : undefined;
}

/**
 * Selects the given paths of a value, in their order, and keeps the nesting. A missing path is
 * null.
 */
export function selectFields(value: unknown, paths: readonly string[]): unknown {
  if (paths.includes('')) return value;
  if (Array.isArray(value)) return value.map((item) => selectFields(item, paths));
  if (!isObject(value)) return null;
  const byName = Map.groupBy(paths, (path) => headOf(value, path));
  return Object.fromEntries(
    [...byName].map(([name, withName]) => {
      const inner = Object.hasOwn(value, name) ? value[name] : null;
      const rest = withName.map((path) => restOf(path, name));
      return [name, selectFields(inner, rest) ?? null];
    }),
  );
}

/**
 * Resolves JSON names or table headers, in any case, to paths. An exact JSON name wins. Keeps
 * unknown names.
 */
export function resolveFields(
  names: readonly string[],
  value: unknown,
  columns: readonly Column[] = [],
) {
  return names.map((name) => {
    if (columns.some(({ field }) => field === name) || fieldAt(value, name) !== undefined)
      return name;
    const upperName = name.toUpperCase();
    const column =
      columns.find(({ header }) => header === upperName) ??
      columns.find(({ field }) => field.toUpperCase() === upperName);
    if (column) return column.field;
    const known = knownPaths(name, value);
    return (
      known.find((path) => path.toUpperCase() === upperName) ??
      known.find((path) => headerOf(path) === upperName) ??
      name
    );
  });
}

/** @throws SvcError `usage` for a path that neither a record nor a column has */
export function requireFields(
  flag: '--fields' | '--sort',
  paths: readonly string[],
  records: readonly unknown[],
  columns: readonly Column[] = [],
) {
  const columnFields = columns.map(({ field }) => field);
  const unknown = paths.find(
    (path) => !columnFields.includes(path) && fieldAt(records, path) === undefined,
  );
  if (unknown === undefined) return;
  // Headers that differ from their fields, as users type them.
  const headers = columns.flatMap(({ header, field }) =>
    header === headerOf(field) ? [] : [header.toLowerCase()],
  );
  const known = [...new Set([...columnFields, ...knownPaths(unknown, records)]), ...headers];
  throw new SvcError('usage', missingFieldMessage(flag, unknown), {
    hint: didYouMean(unknown, known),
  });
}

/** Describes the first path that a value lacks; `undefined` if it has all of them. */
export function describeMissingField(paths: readonly string[], value: unknown): string | undefined {
  const unknown = paths.find((path) => fieldAt(value, path) === undefined);
  if (unknown === undefined) return undefined;
  const nearest = findNearest(unknown, knownPaths(unknown, value, 1));
  return `${missingFieldMessage('--fields', unknown)}${nearest ? `; did you mean '${nearest}'?` : ''}`;
}

function missingFieldMessage(flag: string, path: string): string {
  return `${flag}: no field '${path}' in the result`;
}

/** Lists the paths of a value, as deep as the missing one. */
function knownPaths(path: string, value: unknown, deeper = 0): readonly string[] {
  return [...new Set(pathsOf(value, path.split('.').length + deeper))];
}

function headOf(value: Readonly<Record<string, unknown>>, path: string): string {
  for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1)) {
    const name = path.slice(0, end);
    if (Object.hasOwn(value, name)) return name;
  }
  return path.split('.', 1).join();
}

function restOf(path: string, name: string): string {
  return path.slice(name.length + 1);
}

function* pathsOf(value: unknown, depth: number, parents = ''): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* pathsOf(item, depth, parents);
  if (!isObject(value) || depth === 0) return;
  for (const [name, inner] of Object.entries(value)) {
    yield parents + name;
    yield* pathsOf(inner, depth - 1, `${parents}${name}.`);
  }
}
