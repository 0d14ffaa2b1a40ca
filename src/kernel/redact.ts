import { isObject, tryParseJson } from './json.ts';
import { redactUrls } from './redact-urls.ts';

const HIDDEN = '****';

/** Masks a secret. Shows the last 4 characters of secrets with at least 20 characters. */
export function maskSecret(secret: string): string {
  if (secret === '') return '';
  return secret.length >= 20 ? HIDDEN + secret.slice(-4) : HIDDEN;
}

/** Texts that svc and services show in place of a secret: `****`, `tok1••••`, `<hidden>`, `XXXXXXXX`. */
const MASK =
  /[*\u2022\u25cf\u2219\u00b7\u2026]{3}|^\.{3}|\.{3}$|^(?:<[\w -]{3,}>|\[[\w -]{3,}\]|\([\w -]{3,}\))$|^x{4,}.{0,4}$|^(?:redacted|masked|hidden)$/is;

export function isMasked(value: unknown): boolean {
  return typeof value === 'string' && MASK.test(value);
}

/**
 * Minimum length to mask a secret by its value: shorter values occur in ordinary text. Secret
 * fields are always masked.
 */
const MIN_LENGTH_BY_VALUE = 4;
const MIN_LENGTH_IN_RESPONSE = 8;
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'authToken',
  'workspaceAuthToken',
  'token',
  'secret',
]);
/**
 * `apiKey` is a secret only in the email settings. In plain text, the parent of a field is unknown:
 * it is always masked.
 */
const EMAIL_SETTINGS = 'emailServiceConfig';
const EMAIL_SECRET = 'apiKey';
/** Matches the names of secret fields and headers, in any naming style. */
const SECRET_NAME = /authorization|credential|passw|secret|token|api[-_]*key|private[-_]*key/i;

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Matches `"token": "…"` in JSON text, which may be truncated or inside another string. The value
 * ends at a quote with the same escaping as its opening quote; each backslash before it is escaped
 * accordingly.
 */
const FIELD_IN_TEXT = new RegExp(
  String.raw`(\b(?:${[...SECRET_FIELDS, EMAIL_SECRET].join('|')})\\*"\s*:\s*(\\*)")` +
    String.raw`(.*?(?<!\\)(?:\\\2\\\2){0,99}(?=\2")|.*)`,
  'gs',
);

/**
 * Masks every occurrence of the given secrets in a text: plain, URL- or JSON-escaped (also partly
 * or twice), in hexadecimal, and in base64 or base64url (also inside a longer encoded text). Masks
 * overlapping occurrences as one.
 * @param replacement text in place of each secret (default: its mask)
 */
export function redactText(text: string, secrets: Iterable<string>, replacement?: string): string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= MIN_LENGTH_BY_VALUE);
  const hasEscapes = /[\\%]/.test(text);
  const found = known.flatMap((secret) => findSpans(text, secret, hasEscapes));
  if (found.length === 0) return text;
  let redacted = '';
  let end = 0;
  for (const span of mergeOverlapping(found)) {
    redacted += text.slice(end, span.start) + (replacement ?? span.mask);
    end = span.end;
  }
  return redacted + text.slice(end);
}

/**
 * Global, because crash reports cannot access the settings, and error messages of libraries may
 * contain any value.
 */
const remembered = new Set<string>();

export function rememberSecret<Text extends string | undefined>(secret: Text): Text {
  if (secret !== undefined) remembered.add(secret);
  return secret;
}

/** For tests of independent commands in one process. */
export function forgetSecrets(): void {
  remembered.clear();
}

/** Masks all remembered secrets, and the secrets in URLs, in a text for output, files, or logs. */
export function redactRemembered(text: string): string {
  return redactUrls(redactText(text, remembered));
}

/** Replaces all remembered secrets, and the secrets in URLs, in a text for output. */
export function replaceRemembered(text: string, replacement: string): string {
  return redactUrls(redactText(text, remembered, replacement), replacement);
}

/**
 * Masks the secret fields of a JSON text, which may be truncated, then the given secrets anywhere
 * in it.
 */
export function redactJsonText(text: string, secrets: Iterable<string>): string {
  const mask = (_: string, opening: string, _quote: string, value: string) =>
    opening + maskSecret(value);
  return redactText(text.replace(FIELD_IN_TEXT, mask), secrets);
}

/**
 * Finds the values of secret fields in a JSON text, except those too short to differ from ordinary
 * words.
 */
export function findJsonSecrets(text: string): readonly string[] {
  const unescapeJson = (written: string) => String(tryParseJson(`"${written}"`) ?? written);
  const values = Array.from(text.matchAll(FIELD_IN_TEXT), ([, , , written = '']) =>
    unescapeJson(written),
  );
  return values.filter((value) => value.length >= MIN_LENGTH_IN_RESPONSE);
}

