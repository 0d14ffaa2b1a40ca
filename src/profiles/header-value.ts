import { SvcError } from '../kernel/errors.ts';
import { headerValueFault } from '../kernel/header-value.ts';

/** A credential without its trailing newlines. @throws SvcError `usage`, naming the source, when no header can carry it */
export function headerValue(text: string, source: string): string {
  const value = text.replace(/(\r?\n)+$/, '');
  const fault = headerValueFault(value);
  if (fault) throw new SvcError('usage', `${source}: ${fault}`);
  return value;
}
