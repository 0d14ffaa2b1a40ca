import { withRenamedFields } from './field-map.ts';
import { withField } from './memory-source.ts';
import type { SourceRequest } from './record-layout.ts';
import type { InputFormat, Source } from './source.ts';

/** Reads the records of a text. Loads only the libraries of its format. */
export async function readSource(chunks: AsyncIterable<string>, request: SourceRequest): Promise<Source> {
  const { name, format, map } = request;
  if (format !== 'csv') {
    const source = await readWithNested(chunks, format, request);
    return map ? withRenamedFields(source, map) : source;
  }
  const reader = new (await import('./csv.ts')).CsvReader(request);
  return {
    ...{ name, format, isVerbatim: false },
    recordChunks: reader.read(chunks),
    preamble: () => reader.header,
    columns: () => reader.columns,
    withField: (record, _, id) => reader.withId(record, id),
  };
}

async function readWithNested(
  chunks: AsyncIterable<string>,
  format: Exclude<InputFormat, 'csv'>,
  request: SourceRequest,
): Promise<Source> {
  const source = await readByFormat(chunks, format, request);
  if (request.nestedField === undefined) return source;
  const { withNestedRecords } = await import('./nested-records.ts');
  const formatText = format === 'yaml' ? (await import('./yaml-text.ts')).formatYamlItem : JSON.stringify;
  return withNestedRecords(source, request.nestedField, formatText);
}

async function readByFormat(
  chunks: AsyncIterable<string>,
  format: Exclude<InputFormat, 'csv'>,
  request: SourceRequest,
): Promise<Source> {
  const { name } = request;
  const common = { name, format, isVerbatim: format !== 'yaml', preamble: () => '' };
  switch (format) {
    case 'json': {
      const { readJson } = await import('./json.ts');
      return { ...common, recordChunks: readJson(chunks, request), withField };
    }
    case 'ndjson':
      return { ...common, recordChunks: (await import('./ndjson.ts')).readNdjson(chunks, name), withField };
    case 'yaml': {
      const { readYaml, withYamlField } = await import('./yaml.ts');
      return { ...common, recordChunks: readYaml(chunks, request), withField: withYamlField };
    }
  }
}
