import { type Fields, isObject } from '../../kernel/json.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import type { SourceRequest } from './record-layout.ts';

/**
 * How a JSON text contains records: in a list, one after the other, one per line, or in an object
 * by ID.
 */
export type JsonLayout = 'list' | 'values' | 'lines' | 'keyed';

type LayoutRequest = Pick<
  SourceRequest,
  'format' | 'listName' | 'id' | 'listed' | 'knownFields' | 'targetFields' | 'map'
>;

interface HeadField {
  readonly name: string;
  /** The first character of the value. */
  readonly opening: string;
  /** The names of the fields of the value. */
  readonly inner: string[];
}

interface Head {
  readonly fields: readonly HeadField[];
  /** Whether the whole object is in the head. */
  readonly isComplete: boolean;
  /** The first character after the object. */
  readonly next: string | undefined;
}

/** The list in the result of a list command with `--envelope`. */
export const ENVELOPE_LIST = 'data';
/** The fields beside that list. */
export const ENVELOPE_FIELDS: readonly string[] = ['status', 'message'];

/** Names of an object that contains a record, which are no IDs. */
const WRAPPERS: readonly string[] = [ENVELOPE_LIST, 'result', 'response', 'record', 'item', 'meta'];

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}:,]|[^\s"[\]{}:,]+/gs;

/** Recognizes the layout of a JSON text by its start. */
export function recognizeLayout(head: string, request: LayoutRequest): JsonLayout {
  const { format, listName, id, listed, knownFields, targetFields, map } = request;
  const text = head.trimStart();
  if (text.startsWith('[')) return 'list';
  if (!text.startsWith('{')) return format === 'ndjson' ? 'lines' : 'list';
  const { fields, isComplete, next } = readHead(text);
  const isList = ({ name, opening }: HeadField) =>
    (name === listName && (opening === '[' || opening === '{')) ||
    (name === ENVELOPE_LIST && opening === '[');
  if (fields.some(isList)) return 'list';
  const fieldOf = (name: string) => map?.names.get(name) ?? name;
  const ids = [id, listed?.id];
  const known = [...knownFields, ...targetFields.map((target) => target.name), ...ids];
  const isKnown = (name: string) => known.includes(fieldOf(name));
  const isRecord =
    fields.some(({ name, opening }) => ids.includes(fieldOf(name)) && opening !== '{') ||
    (isComplete && (next === '{' || fields.some(({ name }) => isKnown(name))));
  if (isRecord) return isWholeLine(text, format) ? 'lines' : 'values';
  const isKeyed = ({ name, opening, inner }: HeadField) =>
    opening === '{' &&
    !isKnown(name) &&
    !inner.includes(listName) &&
    (inner.length === 0 || inner.some(isKnown));
  const isWrapper = (name: string) => WRAPPERS.includes(name) || `${name}Id` === id;
  const areKeyed =
    fields.length > 0 && fields.every(isKeyed) && !fields.some(({ name }) => isWrapper(name));
  if (areKeyed && fields.some(({ inner }) => inner.length > 0)) return 'keyed';
  return format === 'ndjson' ? 'lines' : 'list';
}

/** Whether each line is an object. In a file of lines, one of them may be broken or too long. */
function isWholeLine(text: string, format: LayoutRequest['format']): boolean {
  const [first = '', ...others] = text.split(/\r\n|\n|\r/);
  const { isComplete, next } = readHead(first);
  if (isComplete) return next !== '{';
  return format === 'ndjson' && (others.length === 0 || others.some((line) => LINE.test(line)));
}

const LINE = /^\{.*\}\s*$/;

function readHead(text: string): Head {
  const fields: HeadField[] = [];
  const open: string[] = [];
  const tokens = [...text.matchAll(TOKEN)].map(([token]) => token);
  for (const [at, token] of tokens.entries()) {
    if (token === '{' || token === '[') open.push(token);
    else if (token === '}' || token === ']') {
      open.pop();
      if (open.length === 0) return { fields, isComplete: true, next: tokens[at + 1]?.[0] };
    } else if (token.startsWith('"') && tokens[at + 1] === ':' && open.at(-1) === '{') {
      const name: unknown = parseName(token);
      if (typeof name !== 'string') continue;
      if (open.length === 1) fields.push({ name, opening: tokens[at + 2]?.[0] ?? '', inner: [] });
      else if (open.length === 2) fields.at(-1)?.inner.push(name);
    }
  }
  return { fields, isComplete: false, next: undefined };
}

function parseName(token: string): unknown {
  try {
    return JSON.parse(token);
  } catch {
    return undefined;
  }
}

/** Formats a jq command that reads an input. */
export function formatJq(words: string, name: string): string {
  return `jq ${words}${name === 'stdin' ? '' : ` ${quoteForShell(name)}`}`;
}

/**
 * Suggests how to convert an input whose objects contain the records: in lists, or by ID. Returns
 * `undefined` if an object does not look like this.
 */
export function suggestMerge(
  object: Fields,
  { name, listName, id }: Pick<SourceRequest, 'name' | 'listName' | 'id'>,
): string | undefined {
  const suggest = (filter: string) =>
    `put the records into one list, for example with ${formatJq(`-s '[flatten[] | ${filter}]'`, name)}`;
  // Fields beside a list, such as the organization, are those of its records.
  const list = object[listName];
  if (Array.isArray(list) && list.every(isObject))
    return suggest(`del(.${listName}) + .${listName}[]`);
  const [[key, value] = ['', undefined], ...others] = Object.entries(object);
  if (!isObject(value) || others.length > 0) return undefined;
  const isWrapper = value[id] !== undefined && value[id] !== key;
  return suggest(isWrapper ? '.[]' : `to_entries[] | .value + {${id}: .key}`);
}
