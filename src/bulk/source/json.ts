import { isObject } from '../../kernel/json.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { ENVELOPE_FIELDS, ENVELOPE_LIST, type JsonLayout } from './json-layout.ts';
import { parseJson } from './json-record.ts';
import { type JsonPiece, JsonSplitter } from './json-splitter.ts';
import type { ListRequest } from './record-layout.ts';
import { type BesideField, InputError, type RecordChunk } from './source.ts';

export interface JsonRequest extends ListRequest {
  readonly layout: Exclude<JsonLayout, 'lines'>;
  readonly id: string;
  /** Receives each field beside the array. */
  readonly onBeside?: (field: BesideField) => void;
}

/**
 * Reads JSON arrays, objects one after the other, or the list of an object: an array, or records by
 * ID.
 */
export async function* readJson(
  chunks: AsyncIterable<string>,
  options: JsonRequest,
): AsyncGenerator<RecordChunk> {
  const splitter = new JsonSplitter(chunks, options.name);
  try {
    yield* readList(splitter, options);
  } finally {
    await splitter.close();
  }
}

async function* readList(
  splitter: JsonSplitter,
  options: JsonRequest,
): AsyncGenerator<RecordChunk> {
  const { name, listName: field } = options;
  const opening = await splitter.peek();
  if (opening !== '[' && opening !== '{') {
    const hint = `the file must contain an array or {"${field}":[…]}; set other formats with --input-format`;
    throw new InputError(
      name,
      splitter.position,
      `expected a JSON array, found '${opening ?? 'nothing'}'`,
      hint,
    );
  }
  if (options.layout === 'values') return yield* readValues(splitter, name);
  let rest: string | undefined = opening;
  // Arrays may follow each other, as `jq` and scripts write them.
  do {
    splitter.take();
    if (rest === '[') yield* readElements(splitter, name);
    else if (options.layout === 'keyed') yield* readKeyed(splitter, options);
    else yield* readMembers(splitter, options);
    rest = await splitter.peek();
  } while (opening === '[' && rest === '[');
  if (rest === undefined) return;
  const hint = 'remove the text, or merge it into the JSON';
  throw new InputError(name, splitter.position, 'unexpected text after the end of the JSON', hint);
}

/** Reads objects that follow each other. */
async function* readValues(splitter: JsonSplitter, name: string): AsyncGenerator<RecordChunk> {
  let records: JsonPiece[] = [];
  try {
    for (let next = await splitter.peek(); next !== undefined; next = await splitter.peek()) {
      if (next !== '{')
        throw new InputError(name, splitter.position, `expected a record, found '${next}'`);
      let piece = splitter.nextValue();
      while (!piece) {
        if (records.length > 0) yield records;
        records = [];
        await splitter.readMore();
        piece = splitter.nextValue();
      }
      records.push(piece);
    }
  } finally {
    if (records.length > 0) yield records;
  }
}

/** Reads the records of an object by their IDs. */
async function* readKeyed(
  splitter: JsonSplitter,
  { name, id }: JsonRequest,
): AsyncGenerator<RecordChunk> {
  for (let first = true, stop = ','; stop === ','; first = false) {
    const key = await readPiece(splitter);
    if (first && key.text === '' && key.stop === '}') return;
    const keyText = key.stop === ':' ? parseJson(key.text, name, key) : undefined;
    if (typeof keyText !== 'string')
      throw new InputError(name, key, 'expected a field name and a colon');
    const value = await readPiece(splitter);
    const fields = parseJson(value.text, name, value);
    if (!isObject(fields))
      throw new InputError(name, value, `the record of '${keyText}' is not an object`);
    if (fields[id] !== undefined && fields[id] !== keyText)
      throw new InputError(
        name,
        value,
        `${id}: ${JSON.stringify(fields[id])} differs from '${keyText}', the key of the record`,
      );
    const record = { [id]: keyText, ...fields };
    yield [{ line: key.line, column: key.column, value: record, text: JSON.stringify(record) }];
    stop = value.stop;
    if (stop !== ',' && stop !== '}')
      throw new InputError(name, splitter.position, `expected ',' or '}', found '${stop}'`);
  }
}

