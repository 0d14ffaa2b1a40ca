import { type Fields, isObject } from '../../kernel/json.ts';
import { once } from '../../kernel/once.ts';
import { withRenamedFields } from './field-map.ts';
import type { InputText } from './input-text.ts';
import type { JsonRequest } from './json.ts';
import { recognizeLayout } from './json-layout.ts';
import { withField } from './memory-source.ts';
import { PlainScalar } from './plain-scalar.ts';
import type { SourceRequest } from './record-layout.ts';
import { withSharedFields } from './shared-fields.ts';
import {
  type BesideField,
  InputError,
  type ReadList,
  type RecordChunk,
  type Source,
  type SourceRecord,
} from './source.ts';

type OpenText = () => Promise<InputText>;

/**
 * Creates a function that reads the records of a text from the beginning, each time that it is
 * called.
 */
export function createSourceReader(
  openText: OpenText,
  request: SourceRequest,
): () => Promise<Source> {
  if (request.format === 'csv') return async () => readCsv((await openText()).chunks, request);
  const openList = once(() => openRecordList(openText, request));
  return async () => createSource(await openList(), request);
}

async function readCsv(chunks: AsyncIterable<string>, request: SourceRequest): Promise<Source> {
  const reader = new (await import('./csv.ts')).CsvReader(request);
  return {
    name: request.name,
    format: request.format,
    isVerbatim: false,
    beside: [],
    recordChunks: reader.read(chunks),
    preamble: () => reader.header,
    columns: () => reader.columns,
    heading: (field) => reader.headingOf(field),
    emptyRows: () => reader.emptyRows,
    warnings: () => reader.warnings(),
    withField: (record, _, id) => reader.withId(record, id),
  };
}

async function openRecordList(openText: OpenText, request: SourceRequest): Promise<ReadList> {
  switch (request.format) {
    case 'yaml':
      return (await import('./yaml.ts')).readYamlList((await openText()).chunks, request);
    default:
      return openJsonList(openText, request);
  }
}

/** Returns a function that returns the given text first, and reopens it afterward. */
function reopenable(openText: OpenText, opened: InputText): OpenText {
  let first: InputText | undefined = opened;
  return async () => {
    const text = first ?? (await openText());
    first = undefined;
    return text;
  };
}

/**
 * Opens JSON, whose content decides whether it is a list or one record after the other. The fields
 * of an object may follow its list, so they are read first.
 */
async function openJsonList(openText: OpenText, given: SourceRequest): Promise<ReadList> {
  const opened = await openText();
  const layout = recognizeLayout(opened.head, given);
  const { name } = given;
  if (layout === 'lines') {
    const { readNdjson } = await import('./ndjson.ts');
    const text = reopenable(openText, opened);
    return {
      beside: [],
      read: async function* () {
        yield* readNdjson((await text()).chunks, name);
      },
    };
  }
  const { readJson } = await import('./json.ts');
  const request = { ...given, layout };
  const hasBeside = layout === 'list' && opened.head.trimStart().startsWith('{');
  const beside = hasBeside ? await findBesideFields(opened, request) : [];
  const text = hasBeside ? openText : reopenable(openText, opened);
  return {
    beside,
    read: async function* () {
      yield* readJson((await text()).chunks, request);
    },
  };
}

/**
 * Reads a text to its end, and returns the fields beside the list. Returns none if the JSON is
 * invalid, which the next reading reports.
 * @throws SvcError `invalid_input` if the bytes are not text
 */
async function findBesideFields(
  { chunks }: InputText,
  request: JsonRequest,
): Promise<readonly BesideField[]> {
  const { readBesideFields } = await import('./json.ts');
  const iterator = chunks[Symbol.asyncIterator]();
  let isText = true;
  const next = () =>
    iterator.next().catch((error: unknown) => {
      isText = false;
      throw error;
    });
  try {
    return await readBesideFields({ [Symbol.asyncIterator]: () => ({ next }) }, request);
  } catch (error) {
    if (!(error instanceof InputError) || !isText) throw error;
    while (!(await next()).done);
    return [];
  }
}

async function createSource({ beside, read }: ReadList, request: SourceRequest): Promise<Source> {
  const { name, format, map, listed, targetFields, bareIds, id } = request;
  const yaml = format === 'yaml' ? await import('./yaml.ts') : undefined;
  const formatText = yaml?.formatYamlItem ?? JSON.stringify;
  let source: Source = {
    name,
    format,
    isVerbatim: format !== 'yaml',
    beside: [],
    recordChunks: read(),
    preamble: () => '',
    withField: yaml?.withYamlField ?? withField,
  };
  if (listed?.nested !== undefined) {
    source = withNestedRecords(source, listed.nested, formatText);
  }
  const fieldOf = (name: string) => map?.fieldOf(name) ?? name;
  const isTarget = (name: string) => targetFields.some((target) => target.name === fieldOf(name));
  const shared = beside.flatMap(({ name, value }) =>
    isTarget(name) && typeof value === 'string' ? [[name, value] as const] : [],
  );
  if (shared.length > 0)
    source = withSharedFields(source, new Map(shared), {
      formatText,
      id: bareIds ? id : undefined,
    });
  if (map) source = withRenamedFields(source, map);
  const named = beside.map((field) => ({ ...field, name: fieldOf(field.name) }));
  return { ...source, beside: named.filter(({ name, value }) => name !== '' && value !== null) };
}

/**
 * Wraps a source and turns nested records, such as the subfolders in a folder, into separate
 * records. They follow their parent and have its position.
 * @param field field that contains a list of records
 * @param formatText formats a record in the source's format
 */
function withNestedRecords(
  source: Source,
  field: string,
  formatText: (value: Fields) => string,
): Source {
  function separate(record: SourceRecord): RecordChunk {
    if (!record.text.includes(field)) return [record];
    const value = readFields(record);
    const values = value ? separateValues(value, field) : [];
    if (values.length < 2) return [record];
    const { line, column } = record;
    return values.map((ownFields) => ({
      line,
      column,
      value: ownFields,
      text: formatText(ownFields),
    }));
  }
  async function* separateChunks(): AsyncGenerator<RecordChunk> {
    for await (const chunk of source.recordChunks) yield chunk.flatMap(separate);
  }
  return { ...source, recordChunks: separateChunks() };
}

function separateValues(value: Fields, field: string): readonly Fields[] {
  const { [field]: nested, ...ownFields } = value;
  if (!Array.isArray(nested) || !nested.every(isRecord)) return [value];
  return [ownFields, ...nested.flatMap((record) => separateValues(record, field))];
}

function readFields(record: SourceRecord): Fields | undefined {
  try {
    return isRecord(record.value) ? record.value : undefined;
  } catch (error) {
    // The check of the record reports the error.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

function isRecord(value: unknown): value is Fields {
  return isObject(value) && !(value instanceof PlainScalar);
}
