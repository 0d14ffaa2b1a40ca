import type { InputFormat } from '../../catalog/bulk-options.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { SEPARATORS, TABLE_LINE } from './csv-dialect.ts';
import { isEnvelopeHeader } from './csv-envelope.ts';
import { ENVELOPE_FIELDS } from './json-layout.ts';
import type { RecordLayout } from './record-layout.ts';

const EXTENSIONS: ReadonlyMap<string, InputFormat> = new Map([
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.csv', 'csv'],
  ['.tsv', 'csv'],
  ['.tab', 'csv'],
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
  ['.xlsx', 'xlsx'],
  ['.xlsm', 'xlsx'],
]);

export function formatFromName(path: string): InputFormat | undefined {
  return EXTENSIONS.get(/\.[^./\\]+$/.exec(path.toLowerCase().replace(/\.gz$/, ''))?.[0] ?? '');
}

type DetectedLayout = Pick<RecordLayout, 'listName' | 'id' | 'listed' | 'map'>;

/**
 * Detects the format of a text from its start; `undefined` if it is ambiguous. Text that starts
 * with `{` is NDJSON if the first line is a complete object without the list of records, otherwise
 * JSON. CSV has the column of the ID in its first line.
 */
export function detectFormat(head: string, layout: DetectedLayout): InputFormat | undefined {
  const text = head.trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{'))
    return isYaml(text, layout) ? 'yaml' : hasCsvHeader(text, layout) ? 'csv' : undefined;
  const { listName: field } = layout;
  const [firstLine = '', ...others] = text.split(/\r\n|\n|\r/, 2);
  const first = tryParseJson(firstLine);
  if (isObject(first)) return Array.isArray(first[field]) ? 'json' : 'ndjson';
  const cutInside = others.length === 0 && !firstLine.includes(`"${field}"`);
  return cutInside ? undefined : 'json';
}

/** Whether a text begins with an item of a YAML list, or with a list under its name. */
function isYaml(text: string, { listName }: DetectedLayout): boolean {
  const content = text.replace(/^(?:(?:#.*|%.*|---(?: .*)?)?(?:\r\n|\n|\r))+/, '');
  if (/^- +\S/.test(content)) return true;
  const [first = ''] = content.split(':', 1);
  return first === listName || (first === ENVELOPE_FIELDS[0] && /^data:/m.test(content));
}

/** Whether the first line of a text names the ID, between separators, or is that of a text table. */
function hasCsvHeader(text: string, { id, listed, map }: DetectedLayout): boolean {
  const [line = ''] = text.split(/[\r\n]/, 1);
  const ids = [id, listed?.id];
  if (TABLE_LINE.test(line)) return true;
  return [...SEPARATORS, '  '].some((separator) => {
    const columns = line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
    const fields = columns.map((column) => map?.names.get(column) ?? column);
    return isEnvelopeHeader(columns) || fields.some((field) => ids.includes(field));
  });
}
