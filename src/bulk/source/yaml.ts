import {
  Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { runInSlices } from '../../kernel/run-in-slices.ts';
import { composeYaml, type YamlProblem } from './compose-yaml.ts';
import { ENVELOPE_FIELDS, ENVELOPE_LIST } from './json-layout.ts';
import { PlainScalar } from './plain-scalar.ts';
import type { ListRequest } from './record-layout.ts';
import {
  type BesideField,
  createUnreadableRecord,
  InputError,
  type Position,
  type ReadList,
  type SourceRecord,
} from './source.ts';
import {
  describeYamlError,
  findList,
  formatYamlItem,
  type ParsedYaml,
  RECORD_OPTIONS,
  readNode,
} from './yaml-text.ts';

/** A YAML parser takes 70 times as much memory as the text. */
const MAX_YAML_CHARACTERS = 8 * 1024 * 1024;
const MAX_RECORDS = 100_000;
/** Upper bounds on the values of all records, and on the characters that aliases repeat. */
const [MAX_VALUES, MAX_REPEATED_CHARACTERS] = [2_000_000, 16 * 1024 * 1024];

/**
 * Reads a YAML list, or the list under a field of a mapping. Preserves the text of scalars, such as
 * the IDs `0123`, `no`, and `1e5`: the field of a scalar determines its type. If some records are
 * invalid, the others are still read.
 * @throws SvcError `invalid_input` for invalid YAML, and for a text or a list that is too long
 */
export async function readYamlList(
  chunks: AsyncIterable<string>,
  request: ListRequest,
): Promise<ReadList> {
  const { name, listName, signal } = request;
  const text = await readText(chunks, request);
  const { parsed, errors } = await parseText(text, request);
  const { document, positionOf } = parsed;
  const found = findList(parsed, [listName, ENVELOPE_LIST]);
  const items = found?.list.items ?? [];
  const rangeOf = (item: unknown) => (isNode(item) ? item.range : undefined) ?? [0, 0];
  const [outside, inside] = splitErrors(errors, items.map(rangeOf));
  if (outside) throw createYamlError(outside, parsed, name);
  if (!found) {
    const hint = `begin each record with '- ', or put the list under '${listName}:'`;
    const position = positionOf(document.contents?.range?.[0]);
    throw new InputError(name, position, 'expected a list of records', hint);
  }
  if (items.length > MAX_RECORDS) throw createSizeError(request, text, '100,000 records');
  const records: SourceRecord[] = [];
  await runInSlices(readRecords(), signal);
  return {
    beside: readBeside(parsed, found.field),
    read: async function* () {
      if (records.length > 0) yield records;
    },
  };

  function* readRecords(): Generator<undefined> {
    const aliases = text.includes('*') ? linkAliases(document) : { characters: 0 };
    let values = 0;
    for (const [at, item] of items.entries()) {
      yield;
      const position = positionOf(rangeOf(item)[0]);
      try {
        const error = inside.get(at);
        if (error) throw createYamlError(error, parsed, name);
        const record = readNode(parsed, item, name);
        values += record.valueCount;
        records.push(new YamlRecord(record.value, position));
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        records.push(createUnreadableRecord('', position, error));
      }
      if (values > MAX_VALUES) throw createSizeError(request, text, '2 million values');
      if (aliases.characters > MAX_REPEATED_CHARACTERS)
        throw createSizeError(request, text, '16 MB of text that aliases repeat');
    }
  }
}

/**
 * Links each alias to its value. By default, an alias searches the whole document for its value.
 * @returns the number of characters that aliases have repeated so far
 */
function linkAliases(document: Document.Parsed): { readonly characters: number } {
  const repeated = { characters: 0 };
  const anchors = new Map<string, Scalar | YAMLMap | YAMLSeq>();
  const { resolve } = Alias.prototype;
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const found = anchors.get(node.source);
      const [start = 0, end = 0] = found?.range ?? [];
      node.resolve = (within, context) => {
        repeated.characters += end - start;
        if (repeated.characters > MAX_REPEATED_CHARACTERS) throw new ReferenceError('too many');
        if (context) context.aliasResolveCache = found ? [found] : [];
        return context ? resolve.call(node, within, context) : found;
      };
    },
  });
  return repeated;
}

async function parseText(text: string, { name, signal }: ListRequest) {
  const lines = new LineCounter();
  const { document, errors } = await composeYaml({ text, name, lines }, RECORD_OPTIONS, signal);
  const positionOf = (offset = 0): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const parsed: ParsedYaml = { document, positionOf };
  return { parsed, errors };
}

async function readText(chunks: AsyncIterable<string>, request: ListRequest): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length > MAX_YAML_CHARACTERS) throw createSizeError(request, parts.join(''), '8 MB');
  }
  return parts.join('');
}

/** Matches an unquoted number or boolean in Python. */
const PYTHON_SCALAR = '-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?|[Tt]rue|TRUE|[Ff]alse|FALSE';

