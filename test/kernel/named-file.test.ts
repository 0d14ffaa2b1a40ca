import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { pathToWrite } from '../../src/kernel/named-file.ts';

it('NUL is nowhere on Windows, as /dev/null is elsewhere, and a file of that name on other systems', () => {
  for (const file of ['NUL', 'nul']) expect(pathToWrite(file, '/w', 'win32')).toBe('\\\\.\\NUL');
  expect(pathToWrite('null', '/w', 'win32')).toBe(resolve('/w', 'null'));
  expect(pathToWrite('NUL', '/w', 'linux')).toBe(resolve('/w', 'NUL'));
});
