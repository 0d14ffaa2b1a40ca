import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOME } from '../acceptance/svc.ts';

const TOP_LEVEL = '(?:src|test|bin|docs|examples|scripts|completions|\\.ci)';

/** The paths of this project that a Markdown text names in backticks: `src/main.ts`, `src/kernel/`, `biome.json`. */
function pathsIn(markdown: string): string[] {
  const quoted = Array.from(markdown.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
  const isPath = new RegExp(`^(?:${TOP_LEVEL}(?:/[\\w.-]+)*/?|\\.?[\\w-]+(?:\\.[\\w-]+)*\\.(?:md|json|ts|cjs|js))$`);
  return [...new Set(quoted)].filter((code) => isPath.test(code));
}

describe('the paths in a document', () => {
  it('are those in backticks, and nothing else that is', () => {
    const text =
      'See `src/main.ts`, `src/kernel/`, `test`, `.ci/run`, `biome.json`, `.dependency-cruiser.cjs`, src/gone.ts, `users.add`, `-o json`, `a/b.ts`.';
    expect(pathsIn(text)).toEqual([
      'src/main.ts',
      'src/kernel/',
      'test',
      '.ci/run',
      'biome.json',
      '.dependency-cruiser.cjs',
    ]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names paths, and each of them exists', async () => {
    const paths = pathsIn(await readFile(join(HOME, 'ARCHITECTURE.md'), 'utf8'));
    expect(paths.length).toBeGreaterThan(8);
    expect(paths.filter((path) => !existsSync(join(HOME, path)))).toEqual([]);
  });
});
