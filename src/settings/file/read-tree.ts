import {
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { composeYaml, TOO_DEEP } from '../../bulk/source/compose-yaml.ts';
import { describeYamlError, NOT_JSON, SELF_REFERENCE } from '../../bulk/source/yaml-text.ts';
import { MAX_NESTING } from '../../kernel/json-nesting.ts';
import { findNumberProblem } from '../../kernel/json-problem.ts';
import { yieldToEvents } from '../../kernel/run-in-slices.ts';
import { DOCUMENT_OPTIONS } from './render.ts';
import {
  type Field,
  type MapTree,
  type Place,
  type Problems,
  type ScalarTree,
  type SettingsText,
  type SourceText,
  type Tree,
  textOf,
} from './tree.ts';

/** Upper bound on the values that aliases repeat, which protects against YAML bombs. */
const MAX_REPEATED_VALUES = 100_000;

class ReadingEnded extends Error {}

/**
 * Parses the text of a settings file as one map. Scalars have the types of YAML 1.2. Rejects with the
 * signal's reason if the signal is aborted.
 * @returns `undefined` if the text cannot be read
 */
export async function readTree(
  request: SettingsText,
  problems: Problems,
  signal: AbortSignal,
): Promise<MapTree | undefined> {
  const { text } = request;
  const { source, errors } = await parseText(request, signal);
  await yieldToEvents(signal);
  // Errors after the first one are often its consequences.
  const [error] = errors;
  if (error) {
    const [problem] = error.code === 'MULTIPLE_DOCS' ? [SECOND_DOCUMENT] : describeYamlError(error);
    const isReference = text.startsWith('${', error.pos[0] - 1);
    problems.addAt(
      source,
      error.pos[0],
      isReference ? `${problem}; put a text with \${ in quotes` : problem,
    );
    return undefined;
  }
  const { contents } = source.document;
  const tree = contents && new TreeReader(source, problems).read(contents);
  if (tree?.kind === 'map') return tree;
  if (tree) problems.add(tree.place, 'expected fields such as endpoints and config');
  else if (!contents) problems.addAt(source, 0, NOTHING_DECLARED);
  return undefined;
}

const OPTIONS = {
  ...DOCUMENT_OPTIONS,
  merge: true,
  stringKeys: true,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

async function parseText(request: SettingsText, signal: AbortSignal) {
  const { name, text } = request;
  const lines = new LineCounter();
  const { document, errors } = await composeYaml({ text, name, lines }, OPTIONS, signal);
  const positionOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const source: SourceText = { ...request, document, positionOf };
  return { source, errors };
}

/** Whether a tag such as `!!set`, `!!omap`, `!!binary`, or `!!timestamp` gives a value a type that JSON lacks. */
function hasOtherType(node: Node): boolean {
  if (isScalar(node)) return typeof node.value === 'object' && node.value !== null;
  const { tag } = node as { readonly tag?: string };
  return /^tag:yaml\.org,2002:(?:set|omap|pairs)$/.test(tag ?? '');
}

const NOTHING_DECLARED = 'nothing is declared here; if that is intended, write {}';
const SECOND_DOCUMENT = 'a second document begins here; move it to a separate file';

class TreeReader {
  readonly #source: SourceText;
  readonly #problems: Problems;
  /** The values with anchors; `undefined` while a value is read. */
  readonly #anchored = new Map<
    string,
    { readonly tree: Tree; readonly size: number } | undefined
  >();
  /** Number of values read so far, including those that aliases repeat. */
  #size = 0;
  #repeated = 0;

  constructor(source: SourceText, problems: Problems) {
    this.#source = source;
    this.#problems = problems;
  }

  /** @returns `undefined` after a problem that ends the reading */
  read(node: Node): Tree | undefined {
    try {
      return this.#read(node, 0);
    } catch (error) {
      if (error instanceof ReadingEnded) return undefined;
      throw error;
    }
  }

  #read(node: Node, depth: number): Tree {
    const place = { source: this.#source, node };
    if (depth > MAX_NESTING) this.#end(place, TOO_DEEP);
    if (isAlias(node)) return this.#readAlias(node.source, place);
    const { anchor } = node as { readonly anchor?: string };
    if (anchor !== undefined) this.#anchored.set(anchor, undefined);
    const before = this.#size;
    const tree = this.#readValue(node, place, depth);
    this.#size += 1;
    if (anchor !== undefined) this.#anchored.set(anchor, { tree, size: this.#size - before });
    return tree;
  }

  #readValue(node: Node, place: Place, depth: number): Tree {
    if (hasOtherType(node)) this.#end(place, NOT_JSON);
    if (isMap(node)) return this.#readMap(node as YAMLMap<Node, Node | null>, place, depth);
    if (isScalar(node)) return this.#readScalar(node.value, place);
    const items = (node as YAMLSeq<Node>).items;
    return { kind: 'list', place, items: items.map((item) => this.#read(item, depth + 1)) };
  }

  #readAlias(name: string, place: Place): Tree {
    const anchored = this.#anchored.get(name);
    if (!anchored)
      this.#end(
        place,
        this.#anchored.has(name)
          ? SELF_REFERENCE
          : `the alias *${name} has no anchor &${name} before it`,
      );
    this.#size += anchored.size;
    this.#repeated += anchored.size;
    if (this.#repeated > MAX_REPEATED_VALUES) this.#end(place, 'aliases repeat too many values');
    return { ...anchored.tree, place };
  }

  #readMap({ items }: YAMLMap<Node, Node | null>, place: Place, depth: number): MapTree {
    const fields = new Map<string, Field>();
    const merged: Tree[] = [];
    for (const { key, value } of items as readonly Pair<Node, Node | null>[]) {
      const keyPlace = { source: this.#source, node: key };
      const tree: Tree = value
        ? this.#read(value, depth + 1)
        : { kind: 'scalar', place: keyPlace, value: null };
      const name = isScalar(key) ? key.value : undefined;
      if (name === '<<' && isScalar(key) && key.type === Scalar.PLAIN)
        merged.push(...(tree.kind === 'list' ? tree.items : [tree]));
      else if (typeof name !== 'string') this.#problems.add(keyPlace, 'a field name must be text');
      else if (name === '__proto__')
        this.#problems.add(keyPlace, 'a field cannot be named __proto__');
      else if (fields.has(name)) this.#problems.add(keyPlace, `the field '${name}' occurs twice`);
      else fields.set(name, { key: keyPlace, tree });
    }
    for (const tree of merged) {
      if (tree.kind !== 'map') this.#problems.add(tree.place, "only maps can be merged with '<<'");
      else for (const [name, field] of tree.fields) if (!fields.has(name)) fields.set(name, field);
    }
    return { kind: 'map', place, fields };
  }

  #readScalar(value: unknown, place: Place): ScalarTree {
    if (typeof value === 'number') {
      const source = textOf(place);
      const { problem } = findNumberProblem(source) ?? {};
      if (problem) this.#problems.add(place, `${problem}; put it in quotes`);
      else if (!Number.isFinite(value))
        this.#problems.add(place, `the number ${source} is not finite`);
    }
    return { kind: 'scalar', place, value: value as ScalarTree['value'] };
  }

  #end(place: Place, problem: string): never {
    this.#problems.add(place, problem);
    throw new ReadingEnded(problem);
  }
}
