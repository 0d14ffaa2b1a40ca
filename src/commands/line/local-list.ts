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

/** Counts the words before the command that select the data of the embedded service. */
function countLeadingFlags(words: readonly string[], from = 0): number {
  const word = words[from] ?? '';
  if (word === '--local' || word.startsWith('--store=')) return countLeadingFlags(words, from + 1);
  return word === '--store' ? countLeadingFlags(words, from + 2) : from;
}

/**
 * Returns the words of a command line, in which `users list --local` becomes `local list users
 * --local`. The service itself has no operation that lists users.
 */
export function withLocalList(words: readonly string[]): readonly string[] {
  const start = countLeadingFlags(words);
  const [kind = '', verb = '', ...rest] = words.slice(start);
  const isLocal = words.some((word) => word === '--local' || /^--store(=|$)/.test(word));
  const isList = ONLY_LOCAL_LISTS.includes(kind) && (verb === 'list' || verb === 'ls');
  if (!isLocal || !isList) return words;
  return [...words.slice(0, start), 'local', 'list', kind, ...rest];
}
