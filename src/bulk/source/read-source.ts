import { withRenamedFields } from './field-map.ts';
import { withField } from './memory-source.ts';
import type { SourceRequest } from './record-layout.ts';
import type { Source } from './source.ts';

export async function readSource(
  chunks: AsyncIterable<string>,
  request: SourceRequest,
): Promise<Source> {
  const { format, map, listed } = request;
  let source = await readByFormat(chunks, request);
  if (format === 'csv') return source;
  if (listed?.nested !== undefined) {
    const { withNestedRecords } = await import('./nested-records.ts');
    const formatText =
      format === 'yaml' ? (await import('./yaml-text.ts')).formatYamlItem : JSON.stringify;
    source = withNestedRecords(source, listed.nested, formatText);
  }
  return map ? withRenamedFields(source, map) : source;
}

async function readByFormat(
  chunks: AsyncIterable<string>,
  request: SourceRequest,
): Promise<Source> {
  const { name, format } = request;
  const common = { name, format, isVerbatim: true, preamble: () => '', withField };
  switch (format) {
    case 'json':
      return { ...common, recordChunks: (await import('./json.ts')).readJson(chunks, request) };
    case 'ndjson':
      return { ...common, recordChunks: (await import('./ndjson.ts')).readNdjson(chunks, name) };
    case 'yaml': {
      const { readYaml, withYamlField } = await import('./yaml.ts');
      return {
        ...common,
        isVerbatim: false,
        recordChunks: readYaml(chunks, request),
        withField: withYamlField,
      };
    }
    case 'csv': {
      const reader = new (await import('./csv.ts')).CsvReader(request);
      return {
        name,
        format,
        isVerbatim: false,
        recordChunks: reader.read(chunks),
        preamble: () => reader.header,
        columns: () => reader.columns,
        withField: (record, _, id) => reader.withId(record, id),
      };
    }
  }
}
