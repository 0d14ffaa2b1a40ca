const PLAIN = /^[ -~]*$/;
const PLAIN_JSON = /^[\n -~]*$/;

let unsafe: RegExp | undefined;

/**
 * Matches characters that affect a terminal's display without being visible: controls (C0, DEL,
 * C1), bidirectional controls, zero-width and other invisible characters, line and paragraph
 * separators, and lone surrogates. Compiled on first use, because Unicode classes are slow to
 * compile.
 */
function unsafeCharacters(): RegExp {
  if (unsafe) return unsafe;
  // A zero-width joiner is part of normal writing between emoji and after an Indic virama.
  const strayJoiner =
    /\u200d(?!(?<=(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d)\p{Extended_Pictographic})(?<!(?:\u094d|\u09cd|\u0a4d|\u0acd|\u0b4d|\u0bcd|\u0c4d|\u0ccd|\u0d4d|\u0dca)\u200d)/u;
  const invisible =
    /(?!\u200d|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
  unsafe = new RegExp(`${strayJoiner.source}|${invisible.source}`, 'gu');
  return unsafe;
}

const SHORT_ESCAPES = new Map(Object.entries({ '\n': '\\n', '\r': '\\r', '\t': '\\t' }));

/**
 * Makes untrusted text safe for a terminal: each unsafe character becomes a visible escape such as
 * `\u001b`.
 */
export function escapeForTerminal(text: string): string {
  return PLAIN.test(text) ? text : text.replace(unsafeCharacters(), visibleEscape);
}

/**
 * Makes a JSON document safe for a terminal: each unsafe character becomes a `\u` escape, which a
 * parser restores.
 */
export function escapeJsonForTerminal(json: string): string {
  if (PLAIN_JSON.test(json)) return json;
  return json.replace(unsafeCharacters(), (character) =>
    character === '\n' ? character : jsonEscape(character),
  );
}

function jsonEscape(character: string): string {
  return character.replace(
    /[\s\S]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Formats a character as a visible escape, such as `\n` or `\u200b`. */
export function visibleEscape(character: string): string {
  const shortEscape = SHORT_ESCAPES.get(character);
  if (shortEscape) return shortEscape;
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
