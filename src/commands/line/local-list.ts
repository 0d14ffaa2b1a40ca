import { GLOBAL_FLAGS } from '../global-flags.ts';
import { aliasesOfGroup } from '../tree/aliases.ts';

/** Kinds of records that only the embedded service can list. */
export const ONLY_LOCAL_LISTS: readonly string[] = [
  'activities',
  'groups',
  'notifications',
  'organizations',
  'permissions',
  'presence',
  'users',
];

/** Counts the global flags and their values before the command. */
function countLeadingFlags(words: readonly string[], from = 0): number {
  const word = words[from] ?? '';
  if (!word.startsWith('-')) return from;
  const takesValue = GLOBAL_FLAGS.some(
    ({ flags }) => flags.includes('<') && flags.split(/[ ,]+/).includes(word),
  );
  return countLeadingFlags(words, from + (takesValue ? 2 : 1));
}

/**
 * Returns the words of a command line, in which `users list --local` becomes `local list users
 * --local`. The service itself has no operation that lists users.
 */
export function withLocalList(words: readonly string[]): readonly string[] {
  if (!words.some((word) => word === '--local' || /^--store(=|$)/.test(word))) return words;
  const start = countLeadingFlags(words);
  const [group = '', verb = '', ...rest] = words.slice(start);
  if (verb !== 'list' && verb !== 'ls') return words;
  const kind = ONLY_LOCAL_LISTS.find(
    (name) => name === group || aliasesOfGroup(name).includes(group),
  );
  if (kind === undefined) return words;
  return [...words.slice(0, start), 'local', 'list', kind, ...rest];
}
