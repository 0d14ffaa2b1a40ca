import { parseJson } from './json-text.ts';
import { InputError } from './record.ts';
import { formatOfName } from './sniff.ts';
import { openText, type TextRequest } from './text.ts';

const START = { line: 1, column: 1 };

/**
 * The one value of an input that is no list of records: JSON, or YAML whose scalars have their types.
 * @throws SvcError `usage` when there is no such file, `local` when it cannot be read, `bad_data` when it is neither.
 */
export async function readDocument(request: TextRequest): Promise<{ readonly name: string; readonly value: unknown }> {
  const { name, head, chunks } = await openText(request);
  const format = formatOfName(name) ?? (/^\s*[[{]/.test(head) ? 'json' : 'yaml');
  if (format !== 'json' && format !== 'yaml') throw new InputError(name, {}, `it is ${format}, not JSON or YAML`);
  const texts: string[] = [];
  for await (const chunk of chunks) texts.push(chunk);
  const text = texts.join('');
  if (format === 'json') return { name, value: parseJson(text, name, START) };
  const { parseYaml } = await import('./yaml-text.ts');
  return { name, value: parseYaml(text, name) };
}
