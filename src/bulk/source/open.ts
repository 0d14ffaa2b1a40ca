import type { Remark } from '../finding.ts';
import { type FieldMap, renaming } from './field-map.ts';
import { withField } from './memory.ts';
import type { InputFormat, Source } from './record.ts';

/** What the records of an input look like, and how they are read. */
export interface Layout {
  /** The name of the array of records. */
  readonly field: string;
  /** The fields of a record that the service knows, and the one that is its id. */
  readonly fields: readonly string[];
  readonly idField: string;
  /** A record may come without its id. */
  readonly mints?: boolean;
  /** The fields of columns, or of records, that are named otherwise. */
  readonly map?: FieldMap;
}

export interface SourceRequest extends Layout {
  /** As messages call it. */
  readonly name: string;
  readonly format: InputFormat;
  readonly warn: (warning: Remark) => void;
}

/** The records of a text. The libraries of other formats are not loaded. */
export async function readSource(chunks: AsyncIterable<string>, request: SourceRequest): Promise<Source> {
  const { name, format, fields, idField, mints = false, map } = request;
  if (format !== 'csv') {
    const source = await recordsAsTheyStand(chunks, format, request);
    return map ? renaming(source, map) : source;
  }
  const reader = new (await import('./csv.ts')).CsvReader({ name, fields, idField, mints, ...(map && { map }) });
  return {
    ...{ name, format, isVerbatim: false },
    blocks: reader.read(chunks),
    preamble: () => reader.header,
    withField: (record, _, id) => reader.withId(record, id),
  };
}

async function recordsAsTheyStand(
  chunks: AsyncIterable<string>,
  format: Exclude<InputFormat, 'csv'>,
  { name, field, warn }: SourceRequest,
): Promise<Source> {
  const known = { name, format, isVerbatim: format !== 'yaml', preamble: () => '' };
  switch (format) {
    case 'json': {
      const { readJson } = await import('./json.ts');
      return { ...known, blocks: readJson(chunks, { name, field, warn }), withField };
    }
    case 'ndjson':
      return { ...known, blocks: (await import('./ndjson.ts')).readNdjson(chunks, name), withField };
    case 'yaml': {
      const { readYaml, withYamlField } = await import('./yaml.ts');
      return { ...known, blocks: readYaml(chunks, { name, field, warn }), withField: withYamlField };
    }
  }
}
