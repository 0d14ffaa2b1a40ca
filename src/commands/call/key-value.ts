import { SvcError } from '../../kernel/errors.ts';

const PAIR = /([^=,"]+)=(?:"((?:[^"]|"")*)"|([^",]*))(?:,(?=.)|$)/gs;
export const PAIRS = new RegExp(`^(?:${PAIR.source})+$`, 's');

/**
 * Parses `a=1,b="x,y"` into pairs. A quoted value may contain commas, and `""` for a double quote.
 */
export function parsePairs(text: string, flag: string): readonly (readonly [string, string])[] {
  if (text !== '' && !PAIRS.test(text)) {
    throw new SvcError('usage', `--${flag} must be key=value,key=value, got '${text}'`, {
      hint: 'quote a value that contains a comma: id="a,b"',
    });
  }
  return Array.from(text.matchAll(PAIR), ([, key = '', quoted, plain = '']) => [
    key.trim(),
    quoted?.replaceAll('""', '"') ?? plain,
  ]);
}

export function splitPair(text: string, flag: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new SvcError('usage', `--${flag} must be key=value, got '${text}'`);
  return [text.slice(0, at), text.slice(at + 1)];
}
