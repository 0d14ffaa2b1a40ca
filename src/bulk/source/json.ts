import type { Remark } from '../finding.ts';
import { JsonSplitter, type Piece } from './json-splitter.ts';
import { parseJson } from './json-text.ts';
import { type Block, InputError } from './record.ts';

/** How a list is read: what to call the input, the field it stands under inside an object, and whom to tell of what is left out. */
export interface ListOptions {
  readonly name: string;
  readonly field: string;
  readonly warn: (warning: Remark) => void;
}

/** The records of a JSON array, or of the array under `field` of an object. */
export async function* readJson(chunks: AsyncIterable<string>, options: ListOptions): AsyncGenerator<Block> {
  const { name, field } = options;
  const splitter = new JsonSplitter(chunks, name);
  const opening = await splitter.peek();
  if (opening !== '[' && opening !== '{') {
    const hint = `give an array, or {"${field}":[…]}; for other formats say which with --input-format`;
    throw new InputError(name, splitter.place, `expected a JSON array, found '${opening ?? 'nothing'}'`, hint);
  }
  splitter.take();
  yield* opening === '[' ? elements(splitter, name) : members(splitter, options);
  const rest = await splitter.peek();
  if (rest === undefined) return;
  const hint = rest === '{' ? 'for one record a line, use --input-format ndjson' : 'remove what follows, or merge it';
  throw new InputError(name, splitter.place, 'there is more text after the end of the JSON', hint);
}

/** The elements of an array whose opening bracket has been taken. What is wrong comes after the records before it. */
async function* elements(splitter: JsonSplitter, name: string): AsyncGenerator<Block> {
  let block: Piece[] = [];
  try {
    for (let first = true; ; first = false) {
      let piece = splitter.piece();
      while (!piece) {
        if (block.length > 0) yield block;
        block = [];
        await splitter.more();
        piece = splitter.piece();
      }
      const { stop, isEmpty } = piece;
      if (isEmpty && !(first && stop === ']')) throw new InputError(name, piece, `expected a record, found '${stop}'`);
      if (!isEmpty) block.push(piece);
      if (stop === ']') break;
      if (stop !== ',') throw new InputError(name, splitter.place, `expected ',' or ']', found '${stop}'`);
    }
  } catch (error) {
    if (block.length > 0) yield block;
    throw error;
  }
  if (block.length > 0) yield block;
}

/** The records inside an object whose opening brace has been taken. Its other fields are named and left out. */
async function* members(splitter: JsonSplitter, { name, field, warn }: ListOptions): AsyncGenerator<Block> {
  let found = false;
  for (let first = true, stop = ','; stop === ','; first = false) {
    const key = await whole(splitter);
    if (first && key.text === '' && key.stop === '}') break;
    const named = key.stop === ':' ? parseJson(key.text, name, key) : undefined;
    if (typeof named !== 'string') throw new InputError(name, key, 'expected a field name and a colon');
    const listed = named === field && (await splitter.peek()) === '[';
    if (listed) {
      if (found) throw new InputError(name, key, `"${field}" stands twice`);
      found = true;
      splitter.take();
      yield* elements(splitter, name);
    }
    const value = await whole(splitter);
    if (!listed) parseJson(value.text, name, value);
    if (listed ? value.text !== '' : named === field) throw new InputError(name, value, `"${field}" is not an array`);
    if (!listed)
      warn({ line: key.line, message: `'${named}' is left out; only the records under '${field}' are read` });
    stop = value.stop;
    if (stop !== ',' && stop !== '}')
      throw new InputError(name, splitter.place, `expected ',' or '}', found '${stop}'`);
  }
  if (!found) {
    throw new InputError(
      name,
      splitter.place,
      `the object has no array "${field}"`,
      `put the records into [ ], or {"${field}":[ ]}`,
    );
  }
}

async function whole(splitter: JsonSplitter): Promise<Piece> {
  for (;;) {
    const piece = splitter.piece();
    if (piece) return piece;
    await splitter.more();
  }
}
