import { SvcError } from '../kernel/errors.ts';

/** The port that `--port` names. @throws SvcError `usage` for what is none */
export function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new SvcError('usage', `--port: '${text}' is not a port`, { hint: 'give a number from 0 to 65535' });
}
