import diff from 'microdiff';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { maskSecret } from '../../kernel/redact.ts';
import { type Data, laidOver, withValue } from './data.ts';

/** What of the wanted fields is another value than now; `undefined` where all are so already. */
export function changedData(now: Data, wanted: Data): Data | undefined {
  const differences = diff({ ...now }, { ...laidOver(now, wanted) });
  if (differences.length === 0) return undefined;
  return differences.reduce<Data>(
    (data, { path, ...difference }) =>
      withValue(data, path.map(String), difference.type === 'REMOVE' ? undefined : difference.value),
    {},
  );
}

/** `key: old → new` for each field that differs, secrets masked, in the order of the flags. */
export function changeLines({ flags }: OperationEntry, before: Data, after: Data): readonly string[] {
  const flagOf = (path: readonly string[]) =>
    flags.findIndex((flag) => flag.path.every((part, depth) => path[depth] === part));
  const changes = diff({ ...before }, { ...after }).flatMap((difference) =>
    leaves(difference.path.map(String), 'value' in difference ? difference.value : undefined).map(([path, value]) => ({
      at: flagOf(path),
      name: nameOf(path),
      old: 'oldValue' in difference ? difference.oldValue : undefined,
      value,
    })),
  );
  return changes
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, name, old, value }) => {
      const show = flags[at]?.kind === 'secret' ? masked : shown;
      return `${name}: ${show(old)} → ${show(value)}`;
    });
}

/** A value that came as a whole, field by field. */
function leaves(path: readonly string[], value: unknown): readonly (readonly [readonly string[], unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves([...path, key], inner));
}

/** The settings stand in one field, which says nothing; event types hold full stops. */
function nameOf(path: readonly string[]): string {
  return path.slice(path.length > 1 ? 1 : 0).join(' ');
}

function masked(value: unknown): string {
  return value === undefined || value === '' ? NONE : maskSecret(String(value));
}

const NONE = '(none)';
const LONGEST = 60;

function shown(value: unknown): string {
  const text = value === undefined || value === '' ? NONE : String(value);
  return text.length > LONGEST ? `${text.slice(0, 24)}… (${text.length} characters)` : text;
}
