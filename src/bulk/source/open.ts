import type { Remark } from '../finding.ts';
import type { ColumnMap } from './csv.ts';
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
  /** The fields of columns of a CSV file that are named otherwise. */
  readonly map?: ColumnMap;
}

export interface SourceRequest extends Layout {
  /** As messages call it. */
  readonly name: string;
  readonly format: InputFormat;
  readonly warn: (warning: Remark) => void;
}

/** The records of a text. The libraries of other formats are not loaded. */
export async function readSource(chunks: AsyncIterable<string>, request: SourceRequest): Promise<Source> {
  const { name, format, field, fields, idField, mints = false, map, warn } = request;
  const preamble = () => '';
  const known = { name, format };
  switch (format) {
    case 'json': {
      const { readJson } = await import('./json.ts');
      return { ...known, blocks: readJson(chunks, { name, field, warn }), preamble, withField };
    }
    case 'ndjson':
      return { ...known, blocks: (await import('./ndjson.ts')).readNdjson(chunks, name), preamble, withField };
    case 'yaml': {
      const { readYaml, withYamlField } = await import('./yaml.ts');
      return { ...known, blocks: readYaml(chunks, { name, field, warn }), preamble, withField: withYamlField };
    }
    case 'csv': {
      const reader = new (await import('./csv.ts')).CsvReader({ name, fields, idField, mints, ...(map && { map }) });
      return {
        ...known,
        blocks: reader.read(chunks),
        preamble: () => reader.header,
        withField: (record, _, id) => reader.withId(record, id),
      };
    }
  }
}
