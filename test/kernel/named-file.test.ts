import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { resolveOutputPath } from '../../src/kernel/named-file.ts';

it('resolveOutputPath treats NUL as the null device on Windows only', () => {
  for (const file of ['NUL', 'nul'])
    expect(resolveOutputPath(file, '/w', 'win32')).toBe('\\\\.\\NUL');
  expect(resolveOutputPath('null', '/w', 'win32')).toBe(resolve('/w', 'null'));
  expect(resolveOutputPath('NUL', '/w', 'linux')).toBe(resolve('/w', 'NUL'));
});
