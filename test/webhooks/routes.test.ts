import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTarget } from '../../src/webhooks/routes.ts';

const HERE = new URL('http://127.0.0.1:1/here');
const fits = (event: string, pattern: string) =>
  findTarget(event, [{ pattern, target: HERE }]) === HERE;

describe('a pattern', () => {
  it.each([
    ['comment.*', 'comment.add', true],
    ['comment.*', 'comment_annotation.add', false],
    ['comment*', 'comment_annotation.add', true],
    ['*', 'anything', true],
    ['*.add', 'comment.add', true],
    ['*.add', 'comment.added', false],
    ['a*b*c', 'a.b.b.c', true],
    ['a*b*c', 'a.c.b', false],
    ['a*a', 'a', false],
    ['comment.add', 'comment.add', true],
    ['comment.add', 'commentxadd', false],
    ['', 'x', false],
  ])('%s for %s: %s', (pattern, event, expected) => expect(fits(event, pattern)).toBe(expected));

  it('matches the same events as the equivalent regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 });
    fc.assert(
      fc.property(text, pattern, (event, given) => {
        const expression = new RegExp(`^${given.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
        expect(fits(event, given)).toBe(expression.test(event));
      }),
    );
  });

  it('is matched in linear time', () => {
    expect(fits('a'.repeat(100_000), `${'*a'.repeat(1000)}b`)).toBe(false);
  });
});

it('the first matching route wins, then the default target', () => {
  const [first, second, all] = ['a', 'b', 'c'].map((path) => new URL(`http://127.0.0.1/${path}`));
  const routes = [
    { pattern: 'comment.add', target: first as URL },
    { pattern: 'comment.*', target: second as URL },
  ];
  expect(findTarget('comment.add', routes, all)).toBe(first);
  expect(findTarget('comment.update', routes, all)).toBe(second);
  expect(findTarget('huddle.join', routes, all)).toBe(all);
  expect(findTarget('huddle.join', routes)).toBeUndefined();
});
