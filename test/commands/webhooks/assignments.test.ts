import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withAssignments } from '../../../src/commands/webhooks/assignments.ts';
import { fieldPath, valueAt } from '../../../src/kernel/field-path.ts';

describe('--set', () => {
  it.each([
    [{ a: 1 }, 'a=2', { a: 2 }],
    [{ a: 1 }, 'a=x=y', { a: 'x=y' }],
    [{ a: 1 }, 'a="2"', { a: '2' }],
    [{ a: 1 }, 'a=', { a: '' }],
    [{}, 'a.b.c=true', { a: { b: { c: true } } }],
    [{ a: null }, 'a.b=[1,{"c":2}]', { a: { b: [1, { c: 2 }] } }],
    [{ a: [{ b: 1 }, 2] }, 'a[0].b=null', { a: [{ b: null }, 2] }],
    [{ a: [1] }, 'a[1]=2', { a: [1, 2] }],
    [{}, 'a[0][0]=1', { a: [[1]] }],
    [[1, 2], '[1]=3', [1, 3]],
    [{}, 'comment-text_1=Hello there', { 'comment-text_1': 'Hello there' }],
  ])('%j with %s is %j', (value, assignment, expected) => {
    const before = JSON.stringify(value);
    expect(withAssignments(value, [assignment])).toEqual(expected);
    expect(JSON.stringify(value)).toBe(before);
  });

  it('takes several in order', () => {
    expect(withAssignments({}, ['a[0]=1', 'a[1]=2', 'a[0]=3'])).toEqual({ a: [3, 2] });
  });

  it.each([
    [{}, 'a', "--set: 'a' is not key=value"],
    [{}, '=1', "--set: '=1' is not key=value"],
    [{}, 'a..b=1', "--set: 'a..b' is no path"],
    [{}, 'a[x]=1', "--set: 'a[x]' is no path"],
    [{}, 'a[-1]=1', "--set: 'a[-1]' is no path"],
    [{}, '.a=1', "--set: '.a' is no path"],
    [{ a: 'text' }, 'a.b=1', '--set: a has no fields: it is "text"'],
    [{ a: [1] }, 'a.b=1', '--set: a has no fields: it is a list, whose items are written [0]'],
    [{ a: { b: {} } }, 'a.b[0]=1', '--set: a.b is no list: it is {}'],
    [{ a: [1] }, 'a[5]=1', '--set: a has 1 items, so there is no place 5'],
    [7, 'a=1', '--set: the payload has no fields: it is 7'],
  ])('refuses for %j %s', (value, assignment, message) => {
    expect(() => withAssignments(value, [assignment])).toThrow(message);
  });

  it('touches no prototype', () => {
    const made = withAssignments({}, ['__proto__.polluted=1', 'constructor.prototype.polluted=1']);
    expect(Object.keys(made as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('puts any JSON value at any path that it made', () => {
    const key = fc.oneof(fc.stringMatching(/^[a-z_]{1,6}$/), fc.constant(0));
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 5 }), fc.json(), (path, json) => {
        fc.pre(path[0] !== 0);
        const made = withAssignments({}, [`${fieldPath(path)}=${json}`]);
        expect(JSON.stringify(valueAt(made, path))).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });
});
