/** Text of which every character is shown as itself: most text is. */
const PLAIN = /^[ -~]*$/;

/** The zero-width joiner, except between two pictures or behind an Indic virama: emoji and scripts are written so. */
const STRAY_JOINER =
  /\u200d(?!(?<=(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d)\p{Extended_Pictographic})(?<!(?:\u094d|\u09cd|\u0a4d|\u0acd|\u0b4d|\u0bcd|\u0c4d|\u0ccd|\u0d4d|\u0dca)\u200d)/u;

/** Variation selectors belong to the character before them. */
const INVISIBLE =
  /(?!\u200d|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;

/**
 * Characters that change what a terminal shows instead of being shown: controls (C0, DEL, C1), bidirectional controls,
 * zero-width and other invisible characters, line and paragraph separators, halves of surrogate pairs.
 */
const UNSAFE = new RegExp(`${STRAY_JOINER.source}|${INVISIBLE.source}`, 'gu');

const NAMED = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Text of foreign origin, made safe for a terminal: each unsafe character becomes a visible escape such as `\u001b`. */
export function safeText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, visibleEscape);
}

/**
 * The same for a JSON document: each unsafe character inside its strings becomes the `\u` escape that a parser reads
 * back as that character. Line breaks between values stay.
 */
export function safeJson(json: string): string {
  return json.replace(UNSAFE, (character) => (character === '\n' ? character : jsonEscape(character)));
}

function jsonEscape(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function visibleEscape(character: string): string {
  const named = NAMED.get(character);
  if (named) return named;
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
