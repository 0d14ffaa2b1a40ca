import { describe, expect, it } from 'vitest';
import { findIdProblem, quoteId, quoteUnclearId, suggestId } from '../../src/kernel/id-text.ts';

const ACCEPTED = [
  'acme',
  'Acme Ltd',
  'a/b#c?d=e&f',
  "l'été",
  'l’été',
  'Müller & Söhne',
  '株式会社',
  'शर्मा\u094d\u200dष', // A joiner inside a word.
  'نامه\u200cای', // A non-joiner inside a word.
  '👨\u200d👩\u200d👧',
  '☎\ufe0f hotline',
  '“quoted” and more',
];

/** IDs that svc refuses, with the ID that was probably meant and the text in a sentence. */
const REFUSED: readonly (readonly [id: string, meant: string | undefined, shown: string])[] = [
  ['acme ', 'acme', "'acme '"],
  [' acme', 'acme', "' acme'"],
  ['acme\n', 'acme', "'acme\\n'"],
  ['acme\r\n', 'acme', "'acme\\r\\n'"],
  ['\tacme', 'acme', "'\\tacme'"],
  ['ac\u0000me', 'acme', "'ac\\u0000me'"],
  ['acme\u00a0', 'acme', "'acme\\u00a0'"],
  ['Acme\u00a0Ltd', 'Acme Ltd', "'Acme\\u00a0Ltd'"],
  ['acme\u3000', 'acme', "'acme\\u3000'"],
  ['ac\u200bme', 'acme', "'ac\\u200bme'"],
  ['\u200cacme', 'acme', "'\\u200cacme'"],
  ['acme\u200d', 'acme', "'acme\\u200d'"],
  ['acme\u200e', 'acme', "'acme\\u200e'"],
  ['\u200facme', 'acme', "'\\u200facme'"],
  ['\u202eacme\u202c', 'acme', "'\\u202eacme\\u202c'"],
  ['ac\u2060me', 'acme', "'ac\\u2060me'"],
  ['\u2066acme\u2069', 'acme', "'\\u2066acme\\u2069'"],
  ['\ufeffacme', 'acme', "'\\ufeffacme'"],
  ['ac\u00adme', 'acme', "'ac\\u00adme'"],
  ['“acme”', 'acme', "'“acme”'"],
  ['„acme“', 'acme', "'„acme“'"],
  ['«acme»', 'acme', "'«acme»'"],
  ['‘acme’ ', 'acme', "'‘acme’ '"],
  [' ', undefined, "' '"],
  ['\u200b', undefined, "'\\u200b'"],
];

describe('IDs of targets', () => {
  it.each(ACCEPTED)('can be %s', (id) => {
    expect(findIdProblem(id)).toBeUndefined();
    expect(suggestId(id)).toBe(id);
    expect(quoteUnclearId(id)).toBe(id);
  });

  it.each(REFUSED)('cannot be %j', (id, meant, shown) => {
    expect(findIdProblem(id)).toContain(`got ${shown}`);
    expect(suggestId(id)).toBe(meant);
    expect(quoteId(id)).toBe(shown);
  });

  it('are quoted in sentences if they contain spaces, and in tables if that cannot be seen', () => {
    expect([quoteId('acme'), quoteUnclearId('acme')]).toEqual(['acme', 'acme']);
    expect([quoteId('Acme Ltd'), quoteUnclearId('Acme Ltd')]).toEqual(["'Acme Ltd'", 'Acme Ltd']);
    expect(quoteUnclearId('acme ')).toBe("'acme '");
    expect(quoteUnclearId('ac\u200bme')).toBe("'ac\\u200bme'");
  });
});
