import { isObject } from './is-object.ts';
import { jsonValue } from './json-value.ts';
import { redactUrls } from './redact-urls.ts';

const HIDDEN = '****';

/** Shown instead of a secret. At most its last 4 characters, and those only of a secret of 20 characters or more. */
export function maskSecret(secret: string): string {
  if (secret === '') return '';
  return secret.length >= 20 ? HIDDEN + secret.slice(-4) : HIDDEN;
}

/** By value: shorter secrets would turn half of every text into asterisks. By field they are masked all the same. */
const SHORTEST_BY_VALUE = 4;
const SHORTEST_LEARNED = 8;

/** Fields whose text is a secret wherever they stand. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['authToken', 'workspaceAuthToken', 'token', 'secret']);

/**
 * A secret only in the e-mail settings; elsewhere an `apiKey` is an id. A bare text does not show what a field belongs
 * to, so there it is always masked.
 */
const EMAIL_SETTINGS = 'emailServiceConfig';
const EMAIL_SECRET = 'apiKey';

/** Names of fields and headers whose values are secrets, in any notation. */
const SECRET_NAME = /authorization|credential|passw|secret|token|api[-_]*key|private[-_]*key/i;

/** Whether the name of a field or header says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * `"token": "…"` in JSON text, cut or inside another string as it may be. The value ends at a quote that is escaped like
 * its first one; before it, backslashes come in the groups that stand for one.
 */
const FIELD_IN_TEXT = new RegExp(
  String.raw`(\b(?:${[...SECRET_FIELDS, EMAIL_SECRET].join('|')})\\*"\s*:\s*(\\*)")` +
    String.raw`(.*?(?<!\\)(?:\\\2\\\2){0,99}(?=\2")|.*)`,
  'gs',
);

/**
 * Replaces every occurrence of the given secrets in a text: as they are, URL- or JSON-escaped, be it in part or twice,
 * in hexadecimal, and in base64 or base64url, also in the middle of a longer encoded text. Occurrences that overlap are
 * masked as one.
 */
export function redactText(text: string, secrets: Iterable<string>): string {
  const known = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_BY_VALUE);
  const found = known.flatMap((secret) => spansOf(text, secret));
  if (found.length === 0) return text;
  let redacted = '';
  let end = 0;
  for (const span of merged(found)) {
    redacted += text.slice(end, span.start) + span.mask;
    end = span.end;
  }
  return redacted + text.slice(end);
}

/**
 * The secrets that came into this process. Whoever reports a crash has no settings to ask, and the text of a foreign
 * error may repeat anything: so they are the one thing that this process remembers as a whole.
 */
const met = new Set<string>();

/** Remembers a secret wherever it comes in, so that `redactMet` knows it wherever it would go out. */
export function meetSecret<Text extends string | undefined>(secret: Text): Text {
  if (secret !== undefined) met.add(secret);
  return secret;
}

/** A text for people, files or logs without any secret that came into this process, or that a URL in it carries. */
export function redactMet(text: string): string {
  return redactUrls(redactText(text, met));
}

/** A JSON text, whole or cut, with its secret fields masked, and then the given secrets wherever they stand. */
export function redactJsonText(text: string, secrets: Iterable<string>): string {
  return redactText(
    text.replace(FIELD_IN_TEXT, (_, opening: string, _quote, value: string) => opening + maskSecret(value)),
    secrets,
  );
}

/** The values of the secret fields of a JSON text, as far as they are long enough to be told from ordinary words. */
export function secretsInJsonText(text: string): readonly string[] {
  const values = Array.from(text.matchAll(FIELD_IN_TEXT), ([, , , written = '']) => unescaped(written));
  return values.filter((value) => value.length >= SHORTEST_LEARNED);
}

/**
 * A copy of a JSON value with its secret fields masked, and the given secrets in every other text and field name.
 * @param redact what else is taken out of its texts
 */
export function redactValue(
  value: unknown,
  secrets: Iterable<string>,
  redact: (text: string) => string = (text) => text,
): unknown {
  const known = [...secrets];
  const text = JSON.stringify(value, (field, inner: unknown) => {
    if (typeof inner === 'string') return redact(redactText(inner, known));
    return isObject(inner) ? withMaskedFields(field, inner, known) : inner;
  });
  return text === undefined ? undefined : JSON.parse(text);
}