async function* readElements(splitter: JsonSplitter, name: string): AsyncGenerator<RecordChunk> {
  let records: JsonPiece[] = [];
  try {
    for (let first = true; ; first = false) {
      let piece = splitter.nextPiece();
      while (!piece) {
        if (records.length > 0) yield records;
        records = [];
        await splitter.readMore();
        piece = splitter.nextPiece();
      }
      const { stop, isEmpty } = piece;
      if (isEmpty && !(first && stop === ']'))
        throw new InputError(name, piece, `expected a record, found '${stop}'`);
      if (!isEmpty) records.push(piece);
      if (stop === ']') break;
      if (stop !== ',')
        throw new InputError(name, splitter.position, `expected ',' or ']', found '${stop}'`);
    }
  } catch (error) {
    if (records.length > 0) yield records;
    throw error;
  }
  if (records.length > 0) yield records;
}

/** Each is checked and described, so that a flood of fields would take long. */
const MAX_MEMBERS = 10_000;

async function* readMembers(
  splitter: JsonSplitter,
  options: JsonRequest,
): AsyncGenerator<RecordChunk> {
  const { name, listName: field, onBeside } = options;
  let found = false;
  let other: string | undefined;
  let fields = 0;
  for (let first = true, stop = ','; stop === ','; first = false) {
    const key = await readPiece(splitter);
    fields += 1;
    if (fields > MAX_MEMBERS)
      throw new InputError(name, key, 'the object has more than 10,000 fields beside its records');
    if (first && key.text === '' && key.stop === '}') break;
    const keyText = key.stop === ':' ? parseJson(key.text, name, key) : undefined;
    if (typeof keyText !== 'string')
      throw new InputError(name, key, 'expected a field name and a colon');
    const opening = await splitter.peek();
    const isKeyed = keyText === field && opening === '{';
    const isList = isKeyed || ((keyText === field || keyText === ENVELOPE_LIST) && opening === '[');
    if (isList) {
      if (found) throw new InputError(name, key, `"${keyText}" is a second list`);
      found = true;
      splitter.take();
      yield* isKeyed ? readKeyed(splitter, options) : readElements(splitter, name);
    }
    const value = await readPiece(splitter);
    const content = isList ? undefined : parseJson(value.text, name, value);
    if (isList ? value.text !== '' : keyText === field)
      throw new InputError(name, value, `"${field}" is not an array`);
    other ??= findRecords(content, keyText);
    if (!isList) onBeside?.({ name: keyText, value: content, line: key.line, column: key.column });
    stop = value.stop;
    if (stop !== ',' && stop !== '}')
      throw new InputError(name, splitter.position, `expected ',' or '}', found '${stop}'`);
  }
  if (!found) {
    const put = `put the records into [ ], or {"${field}":[ ]}`;
    const file = name === 'stdin' ? '' : ` ${quoteForShell(name)}`;
    const hint = other === undefined ? put : `${put}, for example with jq ${other}${file}`;
    throw new InputError(name, splitter.position, `the object has no array "${field}"`, hint);
  }
}

/** Finds a list of objects in a value. Returns its path for jq. */
function findRecords(value: unknown, key: string, parents = ''): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(key)) return undefined;
  const path = `${parents}.${key}`;
  if (Array.isArray(value)) return value.some(isObject) ? path : undefined;
  if (!isObject(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = findRecords(inner, name, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reads the fields beside the array of an object, without parsing the array. */
export async function readBesideFields(
  chunks: AsyncIterable<string>,
  request: JsonRequest,
): Promise<readonly BesideField[]> {
  const fields: BesideField[] = [];
  const onBeside = (field: BesideField) => {
    if (!ENVELOPE_FIELDS.includes(field.name)) fields.push(field);
  };
  for await (const records of readJson(chunks, { ...request, onBeside })) void records;
  return fields;
}

async function readPiece(splitter: JsonSplitter): Promise<JsonPiece> {
  for (;;) {
    const piece = splitter.nextPiece();
    if (piece) return piece;
    await splitter.readMore();
  }
}
