import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isMap,
  isSeq,
  Lexer,
  type LineCounter,
  type ParsedNode,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  type YAMLError,
} from 'yaml';
import { keepHeapSmall } from '../../kernel/heap.ts';
import { MAX_NESTING } from '../../kernel/json-nesting.ts';
import { groupDigits } from '../../kernel/plural.ts';
import { runInSlices } from '../../kernel/run-in-slices.ts';
import { InputError } from './source.ts';

export interface YamlSource {
  readonly text: string;
  readonly name: string;
  /** The lines of the text, which the parser counts. */
  readonly lines: LineCounter;
}

type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** An error of a YAML text. `pos` is the range of offsets of what is wrong. */
export interface YamlProblem extends Pick<YAMLError, 'code' | 'message'> {
  readonly pos: readonly [number, number];
}

/** The only document of a YAML text, with its errors in the order of the text. */
export interface ComposedYaml {
  readonly document: Document.Parsed;
  readonly errors: readonly YamlProblem[];
}

/** A lexeme is about three characters long. */
const LEXEMES_PER_STEP = 1_000;
/** Length of a text, in characters, whose values are much of the memory of the process. */
const LONG_TEXT = 500_000;
/**
 * Upper bound on lexemes, each of which takes more than 100 bytes of memory. A comment, and a lexeme
 * that begins an item of a list, count as several.
 */
const MAX_LEXEMES = 3_800_000;
const ITEM_LEXEMES = 5;
const MAX_TEXT_CHARACTERS = 8 * 1024 * 1024;
/** Upper bound on the fields of a mapping, each of which is compared with all others. */
const MAX_FIELDS = 10_000;
/** Nesting at which parsing stops early: each open value takes memory, and the composer is recursive. */
const MAX_OPEN_VALUES = 1_000;

export const SECOND_DOCUMENT = 'a second document begins here';
const TOO_MANY_FIELDS = `a mapping has more than ${groupDigits(MAX_FIELDS)} fields`;
const LIST_HINT = "write the records as a list, each after '- '";
export const TOO_DEEP = `nested more than ${MAX_NESTING} levels deep`;

/**
 * Parses a text in slices of time. Rejects with the signal's reason if the signal is aborted.
 * @throws SvcError `invalid_input` for a text that would take too much memory, or is nested too deeply
 */
export async function composeYaml(
  source: YamlSource,
  options: YamlOptions,
  signal: AbortSignal | undefined,
): Promise<ComposedYaml> {
  if (source.text.length > LONG_TEXT) keepHeapSmall();
  const early = new EarlyItems(options);
  const tokens = await runInSlices(readTokens(source, early), signal);
  const { document, errors } = composeTokens(tokens, source.text.length, options);
  early.insertInto(document);
  const all = [...early.errors, ...errors];
  return { document, errors: all.toSorted((a, b) => a.pos[0] - b.pos[0]) };
}

/** Composes the only document of a text. */
export function composeTokens(
  tokens: Iterable<CST.Token>,
  length: number,
  options: YamlOptions,
): ComposedYaml {
  const [document, second] = new Composer(options).compose(tokens, true, length);
  if (!document) throw new TypeError('the YAML composer returned no document');
  if (!second) return { document, errors: document.errors };
  const [start, end] = second.range;
  const extra = { code: 'MULTIPLE_DOCS', message: SECOND_DOCUMENT, pos: [start, end] } as const;
  return { document, errors: [...document.errors, extra] };
}

function* readTokens(
  { text, name, lines }: YamlSource,
  early: EarlyItems,
): Generator<undefined, CST.Token[]> {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let [lexemes, weight, documents] = [0, 0, 0];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === 'document') documents += 1;
    }
    // A second document is an error.
    if (documents > 1) break;
    lexemes += 1;
    if (lexeme.length > MAX_TEXT_CHARACTERS) {
      const { line, col: column } = lines.linePos(parser.offset - lexeme.length);
      throw new InputError(
        name,
        { line, column },
        'the text is longer than 8 MB',
        'shorten it, or check for an unclosed quote',
      );
    }
    weight += isHeavy(lexeme) ? ITEM_LEXEMES : 1;
    if (weight > MAX_LEXEMES)
      throw new InputError(name, {}, 'the YAML has too many values', 'split it into several files');
    if (lexemes % LEXEMES_PER_STEP > 0) continue;
    const innermost = parser.stack.length > MAX_OPEN_VALUES ? parser.stack.at(-1) : undefined;
    const flood = innermost ?? parser.stack.find(hasTooManyFields);
    if (flood) {
      const { line, col: column } = lines.linePos(flood.offset);
      const problem = innermost ? TOO_DEEP : TOO_MANY_FIELDS;
      throw new InputError(name, { line, column }, problem, innermost ? undefined : LIST_HINT);
    }
    early.take(parser.stack, tokens);
    yield;
  }
  tokens.push(...parser.end());
  return tokens;
}

function isHeavy(lexeme: string): boolean {
  return lexeme === ',' || lexeme === '-' || lexeme[0] === '&' || lexeme[0] === '#';
}

function hasTooManyFields(token: CST.Token): boolean {
  const isMapping =
    token.type === 'block-map' || (token.type === 'flow-collection' && token.start.source === '{');
  return isMapping && token.items.length > MAX_FIELDS;
}

/** Number of items to compose at once. */
const ITEMS_PER_PART = 500;
/** The parser still changes the last items of a list. */
const UNFINISHED_ITEMS = 3;

/**
 * Composes the items of a list, or of the lists in a mapping, while the text is read. Their tokens take
 * several times the memory of the values, and are garbage afterward.
 */
class EarlyItems {
  readonly #options: YamlOptions;
  /** The items by the offset of their list. */
  readonly #lists = new Map<number, ParsedNode[]>();
  readonly errors: YamlProblem[] = [];

  constructor(options: YamlOptions) {
    this.#options = options;
  }

  /**
   * Takes complete items out of the list that is read.
   * @param stack the open tokens of the parser, the document first
   * @param before the tokens before the document
   */
  take([document, ...open]: readonly CST.Token[], before: readonly CST.Token[]): void {
    const list = open.slice(0, 2).find((token) => token.type === 'block-seq');
    if (document?.type !== 'document' || list?.type !== 'block-seq') return;
    if (list.items.length < ITEMS_PER_PART + UNFINISHED_ITEMS) return;
    const items = list.items.splice(0, list.items.length - UNFINISHED_ITEMS);
    const offset = items[0]?.start[0]?.offset ?? list.offset;
    const part: CST.Document = { ...document, value: { ...list, offset, items } };
    const directives = before.filter(({ type }) => type === 'directive');
    const composed = composeTokens([...directives, part], offset, this.#options);
    this.errors.push(...composed.errors);
    const { contents } = composed.document;
    const nodes = this.#lists.get(list.offset) ?? [];
    if (isSeq<ParsedNode>(contents)) nodes.push(...contents.items);
    this.#lists.set(list.offset, nodes);
  }

  /** Puts the items at the start of their lists. */
  insertInto({ contents }: Document.Parsed): void {
    const values = isMap(contents) ? contents.items.map(({ value }) => value) : [contents];
    for (const list of values) {
      if (!isSeq<ParsedNode>(list)) continue;
      const nodes = this.#lists.get(list.range?.[0] ?? -1);
      if (nodes) list.items = nodes.concat(list.items);
    }
  }
}
