import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyAssignments } from '../../../src/commands/webhooks/payload.ts';
import { formatFieldPath, valueAt } from '../../../src/kernel/field-path.ts';

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
    expect(applyAssignments(value, [assignment])).toEqual(expected);
    expect(JSON.stringify(value)).toBe(before);
  });

  it('applies several assignments in order', () => {
    expect(applyAssignments({}, ['a[0]=1', 'a[1]=2', 'a[0]=3'])).toEqual({ a: [3, 2] });
  });

  it.each([
    [{}, 'a', "--set must be key=value, got 'a'"],
    [{}, '=1', "--set must be key=value, got '=1'"],
    [{}, 'a..b=1', "--set: 'a..b' is not a valid path"],
    [{}, 'a[x]=1', "--set: 'a[x]' is not a valid path"],
    [{}, 'a[-1]=1', "--set: 'a[-1]' is not a valid path"],
    [{}, '.a=1', "--set: '.a' is not a valid path"],
    [{ a: 'text' }, 'a.b=1', '--set: a has no field \'b\': it is "text"'],
    [{ a: [1] }, 'a.b=1', "--set: a has no field 'b': it is [1]"],
    [{ a: { b: {} } }, 'a.b[0]=1', '--set: a.b has no item 0: it is {}'],
    [{ a: [1] }, 'a[5]=1', '--set: a has no item 5: it is [1]'],
    [7, 'a=1', "--set: the payload has no field 'a': it is 7"],
  ])('rejects %s for %j', (value, assignment, message) => {
    expect(() => applyAssignments(value, [assignment])).toThrow(message);
  });

  it('rejects a path with more levels than a payload can have', () => {
    for (const path of ['a.'.repeat(20_000).concat('b'), 'a'.concat('[0]'.repeat(20_000))])
      expect(() => applyAssignments({}, [`${path}=1`])).toThrow(
        '--set: a path can have up to 100 parts',
      );
    const deepest = Array.from({ length: 100 }, () => 'a').join('.');
    expect(JSON.stringify(applyAssignments({}, [`${deepest}=1`]))).toContain('"a":1}');
  });

  it('does not modify prototypes', () => {
    const made = applyAssignments({}, ['__proto__.polluted=1', 'constructor.prototype.polluted=1']);
    expect(Object.keys(made as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('sets any JSON value at any path', () => {
    const key = fc.oneof(fc.stringMatching(/^[a-z_]{1,6}$/), fc.constant(0));
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 5 }), fc.json(), (path, json) => {
        fc.pre(path[0] !== 0);
        const made = applyAssignments({}, [`${formatFieldPath(path)}=${json}`]);
        expect(JSON.stringify(valueAt(made, path))).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });
});