function withMaskedFields(parent: string, object: object, secrets: readonly string[]): object {
  const isSecret = (field: string) => SECRET_FIELDS.has(field) || (parent === EMAIL_SETTINGS && field === EMAIL_SECRET);
  const fields = Object.entries(object).map(([field, inner]: [string, unknown]) => {
    const shown = isSecret(field) && typeof inner === 'string' ? maskSecret(inner) : inner;
    return [redactText(field, secrets), shown];
  });
  return Object.fromEntries(fields);
}

function unescaped(written: string): string {
  return String(jsonValue(`"${written}"`) ?? written);
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly mask: string;
}

function spansOf(text: string, secret: string): readonly Span[] {
  const { escaped, encoded } = writtenFormsOf(secret);
  const mask = maskSecret(secret);
  const spans: Span[] = [];
  for (const form of encoded) {
    for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + 1)) {
      spans.push({ start, end: start + form.length, mask });
    }
  }
  escaped.lastIndex = 0;
  for (let match = escaped.exec(text); match; match = escaped.exec(text)) {
    spans.push({ start: match.index, end: escaped.lastIndex, mask });
    escaped.lastIndex = match.index + 1;
  }
  return spans;
}

/** Spans in order, those that overlap as one: what a mask shows of one secret may belong to another. */
function merged(spans: readonly Span[]): readonly Span[] {
  const ordered = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const result: Span[] = [];
  for (const span of ordered) {
    const last = result.pop();
    if (!last) result.push(span);
    else if (span.start >= last.end) result.push(last, span);
    else result.push(union(last, span));
  }
  return result;
}

function union(first: Span, second: Span): Span {
  const inside = second.end <= first.end && second.mask === first.mask;
  return { start: first.start, end: Math.max(first.end, second.end), mask: inside ? first.mask : HIDDEN };
}

/** How a secret may be written: each character in one way or another, or all of it encoded. */
interface WrittenForms {
  readonly escaped: RegExp;
  readonly encoded: readonly string[];
}

/** A process meets few secrets, each in many texts. */
const formsOfSecrets = new Map<string, WrittenForms>();
const MOST_FORMS = 1_000;

function writtenFormsOf(secret: string): WrittenForms {
  const known = formsOfSecrets.get(secret);
  if (known) return known;
  const bytes = Buffer.from(secret);
  const within = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const hex = bytes.toString('hex');
  const forms: WrittenForms = {
    escaped: new RegExp(Array.from(secret, anyWritingOf).join(''), 'g'),
    encoded: [
      ...new Set([
        ...[bytes.toString('base64'), bytes.toString('base64url'), hex, hex.toUpperCase()],
        ...within,
        ...within.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
      ]),
    ],
  };
  if (formsOfSecrets.size >= MOST_FORMS) formsOfSecrets.clear();
  formsOfSecrets.set(secret, forms);
  return forms;
}

const SHORT_ESCAPES = new Map([
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['\b', 'b'],
  ['\f', 'f'],
]);

/**
 * A pattern for a character as it is, percent-encoded or JSON-escaped. Escapes may stand for any character, and JSON
 * inside JSON doubles the backslashes.
 */
function anyWritingOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const unicode = units.map((unit) => String.raw`\\{1,8}u` + anyCase(unit.toString(16).padStart(4, '0'))).join('');
  const percent = Array.from(Buffer.from(character), (byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`);
  const ways = [character.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), unicode, percent.join('')];
  const short = SHORT_ESCAPES.get(character);
  if (short) ways.push(String.raw`\\{1,8}${short}`);
  if (character === '\\') ways.unshift(String.raw`\\{2,8}`);
  if (character === '"' || character === '/') ways.push(String.raw`\\{1,8}${character}`);
  if (character === ' ') ways.push(String.raw`\+`);
  return `(?:${ways.join('|')})`;
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** The characters that the secret alone decides when base64 text holds it at this offset in a group of three bytes. */
function base64Within(secret: Buffer, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), secret]);
  return bytes.toString('base64').slice(offset && offset + 1, Math.floor((bytes.length * 4) / 3));
}
