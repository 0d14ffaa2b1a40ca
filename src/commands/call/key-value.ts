import { SvcError } from '../../kernel/errors.ts';

/** Parses `a=1,b="x,y"` into pairs. A quoted value may contain commas, and `""` for a double quote. */
export function parsePairs(text: string, flag: string): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^([^=,"]+)=(?:"((?:[^"]|"")*)"|([^",]*))(?:,(?=.)|$)/s.exec(rest);
    if (!match) {
      throw new SvcError('usage', `--${flag} must be key=value,key=value, got '${text}'`, {
        hint: 'quote a value that contains a comma: id="a,b"',
      });
    }
    const [whole, key = '', quoted, plain = ''] = match;
    pairs.push([key.trim(), quoted?.replaceAll('""', '"') ?? plain]);
    rest = rest.slice(whole.length);
  }
  return pairs;
}

export function splitPair(text: string, flag: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new SvcError('usage', `--${flag} must be key=value, got '${text}'`);
  return [text.slice(0, at), text.slice(at + 1)];
}
