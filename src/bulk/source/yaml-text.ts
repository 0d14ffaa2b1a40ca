import {
  type Document,
  type DocumentOptions,
  isMap,
  isNode,
  isSeq,
  LineCounter,
  type ParseOptions,
  Parser,
  type ScalarTag,
  type SchemaOptions,
  stringify,
  type Tags,
  visit,
  type YAMLError,
} from 'yaml';
import { lowerFirst } from '../../kernel/first-letter.ts';
import { MAX_NESTING } from '../../kernel/json-nesting.ts';
import { findNumberProblem } from '../../kernel/json-problem.ts';
import {
  type ComposedYaml,
  composeTokens,
  composeYaml,
  SECOND_DOCUMENT,
  TOO_DEEP,
} from './compose-yaml.ts';
import { JSON_NUMBER, PlainScalar, YAML_BOOLEAN, YAML_NULL } from './plain-scalar.ts';
import { InputError, type Position } from './source.ts';

/**
 * Upper bound on alias expansion per record: enough for shared defaults, and safe against YAML
 * bombs.
 */
const MAX_ALIASES = 100;

/** A parsed YAML text. `positionOf` converts an offset in the text to a position in the input. */
export interface ParsedYaml {
  readonly document: Document.Parsed;
  positionOf(offset?: number): Position;
}

/** Tags for unquoted scalars. The field of a scalar determines its type. */
const PLAIN_SCALARS: readonly ScalarTag[] = [
  { tag: 'tag:yaml.org,2002:null', test: YAML_NULL, resolve: () => null },
  {
    tag: 'tag:yaml.org,2002:bool',
    test: YAML_BOOLEAN,
    resolve: (text: string) => new PlainScalar(text),
  },
  {
    tag: 'tag:yaml.org,2002:float',
    test: JSON_NUMBER,
    resolve: (text: string) => new PlainScalar(text),
  },
  {
    tag: 'tag:yaml.org,2002:int',
    test: JSON_NUMBER,
    resolve: (text: string) => new PlainScalar(text),
  },
].map((tag) => ({ default: true, ...tag }));

const COMMON_OPTIONS = {
  merge: true,
  stringKeys: true,
  prettyErrors: false,
  logLevel: 'error',
} as const;
const TYPED_OPTIONS = { ...COMMON_OPTIONS, schema: 'core' } as const;
export const RECORD_OPTIONS = {
  ...COMMON_OPTIONS,
  schema: 'failsafe',
  customTags: [...PLAIN_SCALARS],
} as const satisfies ParseOptions & DocumentOptions & SchemaOptions;

/**
 * Parses one document. With `record`, unquoted numbers and booleans become a `PlainScalar`; with `typed`,
 * they have the types of YAML 1.2. Keys are text.
 * @throws SvcError `invalid_input` for invalid YAML
 */
export function parseYamlText(text: string, name: string, scalars: 'record' | 'typed'): ParsedYaml {
  const lines = new LineCounter();
  const tokens = new Parser(lines.addNewLine).parse(text);
  const options = scalars === 'typed' ? TYPED_OPTIONS : RECORD_OPTIONS;
  return requireValid(composeTokens(tokens, text.length, options), name, lines);
}

function requireValid(
  { document, errors }: ComposedYaml,
  name: string,
  lines: LineCounter,
): ParsedYaml {
  const positionOf = (offset = 0): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const [error] = errors;
  if (error) throw new InputError(name, positionOf(error.pos[0]), ...describeYamlError(error));
  return { document, positionOf };
}

/**
 * Finds the list of records: the document itself, or the value of the first field that has a list.
 * @param fields the field that usually has the list, and others
 */
export function findList({ document: { contents } }: ParsedYaml, fields: readonly string[]) {
  if (isSeq(contents)) return { list: contents };
  if (!isMap(contents)) return undefined;
  for (const field of fields) {
    const list = contents.get(field);
    if (isSeq(list)) return { field, list };
  }
  return undefined;
}

/**
 * @throws SvcError `invalid_input` for unknown, circular, or too many aliases, and for excessive nesting
 */
export function readNode(
  { document, positionOf }: ParsedYaml,
  node: unknown,
  name: string,
): Position & { readonly value: unknown; readonly valueCount: number } {
  const position = positionOf(isNode(node) ? node.range?.[0] : undefined);
  const problem = (text: string, hint?: string) => new InputError(name, position, text, hint);
  let value: unknown;
  try {
    value = isNode(node) ? node.toJS(document, { maxAliasCount: MAX_ALIASES }) : node;
  } catch (error) {
    // A circular merge overflows the stack.
    if (error instanceof RangeError) throw problem(SELF_REFERENCE);
    if (!(error instanceof Error)) throw error;
    const isBomb = error instanceof ReferenceError && error.message.startsWith('Excessive');
    if (isBomb) throw problem(`more than ${MAX_ALIASES} aliases in one record`);
    const isAlias = error.message.startsWith('Unresolved alias');
    const hint = isAlias ? "put a value that begins with '*' in quotes" : undefined;
    throw problem(lowerFirst(error.message), hint);
  }
  return { ...position, value, valueCount: countValues(value, [], problem) };
}

