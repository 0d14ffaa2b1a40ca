import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { prepared, runAsUser } from './documented.ts';
import { HOME } from './svc.ts';

/** Pages that are generated: their commands are run with the examples of help. */
const GENERATED = ['docs/commands.md', 'docs/operations.md'];
const PAGES = ['README.md', ...globSync('docs/*.md', { cwd: HOME })].filter((page) => !GENERATED.includes(page)).sort();

interface Block {
  readonly line: number;
  readonly commands: string;
  /** Why it is not run: `<!-- not run: reason -->` on the line before it. */
  readonly reason: string | undefined;
}

/** The blocks of a page that are marked as `sh`. */
function blocksOf(page: string): readonly Block[] {
  return Array.from(page.matchAll(/^(?:<!-- not run: (.+) -->\n)?```sh\n([\s\S]*?)^```$/gm), (match) => ({
    line: page.slice(0, match.index).split('\n').length,
    reason: match[1],
    commands: match[2] ?? '',
  }));
}

/** The commands of the recipes of a page: what its blocks of `yaml` have a CI system run. */
function recipesOf(page: string): readonly string[] {
  const blocks = Array.from(page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm), ([, block = '']) => parse(block));
  return blocks.flatMap((block) => commandsIn(block));
}

function commandsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    /^(run|script|before_script)$/.test(name) ? [inner].flat().map(String) : commandsIn(inner),
  );
}

describe('the commands in a document', () => {
  it('are its blocks of sh, with the reason where they are not run', () => {
    const page = 'a\n```sh\nsvc x\n```\n<!-- not run: it waits -->\n```sh\nsvc y\n```\n```json\n{}\n```\n';
    expect(blocksOf(page)).toEqual([
      { line: 2, commands: 'svc x\n', reason: undefined },
      { line: 5, commands: 'svc y\n', reason: 'it waits' },
    ]);
  });

  it.each(PAGES)('%s: run one after the other, in one folder', { timeout: 120_000 }, async (page) => {
    const blocks = blocksOf(await readFile(join(HOME, page), 'utf8')).filter(({ reason }) => reason === undefined);
    if (blocks.length === 0) return;
    const { folder, apiKey } = await prepared();
    for (const { line, commands } of blocks) {
      const { code, talk } = await runAsUser(commands.replaceAll('--api-key K', `--api-key ${apiKey}`), folder);
      expect({ at: `${page}:${line}`, code, talk: code === 0 ? '' : talk }).toEqual({
        at: `${page}:${line}`,
        code: 0,
        talk: '',
      });
    }
  });

  it('of recipes for CI systems: run one after the other', { timeout: 120_000 }, async () => {
    const commands = recipesOf(await readFile(join(HOME, 'docs', 'ci.md'), 'utf8'));
    expect(commands.filter((command) => command.startsWith('svc ')).length).toBeGreaterThan(5);
    const { folder, apiKey } = await prepared();
    const variables = `export SVC_API_KEY=${apiKey} GITHUB_OUTPUT=output.txt GITHUB_REPOSITORY=acme/site NEW_TOKEN=; touch output.txt`;
    for (const command of commands) {
      const { code, talk } = await runAsUser(`${variables}\n${command}`, folder);
      expect({ command, code, talk: code === 0 ? '' : talk }).toEqual({ command, code: 0, talk: '' });
    }
  });
});
