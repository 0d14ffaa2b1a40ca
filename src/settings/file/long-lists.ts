import { type SettingsFields, settingsSchema } from '../../catalog/settings.ts';
import { IDENTITY_FIELDS } from '../../catalog/state.ts';
import { keepHeapSmall } from '../../kernel/heap.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { findCycles } from './check.ts';

const KINDS = ['folders', 'documents'] as const;
type Kind = (typeof KINDS)[number];
type Records = NonNullable<SettingsFields[Kind]>;
type Lists = { [Name in Kind]?: NonNullable<SettingsFields[Name]> };

export interface CutText {
  /** The text with empty lists in their place. Line numbers are unchanged, except for JSON. */
  readonly text: string;
  readonly lists: Lists;
}

/** Length of a file, in characters, whose nodes would need too much time and memory. */
const LONG_TEXT = 500_000;
/** Length of the shortest text that V8 stores as a part of another one. */
const MIN_PART = 13;
const RESERVED = /^(?:true|false|null|~)$/i;
const FIELD = /^(?:"([A-Za-z]+)"|([A-Za-z]+)): *(.+)$/;
const PLAIN = /^[\p{L}_][\p{L}\p{N}_.-]*(?: [\p{L}\p{N}_.-]+)*$/u;
const FLOW_FIELDS = /(?:"[^"\\]*"|'[^']*'|[^,"'{}[\]])+/g;

/**
 * Reads the long lists of a file whose records have only plain fields, in JSON or one of the two
 * usual forms of YAML, without the place of each value. Returns undefined for all other files,
 * which must be read as a whole.
 */
export function cutLongLists(text: string): CutText | undefined {
  if (text.length < LONG_TEXT) return undefined;
  keepHeapSmall();
  const cut = text.trimStart().startsWith('{') ? cutJson(text) : cutYaml(text);
  return cut && areValid(cut.lists) ? cut : undefined;
}

function cutJson(text: string): CutText | undefined {
  const value = tryParseJson(text);
  // A field that occurs twice is lost, and has to be reported.
  if (
    !isObject(value) ||
    isObject(value['environments']) ||
    countFields(value) !== countNames(text)
  )
    return undefined;
  const lists = Object.fromEntries(
    KINDS.flatMap((kind) => (Array.isArray(value[kind]) ? [[kind, value[kind]]] : [])),
  );
  if (JSON.stringify(lists).includes('${')) return undefined;
  const rest = Object.fromEntries(Object.keys(lists).map((kind) => [kind, []]));
  return { text: JSON.stringify({ ...value, ...rest }), lists };
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  return inner.reduce<number>(
    (sum, each) => sum + countFields(each),
    Array.isArray(value) ? 0 : inner.length,
  );
}

function countNames(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) if (colon) count += 1;
  return count;
}

function cutYaml(text: string): CutText | undefined {
  // An environment may change the records.
  if (/^\s+"?(?:folders|documents)"?:/m.test(text)) return undefined;
  const lists: Lists = {};
  const kept: string[] = [];
  let reader: ListReader | undefined;
  for (const line of linesOf(text)) {
    if (reader && /^[^\s#-]/.test(line)) reader = undefined;
    if (reader) {
      if (!reader.read(line)) return undefined;
      kept.push(kept.at(-1)?.endsWith(':') ? ' []' : '');
      continue;
    }
    kept.push(line);
    const kind = KINDS.find((name) => line === `${name}:`);
    if (!kind) continue;
    if (lists[kind]) return undefined;
    reader = new ListReader();
    // The schema checks them later.
    lists[kind] = reader.records as never;
  }
  return { text: kept.join('\n'), lists };
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end < 0 ? text.length : end;
    yield text.slice(start, text[stop - 1] === '\r' ? stop - 1 : stop);
    start = stop + 1;
  }
}

/**
 * Reads the lines of a list: `- { name: value }`, or `- name: value` with more fields on lines of
 * their own.
 */
class ListReader {
  readonly records: { [field: string]: string | boolean }[] = [];
  #indent: string | undefined;

  read(line: string): boolean {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return true;
    const [, indent = '', item] = /^( *)(- +)?/.exec(line) ?? [];
    if (item === undefined) {
      const record = this.records.at(-1);
      return (
        record !== undefined &&
        indent.length === (this.#indent?.length ?? 0) + 2 &&
        addField(record, text)
      );
    }
    this.#indent ??= indent;
    if (indent !== this.#indent || item.length !== 2) return false;
    const record = {};
    this.records.push(record);
    const content = text.slice(item.length);
    if (!content.startsWith('{')) return addField(record, content);
    if (!content.endsWith('}')) return false;
    const inner = content.slice(1, -1);
    const fields = inner.match(FLOW_FIELDS) ?? [];
    return fields.join(',') === inner && fields.every((field) => addField(record, field.trim()));
  }
}

function addField(record: { [field: string]: string | boolean }, text: string): boolean {
  const [, quoted, plain, source = ''] = FIELD.exec(text) ?? [];
  const name = quoted ?? plain;
  const value = parseScalar(source);
  if (name === undefined || value === undefined || Object.hasOwn(record, name)) return false;
  record[name] = typeof value === 'string' ? detach(value) : value;
  return true;
}

/** Copies a text. A part of a longer text would keep all of it in memory. */
function detach(text: string): string {
  return text.length < MIN_PART ? text : Buffer.from(text).toString();
}

/** Parses a scalar that can be read in one way only; undefined for any other. */
function parseScalar(source: string): string | boolean | undefined {
  if (source.includes('${')) return undefined;
  if (source === 'true' || source === 'false') return source === 'true';
  if (PLAIN.test(source)) return RESERVED.test(source) ? undefined : source;
  if (/^"[^"\\]*"$/.test(source) || /^'[^']*'$/.test(source)) return source.slice(1, -1);
  return undefined;
}

/** Whether the records match the schema, are different, and no folder contains itself. */
function areValid(lists: Lists): boolean {
  const isValid = (kind: Kind) => {
    const records: Records = lists[kind] ?? [];
    const identityOf = (record: object) =>
      JSON.stringify(IDENTITY_FIELDS[kind].map((field) => Object(record)[field]));
    const identities = new Set(records.map(identityOf));
    const { element } = settingsSchema.shape[kind].unwrap();
    return (
      identities.size === records.length &&
      records.every((record) => element.safeParse(record).success)
    );
  };
  return KINDS.every(isValid) && findCycles(lists.folders ?? []).length === 0;
}
