import {
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  stringify,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { losesDigits } from './json-text.ts';
import { InputError, type Place } from './record.ts';

/** Aliases that one record may follow: enough for shared defaults, too few to blow a small file up. */
const MOST_ALIASES = 100;

/** A parsed YAML text: its document, and the place of an offset in the input that it is a part of. */
export interface ParsedYaml {
  readonly document: YamlDocument;
  readonly placeOf: (offset?: number) => Place;
}

/**
 * Parses one document, that begins on a line of the input. Keys without a value are left out when every scalar is text.
 * @throws SvcError `bad_data` for what is no YAML
 */
export function parseYamlText(text: string, name: string, schema: 'failsafe' | 'core', line = 1): ParsedYaml {
  const lineCounter = new LineCounter();
  const placeOf = (offset = 0): Place => {
    const { line: within, col } = lineCounter.linePos(offset);
    return { line: line + within - 1, column: col };
  };
  const document = parseDocument(text, { schema, merge: true, lineCounter, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error) throw new InputError(name, placeOf(error.pos[0]), ...problemOf(error));
  if (schema === 'failsafe') dropEmptyValues(document);
  return { document, placeOf };
}

/** The list that a document is, or that it holds under a field. */
export function listIn({ document: { contents } }: ParsedYaml, field: string) {
  const value = isMap(contents) ? contents.get(field) : contents;
  return isSeq(value) ? value : undefined;
}

/** The value of a node and where it stands. @throws SvcError `bad_data` for aliases that are unknown or too many */
export function readNode({ document, placeOf }: ParsedYaml, node: unknown, name: string): Place & { value: unknown } {
  const place = placeOf(isNode(node) ? node.range?.[0] : undefined);
  try {
    return { ...place, value: isNode(node) ? node.toJS(document, { maxAliasCount: MOST_ALIASES }) : node };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const bomb = error.message.startsWith('Excessive');
    throw new InputError(
      name,
      place,
      bomb ? `more than ${MOST_ALIASES} aliases in one record` : lowerFirst(error.message),
    );
  }
}

/** Whether a node gives a name to itself or to something in it. */
export function hasAnchor(node: unknown): boolean {
  let found = false;
  if (isNode(node)) {
    visit(node, {
      Node: (_, inner: Node) => {
        found ||= 'anchor' in inner && inner.anchor !== undefined;
      },
    });
  }
  return found;
}

/**
 * The one value that a YAML text is. Its scalars have the types of YAML 1.2, unlike in a list of records.
 * @throws SvcError `bad_data` for what is no YAML, and for a whole number that would lose digits.
 */
export function parseYaml(text: string, name: string): unknown {
  const parsed = parseYamlText(text, name, 'core');
  const { document, placeOf } = parsed;
  visit(document, {
    Scalar: (_, { value, source = '', range }) => {
      if (typeof value !== 'number' || !losesDigits(source)) return;
      throw new InputError(name, placeOf(range?.[0]), `the number ${source} would lose digits`, 'put it in quotes');
    },
  });
  return readNode(parsed, document.contents, name).value;
}

/** A value as an item of a YAML list, quoted so that every reader takes its scalars for text. */
export function yamlItem(value: unknown): string {
  return stringify([value], { version: '1.1', lineWidth: 0 }).replace(/\n$/, '');
}

function dropEmptyValues(document: YamlDocument): void {
  visit(document, {
    Pair: (_, { value }) => {
      const empty = value === null || (isScalar(value) && value.type === 'PLAIN' && value.value === '');
      return empty ? visit.REMOVE : undefined;
    },
  });
}

function problemOf({ code, message }: { code: string; message: string }): [problem: string, hint?: string] {
  switch (code) {
    case 'DUPLICATE_KEY':
      return ['a field stands twice in one record'];
    case 'MULTIPLE_DOCS':
      return [SECOND_DOCUMENT, ONE_LIST];
    case 'RESOURCE_EXHAUSTION':
      return ['nested too deep'];
    default:
      return [lowerFirst(message)];
  }
}

export const SECOND_DOCUMENT = 'a second document begins here';
export const ONE_LIST = "put all records into one list, without '---' between them";

function lowerFirst(message: string): string {
  return message.replace(/^./, (first) => first.toLowerCase());
}
