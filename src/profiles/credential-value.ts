import { findHeaderValueProblem } from '../client/credentials.ts';
import { SvcError } from '../kernel/errors.ts';
import { rememberSecret } from '../kernel/redact.ts';

/**
 * Strips trailing newlines.
 * @throws SvcError `usage`, naming the source, if the value is not valid in a header
 */
export function parseCredential(text: string, source: string): string {
  const value = text.replace(/(\r?\n)+$/, '');
  const problem = findHeaderValueProblem(value);
  if (problem) throw new SvcError('usage', `${source}: ${problem}`);
  return value;
}

export function parseSecret(text: string, source: string): string {
  return rememberSecret(parseCredential(rememberSecret(text), source));
}
