import { isObject } from '../../kernel/is-object.ts';
import { jsonValue } from '../../kernel/json-value.ts';
import type { InputFormat } from './record.ts';

const EXTENSIONS: ReadonlyMap<string, InputFormat> = new Map([
  ['.json', 'json'],
  ['.ndjson', 'ndjson'],
  ['.jsonl', 'ndjson'],
  ['.csv', 'csv'],
  ['.yaml', 'yaml'],
  ['.yml', 'yaml'],
]);

/** The format that a file's name stands for, compressed or not. */
export function formatOfName(path: string): InputFormat | undefined {
  return EXTENSIONS.get(/\.[^./\\]+$/.exec(path.toLowerCase().replace(/\.gz$/, ''))?.[0] ?? '');
}

/**
 * The format of a text by how it begins, or `undefined` where that does not tell. `{` begins both forms of JSON: it is
 * NDJSON when the first line is a whole object that does not itself hold the list of records.
 */
export function formatOfText(head: string, field: string): InputFormat | undefined {
  const text = head.trimStart();
  if (text.startsWith('[')) return 'json';
  if (!text.startsWith('{')) return undefined;
  const [firstLine = '', ...others] = text.split(/\r\n|\n|\r/, 2);
  const first = jsonValue(firstLine);
  if (isObject(first)) return Array.isArray(first[field]) ? 'json' : 'ndjson';
  const cutInside = others.length === 0 && !firstLine.includes(`"${field}"`);
  return cutInside ? undefined : 'json';
}
