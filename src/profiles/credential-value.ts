import { SvcError } from '../kernel/errors.ts';
import { headerValueFault } from '../kernel/header-value.ts';
import { meetSecret } from '../kernel/redact.ts';

/** A credential without its trailing newlines. @throws SvcError `usage`, naming the source, when no header can carry it */
export function credentialValue(text: string, source: string): string {
  const value = text.replace(/(\r?\n)+$/, '');
  const fault = headerValueFault(value);
  if (fault) throw new SvcError('usage', `${source}: ${fault}`);
  return value;
}

/** As `credentialValue`, for one that is a secret: whatever is said of it, its value is not. */
export function secretValue(text: string, source: string): string {
  return meetSecret(credentialValue(meetSecret(text), source));
}
