/**
 * Characters that change what a terminal shows instead of being shown: C0 and C1 controls, DEL, bidirectional
 * controls, zero-width and other invisible format characters, line and paragraph separators. The zero-width joiner
 * stays, because emoji and several scripts are written with it.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

const NAMED = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** Text of foreign origin, made safe for a terminal: each unsafe character becomes a visible escape such as `\u001b`. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, visibleEscape);
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
