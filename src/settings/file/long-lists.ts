import { parseDocument } from 'yaml';
import { RECORD_KINDS } from '../../catalog/record-kinds.ts';
import { type SettingsFields, settingsSchema } from '../../catalog/settings.ts';
import { findTargetIdProblems } from '../../catalog/target-ids.ts';
import { keepHeapSmall } from '../../kernel/heap.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { runInSlices } from '../../kernel/run-in-slices.ts';
import { findCycles } from './check.ts';

const KINDS = ['folders', 'documents'] as const;
type Kind = (typeof KINDS)[number];
type Records = NonNullable<SettingsFields[Kind]>;
type Lists = { [Name in Kind]?: NonNullable<SettingsFields[Name]> };

export interface CutText {
  /** The text with empty lists in their place. */
  readonly text: string;
  /** Returns the line of the file that a line of the text was, unless the file is JSON. */
  readonly lineOf?: (line: number) => number;
  readonly lists: Lists;
}

/** Length of a file, in characters, whose nodes would need too much time and memory. */
const LONG_TEXT = 500_000;
/** Number of items that are parsed together: so few that their nodes are garbage soon. */
const PART_ITEMS = 50;
/** Variables, and anchors, aliases, and tags, which may refer to other parts of the file. */
const NOT_ALONE = /\$\{|(?:^|[\s,:[{-])[&*!][^\s]/;

/**
 * Reads the long lists of a JSON or YAML file in parts, without the place of each value. Returns
 * undefined for files whose lists have other values than strings and switches, or that must be read
 * as a whole for another reason. Rejects with the signal's reason if the signal is aborted.
 */
export async function cutLongLists(
  text: string,
  signal: AbortSignal,
): Promise<CutText | undefined> {
  if (text.length < LONG_TEXT) return undefined;
  keepHeapSmall();
  return runInSlices(cutLists(text), signal);
}

function* cutLists(text: string): Generator<undefined, CutText | undefined> {
  const cut = text.trimStart().startsWith('{') ? cutJson(text) : yield* cutYaml(text);
  return cut && (yield* areValid(cut.lists)) ? cut : undefined;
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

function* cutYaml(text: string): Generator<undefined, CutText | undefined> {
  // An environment may change the records.
  if (/^\s+"?(?:folders|documents)"?:/m.test(text)) return undefined;
  const lists: Lists = {};
  const kept: string[] = [];
  const numbers: number[] = [];
  let number = 0;
  let reader: ListReader | undefined;
  for (const line of linesOf(text)) {
    yield;
    number += 1;
    if (reader && /^[^\s#-]/.test(line)) {
      if (!reader.finish()) return undefined;
      reader = undefined;
    }
    if (reader) {
      if (!reader.add(line)) return undefined;
      continue;
    }
    const kind = KINDS.find((name) => line === `${name}:`);
    kept.push(kind ? `${line} []` : line);
    numbers.push(number);
    if (!kind) continue;
    if (lists[kind]) return undefined;
    reader = new ListReader();
    // The schema checks them later.
    lists[kind] = reader.records as never;
  }
  if (reader?.finish() === false) return undefined;
  return { text: kept.join('\n'), lists, lineOf: (line) => numbers[line - 1] ?? line };
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
 * Parses the lines of a list in parts, so that only the nodes of one part are in memory. All lines
 * of an item are indented more than its dash.
 */
class ListReader {
  readonly records: unknown[] = [];
  readonly #lines: string[] = [];
  #items = 0;
  #dash: string | undefined;

  add(line: string): boolean {
    this.#dash ??= /^ *- /.exec(line)?.[0];
    const isItem = this.#dash !== undefined && line.startsWith(this.#dash);
    if (isItem && this.#items === PART_ITEMS && !this.finish()) return false;
    if (isItem) this.#items += 1;
    this.#lines.push(line);
    return true;
  }

  /** @returns false if a record has a value that requires its place, or cannot be read alone */
  finish(): boolean {
    const text = this.#lines.splice(0).join('\n');
    this.#items = 0;
    if (NOT_ALONE.test(text)) return false;
    const document = parseDocument(text, { stringKeys: true, prettyErrors: false });
    if (document.errors.length > 0 || document.warnings.length > 0) return false;
    const records: unknown = document.toJS();
    if (!Array.isArray(records) || !records.every(isFlat)) return false;
    // Texts of the document would keep all of its text in memory.
    this.records.push(...JSON.parse(JSON.stringify(records)));
    return true;
  }
}

function isFlat(record: unknown): boolean {
  return (
    isObject(record) &&
    Object.values(record).every((value) => typeof value === 'string' || typeof value === 'boolean')
  );
}

/** Whether the records match the schema, are different, and no folder contains itself. */
function* areValid(lists: Lists): Generator<undefined, boolean> {
  for (const kind of KINDS) {
    const records: Records = lists[kind] ?? [];
    const { element } = settingsSchema.shape[kind].def.innerType.def;
    // Without a new text for each record, of which there may be 100,000.
    const idsByScope = new Map<string, Set<unknown>>();
    for (const record of records) {
      yield;
      if (!element.safeParse(record).success) return false;
      const fields = RECORD_KINDS[kind].identity.map((field) => Object(record)[field]);
      const id: unknown = fields.pop();
      const scope = JSON.stringify(fields);
      const ids = idsByScope.get(scope) ?? new Set();
      idsByScope.set(scope, ids.add(id));
    }
    const different = idsByScope.values().reduce((sum, ids) => sum + ids.size, 0);
    if (different < records.length) return false;
  }
  if (findTargetIdProblems(settingsSchema, lists).length > 0) return false;
  return findCycles(lists.folders ?? []).length === 0;
}
