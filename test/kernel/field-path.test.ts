import { expect, it } from 'vitest';
import { fieldPath } from '../../src/kernel/field-path.ts';

it.each([
  [[], ''],
  [['users', 3, 'userId'], 'users[3].userId'],
  [[0, 'a'], '[0].a'],
  [['a', '0'], 'a.0'],
])('%j is %s', (path, text) => {
  expect(fieldPath(path)).toBe(text);
});
