import { SvcError } from '../../kernel/errors.ts';

/** `a=1,b="x,y"` as pairs in order. A value in double quotes may hold commas; a double quote in it is doubled. */
export function parsePairs(text: string, flag: string): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  let rest = text;
  while (rest !== '') {
    const match = /^([^=,"]+)=(?:"((?:[^"]|"")*)"|([^",]*))(?:,(?=.)|$)/s.exec(rest);
    if (!match) {
      throw new SvcError('usage', `--${flag}: '${text}' is not key=value,key=value`, {
        hint: 'a value with a comma goes in double quotes: id="a,b"',
      });
    }
    const [whole, key = '', quoted, plain = ''] = match;
    pairs.push([key.trim(), quoted?.replaceAll('""', '"') ?? plain]);
    rest = rest.slice(whole.length);
  }
  return pairs;
}

/** The key and the value of one `key=value`; the value is whatever follows the first equals sign. */
export function splitPair(text: string, flag: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new SvcError('usage', `--${flag}: '${text}' is not key=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}
