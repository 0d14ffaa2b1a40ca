import { expect, it } from 'vitest';
import { formatNounCount } from '../../src/kernel/plural.ts';

it.each([
  [0, 'user', '0 users'],
  [1, 'delivery', '1 delivery'],
  [2, 'delivery', '2 deliveries'],
  [30, 'day', '30 days'],
  [1_234_567, 'activity', '1,234,567 activities'],
])('formats %i and %s', (count, noun, text) => {
  expect(formatNounCount(count, noun)).toBe(text);
});
