import { SvcError } from '../kernel/errors.ts';

/** Parses the value of `--port`. @throws SvcError `usage` for anything but 0 to 65535 */
export function parsePort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new SvcError('usage', `--port must be a number from 0 to 65535, got '${text}'`);
}