/** Creates the error for a large file, with the commands that convert it to a format without limits. */
function createSizeError({ name, listName }: ListRequest, text: string, limit: string): InputError {
  const listField = [listName, ENVELOPE_LIST].find((field) =>
    new RegExp(`^["']?${field}["']? *:`, 'm').test(text),
  );
  const [from, to] =
    name === 'stdin'
      ? ['', 'records.ndjson']
      : [` ${quoteForShell(name)}`, quoteForShell(`${name.replace(/\.ya?ml$/i, '')}.ndjson`)];
  const [path, key] = listField ? [`.${listField}[]`, `["${listField}"]`] : ['.[]', ''];
  // Both commands merge maps, keep nulls, and keep values such as 0123, no, and 1e5 as text. Numbers become
  // text, because IDs must be text, except in nested objects.
  const python = `import json, re, sys, yaml; L = getattr(yaml, "CSafeLoader", yaml.SafeLoader); L.yaml_implicit_resolvers = {k: [r for r in v if r[0][18:] in ("null", "merge")] for k, v in L.yaml_implicit_resolvers.items()}; P = type("P", (str,), {}); L.add_constructor("tag:yaml.org,2002:str", lambda l, n: P(n.value) if not n.style and re.fullmatch("${PYTHON_SCALAR}", n.value) else n.value); L.add_constructor("tag:yaml.org,2002:map", lambda l, n: l.construct_mapping(n, True) if len({k.value for k, v in n.value}) == len(n.value) else sys.exit(f"a field occurs twice {n.start_mark}")); t = lambda v, d=1: {k: t(w, d - 1) for k, w in v.items()} if type(v) is dict else [t(w, d) for w in v] if type(v) is list else v if type(v) is not P or d == 0 and v[0] not in "tTfF" else json.loads(v.lower()); print(*[json.dumps(t(r)) for r in yaml.load(sys.stdin.buffer, L)${key}], sep="\\n")`;
  const yq = `explode(.) | ${path} | (.. | select(tag == "!!int" or tag == "!!float" or tag == "!!bool")) tag = "!!str"`;
  return new InputError(
    name,
    {},
    `YAML input is limited to ${limit}`,
    `convert it to NDJSON: python3 -c '${python}'${from && ` <${from}`} > ${to}, or with version 4 of yq: yq -o json -I 0 '${yq}'${from} > ${to}`,
  );
}

export { formatYamlItem };

export function withYamlField({ value }: SourceRecord, field: string, text: string): string {
  return formatYamlItem({ ...Object(value), [field]: text });
}

class YamlRecord implements SourceRecord {
  readonly value: unknown;
  readonly line: number;
  readonly column: number;

  constructor(value: unknown, { line, column }: Position) {
    this.value = value;
    this.line = line;
    this.column = column;
  }

  get text(): string {
    return formatYamlItem(this.value);
  }
}

/** Errors that leave the structure of a document intact. */
const ERRORS_OF_RECORDS = new Set<string>(['DUPLICATE_KEY', 'NON_STRING_KEY']);

/**
 * Returns the first error that concerns more than one record, and the first of each record.
 * @param errors errors in the order of the text
 */
function splitErrors(
  errors: readonly YamlProblem[],
  ranges: readonly (readonly [number, number, ...number[]])[],
): readonly [YamlProblem | undefined, ReadonlyMap<number, YamlProblem>] {
  const inside = new Map<number, YamlProblem>();
  let record = 0;
  for (const error of errors) {
    const [offset] = error.pos;
    while (record < ranges.length && (ranges[record]?.[1] ?? 0) <= offset) record += 1;
    const isInside = record < ranges.length && (ranges[record]?.[0] ?? 0) <= offset;
    if (!(isInside && ERRORS_OF_RECORDS.has(error.code))) return [error, inside];
    if (!inside.has(record)) inside.set(record, error);
  }
  return [undefined, inside];
}

function createYamlError(error: YamlProblem, parsed: ParsedYaml, name: string): InputError {
  const { contents } = parsed.document;
  const [offset] = error.pos;
  const position = parsed.positionOf(offset);
  if (error.code === 'DUPLICATE_KEY' && isMap(contents)) {
    const field = contents.items.find(({ key }) => isScalar(key) && key.range?.[0] === offset);
    if (isScalar(field?.key))
      return new InputError(name, position, `'${field.key.value}' occurs twice`);
  }
  if (error.code === 'UNEXPECTED_TOKEN' && isSeq(contents))
    return new InputError(
      name,
      position,
      "expected the next '- ', or the end",
      "indent the fields of a record with spaces, and put a value that begins with '-' in quotes",
    );
  return new InputError(name, position, ...describeYamlError(error));
}

function readBeside(
  { document, positionOf }: ParsedYaml,
  listField: string | undefined,
): readonly BesideField[] {
  const { contents } = document;
  if (!isMap(contents)) return [];
  const ignored = [listField, ...(listField === ENVELOPE_LIST ? ENVELOPE_FIELDS : [])];
  return contents.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : '';
    if (ignored.includes(name)) return [];
    const node = isAlias(value) ? value.resolve(document) : value;
    const scalar = isScalar(node) ? node.value : node;
    const position = positionOf(isScalar(key) ? key.range?.[0] : undefined);
    return [{ ...position, name, value: scalar instanceof PlainScalar ? scalar.text : scalar }];
  });
}
