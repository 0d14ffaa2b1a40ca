import { isObject } from '../../kernel/json.ts';
import { NO_COMMENTS, NO_LAST_COMMA } from '../../kernel/json-problem.ts';
import {
  ENVELOPE_FIELDS,
  ENVELOPE_LIST,
  formatJq,
  type JsonLayout,
  suggestMerge,
} from './json-layout.ts';
import { parseJson } from './json-record.ts';
import { type JsonPiece, JsonSplitter } from './json-splitter.ts';
import type { ListRequest } from './record-layout.ts';
import { type BesideField, InputError, type RecordChunk, type SourceRecord } from './source.ts';

export interface JsonRequest extends ListRequest {
  readonly layout: Exclude<JsonLayout, 'lines'>;
  readonly id: string;
  /** Receives each field beside the array. */
  readonly onBeside?: (field: BesideField) => void;
}

/** A step of reading a text. Yields when it needs more of the text. */
type Reading<Value = void> = Generator<undefined, Value>;
type Sink = SourceRecord[];

/**
 * Reads JSON arrays, objects one after the other, or the list of an object: an array, or records by
 * ID.
 */
export async function* readJson(
  chunks: AsyncIterable<string>,
  options: JsonRequest,
): AsyncGenerator<RecordChunk> {
  const splitter = new JsonSplitter(chunks, options.name);
  const records: Sink = [];
  try {
    for (const _ of readList(splitter, options, records)) {
      if (records.length > 0) yield records.splice(0);
      await splitter.readMore();
    }
  } catch (error) {
    if (records.length > 0) yield records;
    throw error;
  } finally {
    await splitter.close();
  }
  if (records.length > 0) yield records;
}

function* readList(splitter: JsonSplitter, options: JsonRequest, records: Sink): Reading {
  const { name, listName: field } = options;
  const opening = yield* peek(splitter);
  if (opening !== '[' && opening !== '{') {
    const hint =
      opening === '/'
        ? NO_COMMENTS
        : `the file must contain an array or {"${field}":[…]}; set other formats with --input-format`;
    throw new InputError(
      name,
      splitter.position,
      `expected a JSON array, found '${opening ?? 'nothing'}'`,
      hint,
    );
  }
  if (options.layout === 'values') return yield* readValues(splitter, name, records);
  let rest: string | undefined = opening;
  // Arrays may follow each other, as `jq` and scripts write them.
  do {
    splitter.take();
    if (rest === '[') yield* readElements(splitter, name, records);
    else if (options.layout === 'keyed') yield* readKeyed(splitter, options, records);
    else yield* readMembers(splitter, options, records);
    rest = yield* peek(splitter);
  } while (opening === '[' && rest === '[');
  if (rest === undefined) return;
  const merge = opening === '{' && rest === '{' ? { [field]: [] } : {};
  const hint = suggestMerge(merge, options) ?? 'remove the text, or merge it into the JSON';
  throw new InputError(name, splitter.position, 'unexpected text after the end of the JSON', hint);
}

/** Reads objects that follow each other. */
function* readValues(splitter: JsonSplitter, name: string, records: Sink): Reading {
  for (let next = yield* peek(splitter); next !== undefined; next = yield* peek(splitter)) {
    if (next !== '{')
      throw new InputError(name, splitter.position, `expected a record, found '${next}'`);
    records.push(yield* readPiece(splitter, () => splitter.nextValue()));
  }
}

/** Reads the records of an object by their IDs. */
function* readKeyed(splitter: JsonSplitter, { name, id }: JsonRequest, records: Sink): Reading {
  for (let first = true, stop = ','; stop === ','; first = false) {
    const key = yield* readPiece(splitter);
    if (first && key.text === '' && key.stop === '}') return;
    const keyText = key.stop === ':' ? parseJson(key.text, name, key) : undefined;
    if (typeof keyText !== 'string')
      throw new InputError(name, key, 'expected a field name and a colon');
    const value = yield* readPiece(splitter);
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
    const text = JSON.stringify(record);
    records.push({ line: key.line, column: key.column, value: record, text });
    stop = value.stop;
    if (stop !== ',' && stop !== '}')
      throw new InputError(name, splitter.position, `expected ',' or '}', found '${stop}'`);
  }
}

function* readElements(splitter: JsonSplitter, name: string, records: Sink): Reading {
  for (let first = true, stop = ','; stop === ','; first = false) {
    // A generator for each record would take 10% of the total reading time.
    const piece = splitter.nextPiece() ?? (yield* readPiece(splitter));
    stop = piece.stop;
    if (piece.isEmpty && !(first && stop === ']'))
      throw new InputError(
        name,
        piece,
        `expected a record, found '${stop}'`,
        stop === ']' ? NO_LAST_COMMA : undefined,
      );
    if (!piece.isEmpty) records.push(piece);
    if (stop !== ',' && stop !== ']')
      throw new InputError(name, splitter.position, `expected ',' or ']', found '${stop}'`);
  }
}

/** Each is checked and described, so that a flood of fields would take long. */
const MAX_MEMBERS = 10_000;

function* readMembers(splitter: JsonSplitter, options: JsonRequest, records: Sink): Reading {
  const { name, listName: field, onBeside } = options;
  let found = false;
  let other: string | undefined;
  let fields = 0;
  for (let first = true, stop = ','; stop === ','; first = false) {
    const key = yield* readPiece(splitter);
    fields += 1;
    if (fields > MAX_MEMBERS)
      throw new InputError(name, key, 'the object has more than 10,000 fields beside its records');
    if (first && key.text === '' && key.stop === '}') break;
    const keyText = key.stop === ':' ? parseJson(key.text, name, key) : undefined;
    if (typeof keyText !== 'string')
      throw new InputError(name, key, 'expected a field name and a colon');
    const opening = yield* peek(splitter);
    const isKeyed = keyText === field && opening === '{';
    const isList = isKeyed || ((keyText === field || keyText === ENVELOPE_LIST) && opening === '[');
    if (isList) {
      if (found) throw new InputError(name, key, `"${keyText}" is a second list`);
      found = true;
      splitter.take();
      yield* isKeyed
        ? readKeyed(splitter, options, records)
        : readElements(splitter, name, records);
    }
    const value = yield* readPiece(splitter);
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
    const hint = other === undefined ? put : `${put}, for example with ${formatJq(other, name)}`;
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

function* readPiece(splitter: JsonSplitter, next = () => splitter.nextPiece()): Reading<JsonPiece> {
  for (let piece = next(); ; piece = next()) {
    if (piece) return piece;
    splitter.requireMore();
    yield;
  }
}

/** Returns the next character after whitespace; `undefined` at the end of the input. */
function* peek(splitter: JsonSplitter): Reading<string | undefined> {
  for (let next = splitter.peek(); ; next = splitter.peek()) {
    if (next !== undefined || splitter.isAtEnd) return next;
    yield;
  }
}
