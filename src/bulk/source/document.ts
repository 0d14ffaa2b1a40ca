import { formatFromName } from './detect-format.ts';
import { type InputTextRequest, joinText, openInputText } from './input-text.ts';
import { parseJson } from './json-record.ts';
import { InputError } from './source.ts';

const START = { line: 1, column: 1 };

/**
 * The text of a JSON or YAML file that contains a single value, as opposed to a list of records.
 */
export interface DocumentText {
  readonly name: string;
  readonly format: 'json' | 'yaml';
  readonly text: string;
}

/**
 * Reads a JSON or YAML file.
 * @throws SvcError `usage` if the file does not exist, `local` if it cannot be read, `invalid_input` if
 * it is not text, or longer than a string can be
 */
export async function readDocumentText(request: InputTextRequest): Promise<DocumentText> {
  const { name, head, chunks } = await openInputText(request);
  const format = formatFromName(name) ?? (/^\s*[[{]/.test(head) ? 'json' : 'yaml');
  if (format !== 'json' && format !== 'yaml')
    throw new InputError(name, {}, `expected JSON or YAML, found ${format}`);
  return { name, format, text: await joinText(chunks, name) };
}

/**
 * Parses a JSON or YAML document. Rejects with the signal's reason if the signal is aborted.
 * @throws SvcError `invalid_input` if the document is not valid
 */
export async function parseDocument(
  { name, format, text }: DocumentText,
  signal: AbortSignal,
): Promise<unknown> {
  if (format === 'json') return parseJson(text, name, START);
  const { parseYaml } = await import('./yaml-text.ts');
  return parseYaml(text, name, signal);
}
