import { type JsonPiece, JsonSplitter } from './json-splitter.ts';
import { parseJson } from './parse-json.ts';
import type { ListRequest } from './record-layout.ts';
import { type BesideField, InputError, type RecordChunk } from './source.ts';

interface JsonRequest extends ListRequest {
  /** Receives each field beside the array. */
  readonly onBeside?: (field: BesideField) => void;
}

/** Reads a JSON array, or the array under `field` of an object. */
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
    const hint = `provide an array or {"${field}":[…]}; set other formats with --input-format`;
    throw new InputError(
      name,
      splitter.position,
      `expected a JSON array, found '${opening ?? 'nothing'}'`,
      hint,
    );
  }
  splitter.take();
  yield* opening === '[' ? readElements(splitter, name) : readMembers(splitter, options);
  const rest = await splitter.peek();
  if (rest === undefined) return;
  const hint =
    rest === '{'
      ? 'for one record per line, use --input-format ndjson'
      : 'remove the text, or merge it into the JSON';
  throw new InputError(name, splitter.position, 'unexpected text after the end of the JSON', hint);
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

async function* readMembers(
  splitter: JsonSplitter,
  { name, listName: field, onBeside }: JsonRequest,
): AsyncGenerator<RecordChunk> {
  let found = false;
  for (let first = true, stop = ','; stop === ','; first = false) {
    const key = await readPiece(splitter);
    if (first && key.text === '' && key.stop === '}') break;
    const keyText = key.stop === ':' ? parseJson(key.text, name, key) : undefined;
    if (typeof keyText !== 'string')
      throw new InputError(name, key, 'expected a field name and a colon');
    const isList = keyText === field && (await splitter.peek()) === '[';
    if (isList) {
      if (found) throw new InputError(name, key, `"${field}" occurs twice`);
      found = true;
      splitter.take();
      yield* readElements(splitter, name);
    }
    const value = await readPiece(splitter);
    const content = isList ? undefined : parseJson(value.text, name, value);
    if (isList ? value.text !== '' : keyText === field)
      throw new InputError(name, value, `"${field}" is not an array`);
    if (!isList) onBeside?.({ name: keyText, value: content, line: key.line, column: key.column });
    stop = value.stop;
    if (stop !== ',' && stop !== '}')
      throw new InputError(name, splitter.position, `expected ',' or '}', found '${stop}'`);
  }
  if (!found) {
    const hint = `put the records into [ ], or {"${field}":[ ]}`;
    throw new InputError(name, splitter.position, `the object has no array "${field}"`, hint);
  }
}

/** Reads the fields beside the array of an object, without parsing the array. */
export async function readBesideFields(
  chunks: AsyncIterable<string>,
  request: ListRequest,
): Promise<readonly BesideField[]> {
  const fields: BesideField[] = [];
  const onBeside = (field: BesideField) => fields.push(field);
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
