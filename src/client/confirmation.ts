/**
 * Matches escapes and control characters, which the patterns below do not support. Without them, a
 * quote ends a string.
 */
const UNSUPPORTED = /[^ -[\]-\uFFFF]/;
const SCALAR = String.raw`(?:"[^"]*"|true|false|null|-?(?:0|[1-9]\d{0,300}))`;
/**
 * Repetitions of a group. Without a limit, a very long response could overflow the stack of the
 * regular expression.
 */
const MANY = '{0,99}';

/** Creates a pattern for a member with a scalar value, other than those with the given names. */
const otherThan = (...names: readonly string[]) =>
  ` *"(?!(?:${names.join('|')})")[^"]*" *: *${SCALAR} *`;

const SUCCESS = ' *"success" *: *true *';
const OTHER_FIELD = otherThan('success');
/** Matches an item that succeeded, up to the delimiter that follows it. */
const ITEM = new RegExp(
  ` *"([^"]*)" *: *\\{(?:${OTHER_FIELD},)${MANY}${SUCCESS}(?:,(?:${SUCCESS}|${OTHER_FIELD}))${MANY}\\} *([,}])`,
  'y',
);
const BESIDE_DATA = `(?: *"status" *: *"success" *|${otherThan('status', 'data')})`;
const BEFORE_ITEMS = new RegExp(
  `^ *\\{ *"result" *: *\\{(?:${BESIDE_DATA},)${MANY} *"data" *: *\\{`,
);
const AFTER_ITEMS = new RegExp(`^ *(?:,${BESIDE_DATA})${MANY}\\} *\\} *$`);

/**
 * Whether a response reports success for exactly these IDs, in order. Much faster than parsing;
 * false if unsure.
 */
export function confirmsAll(text: string, ids: readonly string[]): boolean {
  const [before] = (!UNSUPPORTED.test(text) && BEFORE_ITEMS.exec(text)) || [];
  if (before === undefined) return false;
  ITEM.lastIndex = before.length;
  for (let next = 0; next < ids.length; next += 1) {
    const [, id, delimiter] = ITEM.exec(text) ?? [];
    if (id !== ids[next] || delimiter !== (next < ids.length - 1 ? ',' : '}')) return false;
  }
  const after = text.slice(ITEM.lastIndex);
  return AFTER_ITEMS.test(after) && (before + after).match(/"status" *:/g)?.length === 1;
}
