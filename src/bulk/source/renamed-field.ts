import { findNearest } from '../../kernel/nearest.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';

/** Names that any ID field may have, in lower case without separators. */
const COMMON_ID_NAMES: ReadonlySet<string> = new Set([
  'id',
  'uid',
  'uuid',
  'key',
  'identifier',
  'externalid',
]);

/**
 * Finds the field that probably contains the ID under another name: `id`, `User ID`, or `user` for
 * `userId`.
 */
export function findRenamedField(
  idField: string,
  names: readonly string[],
  knownFields: readonly string[],
): string | undefined {
  const others = names.filter((name) => !knownFields.includes(name));
  const normalizedId = normalize(idField);
  const isSame = (name: string) =>
    normalize(name) === normalizedId || `${normalize(name)}id` === normalizedId;
  return (
    others.find(isSame) ??
    others.find((name) => COMMON_ID_NAMES.has(normalize(name))) ??
    findNearest(idField, others)
  );
}

export function renameHint(name: string, idField: string): string {
  return `did you mean '${name}'? add --map ${quoteForShell(`${name}=${idField}`)}`;
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}
