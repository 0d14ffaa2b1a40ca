import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, freePorts, runBlock } from './document-blocks.ts';
import { prepared, runAsUser, startAsUser } from './documented.ts';
import { HOME } from './svc.ts';

/** Pages that are generated: their commands are run with the examples of help. */
const GENERATED = ['docs/commands.md', 'docs/operations.md'];
const PAGES = globSync(['README.md', 'docs/*.md', 'packaging/*.md'], { cwd: HOME })
  .filter((page) => !GENERATED.includes(page))
  .sort();

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

/** A service that a page's profiles lead to, as its prepared folder's token and variables do. */
async function pageService(folder: string): Promise<{ url: string; env: Readonly<Record<string, string>> }> {
  const running = startAsUser('exec svc serve --port 0 -o json', folder);
  await running.says('\n');
  const { url, authToken, workspaceId, workspaceAuthToken } = JSON.parse(running.talk());
  await writeFile(join(folder, 'token.txt'), `${authToken}\n`);
  return { url, env: { SVC_WORKSPACE_ID: workspaceId, SVC_WORKSPACE_AUTH_TOKEN: workspaceAuthToken } };
}

/** Why blocks are not run, in the order of the pages. */
const NOT_RUN = [
  'it takes a server of PostgreSQL',
  'it takes a while, and has a test of its own',
  'it needs Docker; a test runs its steps',
  'it takes an emulator; where that is there, test/packaging/executable.test.ts does the same',
  'it takes wine',
  'it takes wine',
];

describe('the commands in a document', () => {
  it('are its blocks of sh, with how they are run, or the reason why they are not', () => {
    const page = [
      ['a', '```sh', 'svc x', '```', '<!-- not run: it waits -->', '```sh', 'svc y', '```', '```json', '{}', '```'],
      ['<!-- run: until stopped -->', '```sh', 'svc z', '```'],
      ['<!-- run: with its profile, answering "Sure?" with "y" -->', '```sh', 'svc a', '```', ''],
    ];
    expect(blocksOf(page.flat().join('\n'))).toEqual([
      { line: 2, commands: 'svc x\n', way: { kind: 'plainly' }, direct: false },
      { line: 6, commands: 'svc y\n', way: { kind: 'not', reason: 'it waits' }, direct: false },
      { line: 13, commands: 'svc z\n', way: { kind: 'until stopped' }, direct: false },
      { line: 17, commands: 'svc a\n', way: { kind: 'answering', question: 'Sure?', answer: 'y' }, direct: true },
    ]);
    expect(() => blocksOf('<!-- run: somehow -->\n```sh\nsvc x\n```\n')).toThrow('nobody knows');
  });

  it.each(PAGES)('%s: run one after the other, in one folder', { timeout: 120_000 }, async (page) => {
    const blocks = blocksOf(await readFile(join(HOME, page), 'utf8')).filter(({ way }) => way.kind !== 'not');
    if (blocks.length === 0) return;
    const { folder, apiKey } = await prepared();
    const ports = await freePorts();
    const service = blocks.some(({ direct }) => direct) ? await pageService(folder) : undefined;
    const env = { PORT: String(ports[0]), ...service?.env };
    for (const block of blocks) await runBlock(block, { folder, apiKey, ports, url: service?.url, env });
  });

  it('are all run, but for these', async () => {
    const texts = await Promise.all(PAGES.map((page) => readFile(join(HOME, page), 'utf8')));
    const ways = texts.flatMap(blocksOf).map(({ way }) => way);
    expect(ways.flatMap((way) => (way.kind === 'not' ? way.reason : []))).toEqual(NOT_RUN);
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
