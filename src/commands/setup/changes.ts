import diff from 'microdiff';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { withValue } from '../../kernel/field-path.ts';
import { maskSecret } from '../../kernel/redact.ts';
import { type Data, mergeData } from './data.ts';

/** Returns the wanted fields whose current value differs, or `undefined` if none differ. */
export function diffData(now: Data, wanted: Data): Data | undefined {
  const differences = diff({ ...now }, { ...mergeData(now, wanted) });
  if (differences.length === 0) return undefined;
  return differences.reduce<Data>(
    (data, { path, ...difference }) =>
      withValue(data, path.map(String), difference.type === 'REMOVE' ? undefined : difference.value),
    {},
  );
}

/** Formats each changed field as `key: old → new`, with secrets masked, in the order of the flags. */
export function formatChanges({ flags }: OperationEntry, before: Data, after: Data): readonly string[] {
  const flagOf = (path: readonly string[]) =>
    flags.findIndex((flag) => flag.path.every((part, depth) => path[depth] === part));
  const changes = diff({ ...before }, { ...after }).flatMap((difference) =>
    leafValues(difference.path.map(String), 'value' in difference ? difference.value : undefined).map(
      ([path, value]) => ({
        at: flagOf(path),
        name: formatFieldName(path),
        old: 'oldValue' in difference ? difference.oldValue : undefined,
        value,
      }),
    ),
  );
  return changes
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, name, old, value }) => {
      const show = flags[at]?.kind === 'secret' ? formatSecret : formatValue;
      return `${name}: ${show(old)} → ${show(value)}`;
    });
}

/** Splits a value into its leaf fields. */
function leafValues(path: readonly string[], value: unknown): readonly (readonly [readonly string[], unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leafValues([...path, key], inner));
}

/** Formats a path without the field that contains all settings. Spaces separate keys, because event types contain dots. */
function formatFieldName(path: readonly string[]): string {
  return path.slice(path.length > 1 ? 1 : 0).join(' ');
}

function formatSecret(value: unknown): string {
  return value === undefined || value === '' ? NONE : maskSecret(String(value));
}

const NONE = '(none)';
const MAX_LENGTH = 60;

function formatValue(value: unknown): string {
  const text = value === undefined || value === '' ? NONE : String(value);
  return text.length > MAX_LENGTH ? `${text.slice(0, 24)}… (${text.length} characters)` : text;
}