/**
 * Masks secret fields, and the given secrets in all other strings and field names. `redact` changes
 * strings further.
 */
export function redactValue(
  value: unknown,
  secrets: Iterable<string>,
  redact = (text: string) => text,
): unknown {
  const known = [...secrets];
  const text = JSON.stringify(value, (field, inner: unknown) => {
    if (typeof inner === 'string') return redact(redactText(inner, known));
    return isObject(inner) ? withMaskedFields(field, inner, known) : inner;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

function withMaskedFields(parent: string, object: object, secrets: readonly string[]): object {
  const isSecret = (field: string) =>
    SECRET_FIELDS.has(field) || (parent === EMAIL_SETTINGS && field === EMAIL_SECRET);
  const fields = Object.entries(object).map(([field, inner]: [string, unknown]) => {
    const maskedValue = isSecret(field) && typeof inner === 'string' ? maskSecret(inner) : inner;
    return [redactText(field, secrets), maskedValue];
  });
  return Object.fromEntries(fields);
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

function findSpans(text: string, secret: string, hasEscapes: boolean): readonly Span[] {
  const { escaped, encoded } = searchFormsOf(secret);
  const mask = maskSecret(secret);
  const spans: Span[] = [];
  // URLs can contain a plus for a space.
  const needsPattern = hasEscapes || secret.includes(' ');
  for (const form of needsPattern ? encoded : [secret, ...encoded]) {
    for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1))
      spans.push({ start, end: start + form.length, mask });
  }
  if (!needsPattern) return spans;
  for (let match = escaped.exec(text); match; match = escaped.exec(text)) {
    spans.push({ start: match.index, end: escaped.lastIndex, mask });
    escaped.lastIndex = match.index + 1;
  }
  return spans;
}

function mergeOverlapping(spans: readonly Span[]): readonly Span[] {
  const ordered = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const result: Span[] = [];
  for (const span of ordered) {
    const last = result.pop();
    if (!last) result.push(span);
    else if (span.start >= last.end) result.push(last, span);
    else result.push(mergeSpans(last, span));
  }
  return result;
}

function mergeSpans(first: Span, second: Span): Span {
  const inside = second.end <= first.end && second.mask === first.mask;
  return {
    start: first.start,
    end: Math.max(first.end, second.end),
    mask: inside ? first.mask : HIDDEN,
  };
}

const searchForms = new Map<
  string,
  { readonly escaped: RegExp; readonly encoded: readonly string[] }
>();
const MAX_CACHED_FORMS = 1_000;

/**
 * Returns the search forms of a secret: a pattern with each character optionally escaped, and
 * encodings of the whole secret.
 */
function searchFormsOf(secret: string) {
  const known = searchForms.get(secret);
  if (known) return known;
  const bytes = Buffer.from(secret);
  const within = [0, 1, 2].map((offset) => base64AtOffset(bytes, offset));
  const hex = bytes.toString('hex');
  const forms = {
    escaped: new RegExp(Array.from(secret, createCharacterPattern).join(''), 'g'),
    encoded: [
      ...new Set([
        bytes.toString('base64'),
        bytes.toString('base64url'),
        hex,
        hex.toUpperCase(),
        ...within,
        ...within.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
      ]),
    ],
  };
  if (searchForms.size >= MAX_CACHED_FORMS) searchForms.clear();
  searchForms.set(secret, forms);
  return forms;
}

const SHORT_ESCAPES = new Map(
  Object.entries({ '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' }),
);

/**
 * Matches a character plain, percent-encoded, or JSON-escaped, with backslashes doubled by JSON
 * inside JSON.
 */
function createCharacterPattern(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const unicode = units
    .map((unit) => String.raw`\\{1,8}u` + matchAnyCase(unit.toString(16).padStart(4, '0')))
    .join('');
  const percent = Array.from(
    Buffer.from(character),
    (byte) => `%${matchAnyCase(byte.toString(16).padStart(2, '0'))}`,
  );
  const alternatives = [
    character.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`),
    unicode,
    percent.join(''),
  ];
  const short = SHORT_ESCAPES.get(character);
  if (short) alternatives.push(String.raw`\\{1,8}${short}`);
  if (character === '\\') alternatives.unshift(String.raw`\\{2,8}`);
  if (character === '"' || character === '/') alternatives.push(String.raw`\\{1,8}${character}`);
  if (character === ' ') alternatives.push(String.raw`\+`);
  return `(?:${alternatives.join('|')})`;
}

function matchAnyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function base64AtOffset(secret: Buffer, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), secret]);
  return bytes.toString('base64').slice(offset && offset + 1, Math.floor((bytes.length * 4) / 3));
}
