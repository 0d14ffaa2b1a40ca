import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOME } from '../acceptance/svc.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { PHRASES } from './phrases.ts';
import { proseFaults } from './prose.ts';

async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await createTemporaryFolder();
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return folder;
}

const PLANTED = [
  {
    where: 'a page',
    file: 'docs/a.md',
    text: 'A job goes on where it was killed.',
    rule: 'phrase',
  },
  {
    where: 'a help text',
    file: 'src/a.ts',
    text: "const help = 'no talk on stderr but errors';",
    rule: 'phrase',
  },
  {
    where: 'a message',
    file: 'src/b.ts',
    text: 'const text = `users is no list of records`;',
    rule: 'phrase',
  },
  { where: 'a comment', file: 'src/c.ts', text: '// mended by the next run', rule: 'phrase' },
  { where: 'British spelling', file: 'README.md', text: 'The colour of a table.', rule: 'phrase' },
  {
    where: 'a doc comment',
    file: 'src/d.ts',
    text: '/** It is closed. */\nexport const d = 1;',
    rule: 'pronoun',
  },
  {
    where: 'a doc comment of several lines',
    file: 'src/e.ts',
    text: '/**\n * What is left.\n */',
    rule: 'pronoun',
  },
  {
    where: 'a hint that repeats its command',
    file: 'src/f.ts',
    text: "const found = hint`${step('list', 'jobs', 'list')} lists the jobs`;",
    rule: 'phrase',
  },
  {
    where: 'the name of a function',
    file: 'src/g.ts',
    text: 'function missingFileError(path: string): Error {',
    rule: 'error-name',
  },
] as const;

describe('the prose check', () => {
  it.each(PLANTED)('detects a fault in $where', async ({ file, text, rule }) => {
    const faults = proseFaults(await project({ [file]: text }));
    expect(faults).toContainEqual(expect.objectContaining({ file, line: 1, rule }));
  });

  it('detects a type name that two files share', async () => {
    const code = 'export interface Place {}';
    const within = await project({ 'src/client/a.ts': code, 'src/client/b.ts': code });
    const across = await project({ 'src/client/a.ts': code, 'src/service/b.ts': code });
    for (const folder of [within, across]) {
      expect(proseFaults(folder)).toEqual([
        expect.objectContaining({ rule: 'shared-name', line: 1 }),
      ]);
    }
  });

  it('detects a function name that two files of a layer share', async () => {
    const code = 'export async function readPlace() {}';
    const within = await project({ 'src/client/a.ts': code, 'src/client/sub/b.ts': code });
    const across = await project({ 'src/client/a.ts': code, 'src/service/b.ts': code });
    expect(proseFaults(within)).toEqual([
      expect.objectContaining({ file: 'src/client/sub/b.ts', rule: 'shared-name', line: 1 }),
    ]);
    expect(proseFaults(across)).toEqual([]);
  });

  it.each(['test/a.test.ts', 'pages/a.tsx', 'packaging/a.ts'])('reads %s', async (file) => {
    const faults = proseFaults(await project({ [file]: '// mended by the next run' }));
    expect(faults).toEqual([expect.objectContaining({ file, rule: 'phrase' })]);
  });

  it('ignores code and quoted output', async () => {
    const folder = await project({
      'src/a.ts': 'const goesOn = mend(away);',
      'docs/a.md': '```text\nsvc: it goes on where it was\n```\nUse `goes on where`.',
    });
    expect(proseFaults(folder)).toEqual([]);
  });

  it('has a replacement for each phrase', () => {
    for (const { instead } of PHRASES) expect(instead).not.toBe('');
  });

  it('finds no faults in this project', SLOW, () => {
    expect(proseFaults(HOME)).toEqual([]);
  });
});
