import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualPages } from '../../docs/generate/man.ts';
import { outline } from '../../src/catalog/outline.ts';
import { HOME } from '../acceptance/svc.ts';

const FOLDER = join(HOME, 'docs', 'man');

function lint(page: string): string {
  return spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], { input: page, encoding: 'utf8' })
    .stdout;
}

describe('the manual', () => {
  it('has a page for each command group and describes every operation', async () => {
    const pages = await manualPages();
    expect((await readdir(FOLDER)).sort()).toEqual([...pages.keys()].sort());
    const usages = [...pages.values()].join('\n').replaceAll('\\-', '-');
    expect(outline.filter(({ command }) => !usages.includes(`svc ${command.join(' ')}`))).toEqual(
      [],
    );
  });

  it.skipIf(spawnSync('mandoc', ['-V']).error)('passes the mandoc linter', async () => {
    expect(lint('.TH X 1\n.SH NAME\n.nonsense')).not.toBe('');
    for (const [name, page] of await manualPages()) expect(lint(page), name).toBe('');
  });
});
