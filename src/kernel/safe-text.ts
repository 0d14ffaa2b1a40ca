/** Text of which every character is shown as itself: most text is. */
const PLAIN = /^[ -~]*$/;

/** JSON of which that is true, laid out on lines. */
const PLAIN_JSON = /^[\n -~]*$/;

let unsafe: RegExp | undefined;

/**
 * Characters that change what a terminal shows instead of being shown: controls (C0, DEL, C1), bidirectional controls,
 * zero-width and other invisible characters, line and paragraph separators, halves of surrogate pairs. Made at its
 * first use, since classes of Unicode take a while to compile.
 */
function unsafeCharacters(): RegExp {
  unsafe ??= new RegExp(`${strayJoiner().source}|${invisible().source}`, 'gu');
  return unsafe;
}

/** The zero-width joiner, except between two pictures or behind an Indic virama: emoji and scripts are written so. */
function strayJoiner(): RegExp {
  return /\u200d(?!(?<=(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f)\u200d)\p{Extended_Pictographic})(?<!(?:\u094d|\u09cd|\u0a4d|\u0acd|\u0b4d|\u0bcd|\u0c4d|\u0ccd|\u0d4d|\u0dca)\u200d)/u;
}

/** Variation selectors belong to the character before them. */
function invisible(): RegExp {
  return /(?!\u200d|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;
}

const NAMED = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Text of foreign origin, made safe for a terminal: each unsafe character becomes a visible escape such as `\u001b`. */
export function safeText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(unsafeCharacters(), visibleEscape);
}

/**
 * The same for a JSON document: each unsafe character inside its strings becomes the `\u` escape that a parser reads
 * back as that character. Line breaks between values stay.
 */
export function safeJson(json: string): string {
  if (PLAIN_JSON.test(json)) return json;
  return json.replace(unsafeCharacters(), (character) => (character === '\n' ? character : jsonEscape(character)));
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
