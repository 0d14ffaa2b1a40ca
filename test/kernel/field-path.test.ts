import { expect, it } from 'vitest';
import { formatFieldPath } from '../../src/kernel/field-path.ts';

it.each([
  [[], ''],
  [['users', 3, 'userId'], 'users[3].userId'],
  [[0, 'a'], '[0].a'],
  [['a', '0'], 'a.0'],
])('formats %j as %s', (path, text) => {
  expect(formatFieldPath(path)).toBe(text);
});
