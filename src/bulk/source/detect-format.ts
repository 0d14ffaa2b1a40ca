import { isObject, tryParseJson } from '../../kernel/json.ts';
import type { InputFormat } from './source.ts';

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

/**
 * Detects the format of a text from its start; `undefined` if it is ambiguous. Text that starts
 * with `{` is NDJSON if the first line is a complete object without the list of records, otherwise
 * JSON.
 */
export function detectFormat(head: string, field: string): InputFormat | undefined {
  const text = head.trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return undefined;
  const [firstLine = '', ...others] = text.split(/\r\n|\n|\r/, 2);
  const first = tryParseJson(firstLine);
  if (isObject(first)) return Array.isArray(first[field]) ? 'json' : 'ndjson';
  const cutInside = others.length === 0 && !firstLine.includes(`"${field}"`);
  return cutInside ? undefined : 'json';
}
