import {
  isMap,
  isNode,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type ScalarTag,
  stringify,
  type Tags,
  visit,
  type Document as YamlDocument,
} from 'yaml';
import { MOST_NESTING } from '../../kernel/json-nesting.ts';
import { numberProblem } from '../../kernel/json-problem.ts';
import { NOTHING, NUMBER, PlainScalar, SWITCH } from './plain-scalar.ts';
import { InputError, type Place } from './record.ts';

/** Aliases that one record may follow: enough for shared defaults, too few to blow a small file up. */
const MOST_ALIASES = 100;

/** A parsed YAML text: its document, and the place of an offset in the input that it is a part of. */
export interface ParsedYaml {
  readonly document: YamlDocument;
  readonly placeOf: (offset?: number) => Place;
}

/** Scalars without quotes that their fields make text, numbers, or true and false of. */
const PLAIN_SCALARS: readonly ScalarTag[] = [
  { tag: 'tag:yaml.org,2002:null', test: NOTHING, resolve: () => null },
  { tag: 'tag:yaml.org,2002:bool', test: SWITCH, resolve: (text: string) => new PlainScalar(text) },
  { tag: 'tag:yaml.org,2002:float', test: NUMBER, resolve: (text: string) => new PlainScalar(text) },
  { tag: 'tag:yaml.org,2002:int', test: NUMBER, resolve: (text: string) => new PlainScalar(text) },
].map((tag) => ({ default: true, ...tag }));

/**
 * Parses one document, that begins on a line of the input. Its scalars are those of records, of which `plainValue` says
 * what they are, or have the types of YAML 1.2. Keys are text.
 * @throws SvcError `bad_data` for what is no YAML
 */
export function parseYamlText(text: string, name: string, scalars: 'record' | 'typed', line = 1): ParsedYaml {
  const lineCounter = new LineCounter();
  const placeOf = (offset = 0): Place => {
    const { line: within, col } = lineCounter.linePos(offset);
    return { line: line + within - 1, column: col };
  };
  const schema = scalars === 'typed' ? 'core' : 'failsafe';
  const customTags = scalars === 'typed' ? {} : { customTags: [...PLAIN_SCALARS] };
  const how = { merge: true, stringKeys: true, lineCounter, prettyErrors: false, logLevel: 'error' } as const;
  const document = parseDocument(text, { schema, ...customTags, ...how });
  const [error] = document.errors;
  if (error) throw new InputError(name, placeOf(error.pos[0]), ...problemOf(error));
  return { document, placeOf };
}

/** The list that a document is, or that it holds under a field. */
export function listIn({ document: { contents } }: ParsedYaml, field: string) {
  const value = isMap(contents) ? contents.get(field) : contents;
  return isSeq(value) ? value : undefined;
}

/**
 * The value of a node and where it stands.
 * @throws SvcError `bad_data` for aliases that are unknown, too many or lead back to themselves, and for what nests too deep
 */
export function readNode({ document, placeOf }: ParsedYaml, node: unknown, name: string): Place & { value: unknown } {
  const place = placeOf(isNode(node) ? node.range?.[0] : undefined);
  const problem = (text: string) => new InputError(name, place, text);
  let value: unknown;
  try {
    value = isNode(node) ? node.toJS(document, { maxAliasCount: MOST_ALIASES }) : node;
  } catch (error) {
    // A merge of what it is part of has no end.
    if (error instanceof RangeError) throw problem(SELF_REFERENCE);
    if (!(error instanceof Error)) throw error;
    const isBomb = error instanceof ReferenceError && error.message.startsWith('Excessive');
    throw problem(isBomb ? `more than ${MOST_ALIASES} aliases in one record` : lowerFirst(error.message));
  }
  const endless = endlessness(value, []);
  if (endless !== undefined) throw problem(endless);
  return { ...place, value };
}

const SELF_REFERENCE = 'an alias refers to what it is part of';
const TOO_DEEP = `nested more than ${MOST_NESTING} levels deep`;

/** What is wrong with a value that could not be written out again: it has no end, or one too far down. */
function endlessness(value: unknown, around: readonly unknown[]): string | undefined {
  if (typeof value !== 'object' || value === null || value instanceof PlainScalar) return undefined;
  if (around.includes(value)) return SELF_REFERENCE;
  if (around.length === MOST_NESTING) return TOO_DEEP;
  for (const inner of Object.values(value)) {
    const found = endlessness(inner, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
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
  const parsed = parseYamlText(text, name, 'typed');
  const { document, placeOf } = parsed;
  visit(document, {
    Scalar: (_, { value, source = '', range }) => {
      if (typeof value !== 'number') return;
      const { problem, hint } = numberProblem(source) ?? notFinite(value, source) ?? {};
      if (problem !== undefined) throw new InputError(name, placeOf(range?.[0]), problem, hint);
    },
  });
  return readNode(parsed, document.contents, name).value;
}

/** Infinity and NaN are numbers to YAML, and null in JSON. */
function notFinite(value: number, source: string) {
  if (Number.isFinite(value)) return undefined;
  return { problem: `the number ${source} is none that JSON can hold`, hint: 'put it in quotes if it is text' };
}

const PLAIN: ScalarTag = {
  tag: '',
  default: true,
  identify: (value) => value instanceof PlainScalar,
  resolve: (text: string) => text,
  stringify: ({ value }) => (value instanceof PlainScalar ? value.text : String(value)),
};

/** A value as an item of a YAML list: text is quoted so that every reader takes it for text, plain scalars are as they were. */
export function yamlItem(value: unknown): string {
  const customTags = (tags: Tags): Tags => [PLAIN, ...tags];
  return stringify([value], { version: '1.1', lineWidth: 0, customTags }).replace(/\n$/, '');
}

function problemOf({ code, message }: { code: string; message: string }): [problem: string, hint?: string] {
  switch (code) {
    case 'DUPLICATE_KEY':
      return ['a field stands twice in one record'];
    case 'MULTIPLE_DOCS':
      return [SECOND_DOCUMENT, ONE_LIST];
    case 'NON_STRING_KEY':
      return ['the name of a field is no text'];
    case 'RESOURCE_EXHAUSTION':
      return [TOO_DEEP];
    default:
      return [lowerFirst(message)];
  }
}

export const SECOND_DOCUMENT = 'a second document begins here';
export const ONE_LIST = "put all records into one list, without '---' between them";

function lowerFirst(message: string): string {
  return message.replace(/^./, (first) => first.toLowerCase());
}
