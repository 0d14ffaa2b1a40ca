import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confirmsAll } from '../../src/client/envelope.ts';
import { isObject } from '../../src/kernel/json.ts';
import { repeats } from '../repeats.ts';

const item = { success: true, id: '0123abcd', message: 'User added.' };
const envelope = (data: unknown, beside: object = {}) =>
  JSON.stringify({
    result: { status: 'success', message: 'User(s) processed successfully.', data, ...beside },
  });
const answerFor = (ids: readonly string[]) =>
  envelope(Object.fromEntries(ids.map((id) => [id, item])));

/** The reference implementation, which parses the response. */
function isConfirmed(answer: string, ids: readonly string[]): boolean {
  try {
    const { result, ...others } = JSON.parse(answer);
    const items: [string, unknown][] = Object.entries(result.data);
    return (
      result.status === 'success' &&
      Object.keys(others).length === 0 &&
      items.length === ids.length &&
      items.every(([id, value]) => ids.includes(id) && isObject(value) && value['success'] === true)
    );
  } catch {
    return false;
  }
}

describe('a response that confirms a batch', () => {
  it.each([
    ['one id', ['a'], answerFor(['a'])],
    ['several', ['a', 'b:c', 'd e', 'ü', '你'], answerFor(['a', 'b:c', 'd e', 'ü', '你'])],
    [
      'with spaces',
      ['a'],
      '{ "result" : {"data" : { "a": {"id": null, "success": true } }, "status": "success"} } ',
    ],
    [
      'with other fields',
      ['a'],
      envelope({ a: { ...item, at: 1731705121000, role: null, is: false } }, { more: 1 }),
    ],
    ['an id like a field', ['success', 'data'], answerFor(['success', 'data'])],
    [
      'an id like a prototype',
      ['__proto__'],
      '{"result":{"status":"success","data":{"__proto__":{"success":true}}}}',
    ],
  ])('is recognized: %s', (_, ids, answer) => {
    expect(isConfirmed(answer, ids)).toBe(true);
    expect(confirmsAll(answer, ids)).toBe(true);
  });

  it.each([
    ['an item that failed', envelope({ a: { success: false } })],
    ['a text for true', envelope({ a: { success: 'true' } })],
    ['a number for true', envelope({ a: { success: 1 } })],
    ['true with more letters', '{"result":{"status":"success","data":{"a":{"success":trueish}}}}'],
    [
      'true, then false',
      '{"result":{"status":"success","data":{"a":{"success":true,"success":false}}}}',
    ],
    ['success under a longer name', envelope({ a: { successful: true } })],
    ['success deeper down', envelope({ a: { item: { success: true } } })],
    ['nothing about it', envelope({ a: {} })],
    ['another id', envelope({ b: item })],
    ['one more id', envelope({ a: item, b: item })],
    ['no ids', envelope({})],
    [
      'an id twice',
      '{"result":{"status":"success","data":{"a":{"success":true},"a":{"success":false}}}}',
    ],
    ['data twice', '{"result":{"status":"success","data":{"a":{"success":true}},"data":{}}}'],
    ['no status', '{"result":{"data":{"a":{"success":true}}}}'],
    ['another status', '{"result":{"status":"failure","data":{"a":{"success":true}}}}'],
    [
      'an error beside it',
      '{"result":{"status":"success","data":{"a":{"success":true}}},"error":{}}',
    ],
    [
      'an error before it',
      '{"error":{},"result":{"status":"success","data":{"a":{"success":true}}}}',
    ],
    ['something behind it', `${answerFor(['a'])}x`],
    ['less than all of it', answerFor(['a']).slice(0, -1)],
    ['a comma too many', '{"result":{"status":"success","data":{"a":{"success":true,}}}}'],
    ['a comma missing', '{"result":{"status":"success","data":{"a":{"success":true"id":1}}}}'],
    ['a control character', answerFor(['a']).replace('added', 'add\u0001ed')],
    ['an invalid number', envelope({ a: { ...item, n: 1 } }).replace('"n":1', '"n":01')],
    ['a list', '[1]'],
    ['nothing', ''],
  ])('is not recognized: %s', (_, answer) => {
    expect(isConfirmed(answer, ['a'])).toBe(false);
    expect(confirmsAll(answer, ['a'])).toBe(false);
  });

  it('is not recognized if an ID contains a delimiter', () => {
    const answer = envelope({ a: item, b: item });
    expect(confirmsAll(answer, [`a":${JSON.stringify(item)},"b`])).toBe(false);
  });

  it('is never recognized unless parsing agrees, whatever the text', () => {
    const ids = fc.uniqueArray(
      fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('success', 'data', '1', '10')),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const piece = fc.oneof(
      fc.constantFrom(
        '"',
        '\\',
        '{',
        '}',
        ',',
        ':',
        ' ',
        'true',
        '"success":true',
        '\n',
        '1',
        '"a":{}',
      ),
      fc.string({ maxLength: 3 }),
    );
    let seen = 0;
    fc.assert(
      fc.property(
        ids,
        fc.array(fc.tuple(fc.nat(), fc.nat(6), piece), { maxLength: 2 }),
        (given, changes) => {
          let answer = answerFor(given);
          for (const [place, removed, inserted] of changes) {
            const at = place % (answer.length + 1);
            answer = answer.slice(0, at) + inserted + answer.slice(at + removed);
          }
          if (!confirmsAll(answer, given)) return;
          seen += 1;
          expect(isConfirmed(answer, given)).toBe(true);
        },
      ),
      { numRuns: repeats(750) },
    );
    expect(seen).toBeGreaterThan(repeats(75));
  });
});
