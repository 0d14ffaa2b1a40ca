import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, stringify, visit } from 'yaml';
import { losesDigits } from './json-text.ts';
import { type Block, inputError, type Place, type SourceRecord } from './record.ts';

/** Aliases that one record may follow: enough for shared defaults, too few to blow a small file up. */
const MOST_ALIASES = 100;

/**
 * The records of a YAML list, or of the list under `field` of a mapping. A scalar stays the text that it is written as,
 * so ids such as `0123`, `no` and `1e5` are kept. A key without a value is an absent field.
 */
export async function* readYaml(chunks: AsyncIterable<string>, name: string, field: string): AsyncGenerator<Block> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  const { document, placeOf } = parse(text, name, 'failsafe');
  const list = listUnder(document, field);
  if (!list) {
    const hint = `begin each record with '- ', or put the list under '${field}:'`;
    throw inputError(name, placeOf(document.contents?.range?.[0]), 'expected a list of records', hint);
  }
  dropEmptyValues(document);
  const block = list.items.map((item) => {
    const place = placeOf(isNode(item) ? item.range?.[0] : undefined);
    const value = plainValue(document, item, name, place);
    return { ...place, value, text: yamlItem(value) };
  });
  if (block.length > 0) yield block;
}

/**
 * The one value that a YAML text is. Its scalars have the types of YAML 1.2, unlike in a list of records.
 * @throws SvcError `bad_data` for what is no YAML, and for a whole number that would lose digits.
 */
export function parseYaml(text: string, name: string): unknown {
  const { document, placeOf } = parse(text, name, 'core');
  visit(document, {
    Scalar: (_, { value, source = '', range }) => {
      if (typeof value !== 'number' || !losesDigits(source)) return;
      throw inputError(name, placeOf(range?.[0]), `the number ${source} would lose digits`, 'put it in quotes');
    },
  });
  return plainValue(document, document.contents, name, placeOf());
}

function parse(text: string, name: string, schema: 'failsafe' | 'core') {
  const lineCounter = new LineCounter();
  const placeOf = (offset = 0): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line, column: col };
  };
  const document = parseDocument(text, { schema, merge: true, lineCounter, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error) throw inputError(name, placeOf(error.pos[0]), ...problemOf(error));
  return { document, placeOf };
}

function listUnder({ contents }: Document, field: string) {
  const value = isMap(contents) ? contents.get(field) : contents;
  return isSeq(value) ? value : undefined;
}

function dropEmptyValues(document: Document): void {
  visit(document, {
    Pair: (_, { value }) => {
      const empty = value === null || (isScalar(value) && value.type === 'PLAIN' && value.value === '');
      return empty ? visit.REMOVE : undefined;
    },
  });
}

function plainValue(document: Document, item: unknown, name: string, place: Place): unknown {
  try {
    return isNode(item) ? item.toJS(document, { maxAliasCount: MOST_ALIASES }) : item;
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const bomb = error.message.startsWith('Excessive');
    throw inputError(name, place, bomb ? `more than ${MOST_ALIASES} aliases in one record` : lowerFirst(error.message));
  }
}

/** The text of a record with one more field. */
export function withYamlField({ value }: SourceRecord, field: string, text: string): string {
  return yamlItem({ ...Object(value), [field]: text });
}

/** A value as an item of a YAML list, quoted so that every reader takes its scalars for text. */
function yamlItem(value: unknown): string {
  return stringify([value], { version: '1.1', lineWidth: 0 }).replace(/\n$/, '');
}

function problemOf({ code, message }: { code: string; message: string }): [problem: string, hint?: string] {
  switch (code) {
    case 'DUPLICATE_KEY':
      return ['a field stands twice in one record'];
    case 'MULTIPLE_DOCS':
      return ['a second document begins here', "put all records into one list, without '---' between them"];
    case 'RESOURCE_EXHAUSTION':
      return ['nested too deep'];
    default:
      return [lowerFirst(message)];
  }
}

function lowerFirst(message: string): string {
  return message.replace(/^./, (first) => first.toLowerCase());
}
