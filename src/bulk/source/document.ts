import { formatFromName } from './detect-format.ts';
import { type InputTextRequest, openInputText } from './input-text.ts';
import { parseJson } from './parse-json.ts';
import { InputError } from './source.ts';

const START = { line: 1, column: 1 };

/**
 * Reads a single JSON or YAML value, as opposed to a list of records.
 * @throws SvcError `usage` if the file does not exist, `local` if it cannot be read, `bad_data` if it is not JSON or YAML
 */
export async function readDocument(
  request: InputTextRequest,
): Promise<{ readonly name: string; readonly value: unknown }> {
  const { name, head, chunks } = await openInputText(request);
  const format = formatFromName(name) ?? (/^\s*[[{]/.test(head) ? 'json' : 'yaml');
  if (format !== 'json' && format !== 'yaml') throw new InputError(name, {}, `expected JSON or YAML, found ${format}`);
  const texts: string[] = [];
  for await (const chunk of chunks) texts.push(chunk);
  const text = texts.join('');
  if (format === 'json') return { name, value: parseJson(text, name, START) };
  const { parseYaml } = await import('./yaml-text.ts');
  return { name, value: parseYaml(text, name) };
}
