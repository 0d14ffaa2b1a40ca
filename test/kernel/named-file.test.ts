import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { findNamedFile, resolveOutputPath } from '../../src/kernel/named-file.ts';

it('resolveOutputPath treats NUL as the null device on Windows only', () => {
  for (const file of ['NUL', 'nul'])
    expect(resolveOutputPath(file, '/w', 'win32')).toBe('\\\\.\\NUL');
  expect(resolveOutputPath('null', '/w', 'win32')).toBe(resolve('/w', 'null'));
  expect(resolveOutputPath('NUL', '/w', 'linux')).toBe(resolve('/w', 'NUL'));
});

it.each(['~/users.csv', '~ann/users.csv', '/w/~/users.csv'])(
  'findNamedFile says who expands the tilde of %s',
  async (file) => {
    await expect(findNamedFile(file, '/w')).rejects.toMatchObject({
      failure: 'usage',
      hint: expect.stringContaining('only the shell expands ~'),
    });
  },
);

it('findNamedFile suggests no file whose name is not UTF-8', async () => {
  await expect(findNamedFile('\ufffd.csv', '/w')).rejects.toMatchObject({
    failure: 'usage',
    hint: 'svc reads only names in UTF-8: rename the file',
  });
});
