/**
 * Describes why a text is not a valid HTTP header value, without repeating the text; `undefined` if
 * it is valid.
 */
export function findHeaderValueProblem(value: string): string | undefined {
  if (value.trim() === '') return 'it is empty';
  if (/[\r\n]/.test(value)) return 'it contains a line break';
  if (value.includes('\0')) return 'it contains a NUL character';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected
  if (/[\u0001-\u001f\u007f]/.test(value)) return 'it contains a control character';
  if (/[^\0-\u00ff]/.test(value)) return 'it contains a character outside Latin-1';
  return undefined;
}
