import { once } from './once.ts';
import { escapeForTerminal, visibleEscape } from './safe-text.ts';

/** Matches an ID of printable ASCII characters without spaces around it, as almost all are. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const OUTER_SPACE = /^\s|\s$/u;
/** Zero-width joiners, which are writing inside a word, and hidden at its ends. */
const OUTER_JOINER = /^(?:\u200c|\u200d)|(?:\u200c|\u200d)$/;
/**
 * Matches what cannot be seen, except joiners and variation selectors, which are writing. Compiled
 * on first use, because Unicode classes take 0.6 ms of every command.
 */
const invisible = once(
  () =>
    /(?!\u200c|\u200d|[\u180b-\u180d\u180f\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])[\u00a0\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u,
);
const QUOTED = /^[“”„‟‘’‚‛«»‹›「」『』](.*)[“”„‟‘’‚‛«»‹›「」『』]$/su;
/** Matches quotes that a file of variables or a shell has kept. */
const ASCII_QUOTED = /^(["'])(.*)\1$/s;
/** Matches white space that separates values, such as two IDs on two lines. */
const SEPARATOR = /[\t\n\v\f\r\u2028\u2029]/;

/**
 * Returns why svc does not accept an ID of an organization, folder, document, group, or endpoint:
 * it has characters that nobody can see, or that a program added.
 */
export function findIdProblem(id: string): string | undefined {
  if (ASCII_QUOTED.test(id)) return `must not be in quotes, got ${quoteId(id)}`;
  if (PLAIN.test(id) || id === '') return undefined;
  if (OUTER_SPACE.test(id)) return `must not begin or end with white space, got ${quoteId(id)}`;
  if (invisible().test(id) || OUTER_JOINER.test(id))
    return `must not contain invisible characters, got ${quoteId(id)}`;
  return QUOTED.test(id) ? `must not be in typographic quotes, got ${quoteId(id)}` : undefined;
}

/** Returns the ID that was probably meant, in place of one with a problem. */
export function suggestId(id: string): string | undefined {
  const visible = id.replace(new RegExp(invisible(), 'gu'), (found) =>
    found === '\u00a0' ? ' ' : '',
  );
  const bare = visible.replace(/^(?:\s|\u200c|\u200d)+|(?:\s|\u200c|\u200d)+$/gu, '');
  const inner = QUOTED.exec(bare)?.[1] ?? ASCII_QUOTED.exec(bare)?.[2] ?? bare;
  const meant = inner.trim();
  return SEPARATOR.test(id.trim()) || meant === '' || findIdProblem(meant) !== undefined
    ? undefined
    : meant;
}

/** Formats an ID for a sentence: in quotes if it contains spaces or invisible characters. */
export function quoteId(id: string): string {
  if (/^[!-~]+$/.test(id)) return id;
  const isQuoted = /\s/u.test(id) || invisible().test(id) || OUTER_JOINER.test(id);
  return isQuoted || QUOTED.test(id) ? `'${escapeSpaces(id)}'` : id;
}

/** Formats an ID for a table: in quotes if its characters cannot be seen otherwise. */
export function quoteUnclearId(id: string): string {
  const isUnclear = !PLAIN.test(id) && (OUTER_SPACE.test(id) || /\s/u.test(id.replaceAll(' ', '')));
  return isUnclear || invisible().test(id) || OUTER_JOINER.test(id) ? `'${escapeSpaces(id)}'` : id;
}

/** Escapes what looks like a space but is a different character, and what cannot be seen. */
function escapeSpaces(id: string): string {
  return escapeForTerminal(
    id.replace(/[^\S ]|^(?:\u200c|\u200d)|(?:\u200c|\u200d)$/gu, visibleEscape),
  );
}