export const NOT_JSON = 'JSON cannot represent a value with a tag such as !!set or !!binary';
export const SELF_REFERENCE = 'an alias refers to a value that contains it';

/** Types of `!!omap`, `!!set`, `!!binary`, and `!!timestamp`. */
const TAGGED_TYPES = [Map, Set, Uint8Array, Date];

/** Counts values. @throws the problem of a value that is circular, or nested too deeply */
function countValues(
  value: unknown,
  parents: readonly unknown[],
  problem: (text: string) => InputError,
): number {
  if (typeof value !== 'object' || value === null || value instanceof PlainScalar) return 1;
  if (TAGGED_TYPES.some((type) => value instanceof type)) throw problem(NOT_JSON);
  if (parents.includes(value)) throw problem(SELF_REFERENCE);
  if (parents.length === MAX_NESTING) throw problem(TOO_DEEP);
  const path = [...parents, value];
  return Object.values(value).reduce<number>(
    (count, inner) => count + countValues(inner, path, problem),
    1,
  );
}

/** Parses a long text like `parseYamlText`, in slices of time. */
export async function parseTypedYaml(
  text: string,
  name: string,
  signal: AbortSignal,
): Promise<ParsedYaml> {
  const lines = new LineCounter();
  return requireValid(await composeYaml({ text, name, lines }, TYPED_OPTIONS, signal), name, lines);
}

/**
 * Parses a YAML text as a single value. Its scalars have the types of YAML 1.2, unlike in a list of
 * records. Rejects with the signal's reason if the signal is aborted.
 * @throws SvcError `invalid_input` for invalid YAML, and for a whole number that would lose digits
 */
export async function parseYaml(text: string, name: string, signal: AbortSignal): Promise<unknown> {
  const parsed = await parseTypedYaml(text, name, signal);
  const { document, positionOf } = parsed;
  visit(document, {
    Scalar: (_, { value, source = '', range }) => {
      if (typeof value !== 'number') return;
      const { problem, hint } = findNumberProblem(source) ?? describeNonFinite(value, source) ?? {};
      if (problem !== undefined) throw new InputError(name, positionOf(range?.[0]), problem, hint);
    },
  });
  return readNode(parsed, document.contents, name).value;
}

/** Reports Infinity and NaN, which JSON cannot represent. */
function describeNonFinite(value: number, source: string) {
  if (Number.isFinite(value)) return undefined;
  return {
    problem: `JSON cannot represent the number ${source}`,
    hint: 'put it in quotes if it is text',
  };
}

const PLAIN: ScalarTag = {
  tag: '',
  default: true,
  identify: (value) => value instanceof PlainScalar,
  resolve: (text: string) => text,
  stringify: ({ value }) => (value instanceof PlainScalar ? value.text : String(value)),
};

/**
 * Formats a YAML list item. Quotes text that other YAML readers could parse as another type; keeps
 * plain scalars.
 */
export function formatYamlItem(value: unknown): string {
  const customTags = (tags: Tags): Tags => [PLAIN, ...tags];
  return stringify([value], { version: '1.1', lineWidth: 0, customTags }).replace(/\n$/, '');
}

export function describeYamlError({
  code,
  message,
}: Pick<YAMLError, 'code' | 'message'>): [problem: string, hint?: string] {
  switch (code) {
    case 'DUPLICATE_KEY':
      return ['a field occurs twice in one record'];
    case 'MULTIPLE_DOCS':
      return [SECOND_DOCUMENT, ONE_LIST_HINT];
    case 'NON_STRING_KEY':
      return ['a field name must be text', "put a value that begins with '{' or '[' in quotes"];
    case 'BLOCK_AS_IMPLICIT_KEY':
      return [
        lowerFirst(message),
        "align the fields of a record, and put a value that contains ': ' in quotes",
      ];
    case 'BAD_SCALAR_START':
      return [lowerFirst(message), 'put the value in quotes'];
    case 'TAB_AS_INDENT':
      return [lowerFirst(message), 'indent with spaces'];
    case 'MISSING_CHAR':
      return message.startsWith('Missing closing')
        ? ['the quote is not closed']
        : [lowerFirst(message), 'put a space after the colon of a field'];
    case 'RESOURCE_EXHAUSTION':
      return [TOO_DEEP];
    default:
      return [lowerFirst(message)];
  }
}

const ONE_LIST_HINT = "put all records into one list, without '---' between them";
