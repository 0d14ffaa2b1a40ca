/** What makes a text unfit to travel in an HTTP header, in words that don't repeat it; `undefined` when it is fit. */
export function headerValueFault(value: string): string | undefined {
  if (value.trim() === '') return 'it is empty';
  if (/[\r\n]/.test(value)) return 'it holds more than one line';
  if (value.includes('\0')) return 'it holds a NUL character';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0001-\u001f\u007f]/.test(value)) return 'it holds a control character';
  if (/[^\0-\u00ff]/.test(value)) return 'it holds a character outside Latin-1';
  return undefined;
}
