import { globSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { findFreePorts, parseBlocks, runBlock } from './document-blocks.ts';
import { prepareFolder, runAsUser, startAsUser } from './documented.ts';
import { HOME } from './svc.ts';

/** Generated pages. Their commands are tested with the help examples. */
const GENERATED = ['docs/operations.md'];
const PAGES = globSync(['README.md', 'docs/*.md', 'packaging/*.md', 'skills/svc/SKILL.md'], {
  cwd: HOME,
})
  .filter((page) => !GENERATED.includes(page))
  .sort();

/** Returns the commands in the CI recipes of a page, from its `yaml` blocks. */
function parseRecipes(page: string): readonly string[] {
  const blocks = Array.from(page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm), ([, block = '']) =>
    parse(block),
  );
  return blocks.flatMap((block) => findCommands(block));
}

function findCommands(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    /^(run|script|before_script)$/.test(name) ? [inner].flat().map(String) : findCommands(inner),
  );
}

/** Starts a service for the page's profiles, with a second address. Its token and variables match the prepared folder. */
async function startPageService(
  folder: string,
): Promise<{ url: string; liveUrl: string; env: Readonly<Record<string, string>> }> {
  const running = startAsUser('exec svc serve --port 0 -o json', folder);
  await running.prints('\n');
  const { url, authToken, workspaceId, workspaceAuthToken } = JSON.parse(running.output());
  await writeFile(join(folder, 'token.txt'), `${authToken}\n`);
  const { port, hostname } = new URL(url);
  const forward = createServer((socket) => {
    const connection = connect(Number(port), hostname);
    socket.on('error', () => connection.destroy());
    connection.on('error', () => socket.destroy());
    socket.pipe(connection).pipe(socket);
  });
  return {
    url,
    liveUrl: `http://${await listen(forward)}`,
    env: { SVC_WORKSPACE_ID: workspaceId, SVC_WORKSPACE_AUTH_TOKEN: workspaceAuthToken },
  };
}

/** Reasons for skipped blocks, in the order of the pages. */
const SKIP_REASONS = [
  'needs a real service',
  'needs a real service',
  'needs a PostgreSQL server',
  'takes a while; another test covers it',
  'needs Docker; another test runs the steps',
  'needs an emulator; test/packaging/executable.test.ts runs it where one is installed',
  'needs Wine',
  'needs an SSH key; another test approves plans',
  'needs four machines',
];

describe('the commands in a document', () => {
  it('are parsed from sh blocks with their run mode or the reason to skip them', () => {
    const page = [
      [
        'a',
        '```sh',
        'svc x',
        '```',
        '<!-- not run: it waits -->',
        '```sh',
        'svc y',
        '```',
        '```json',
        '{}',
        '```',
      ],
      ['<!-- run: until stopped -->', '```sh', 'svc z', '```'],
      ['<!-- run: with its profile, answering "Sure?" with "y" -->', '```sh', 'svc a', '```', ''],
      ['<!-- run: the commands in the table -->', '| a | b |', '| c | `svc b --x` |', ''],
    ];
    expect(parseBlocks(page.flat().join('\n'))).toEqual([
      { line: 2, commands: 'svc x\n', way: { kind: 'plainly' }, direct: false },
      { line: 6, commands: 'svc y\n', way: { kind: 'not', reason: 'it waits' }, direct: false },
      { line: 13, commands: 'svc z\n', way: { kind: 'until stopped' }, direct: false },
      {
        line: 17,
        commands: 'svc a\n',
        way: { kind: 'answering', question: 'Sure?', answer: 'y' },
        direct: true,
      },
      { line: 22, commands: 'svc b --x\n', way: { kind: 'plainly' }, direct: false },
    ]);
    expect(() => parseBlocks('<!-- run: somehow -->\n```sh\nsvc x\n```\n')).toThrow('nobody knows');
  });

  it.each(PAGES)('%s: run in order in one folder', { ...SLOW, timeout: 120_000 }, async (page) => {
    const blocks = parseBlocks(await readFile(join(HOME, page), 'utf8')).filter(
      ({ way }) => way.kind !== 'not',
    );
    if (blocks.length === 0) return;
    const { folder, apiKey } = await prepareFolder();
    const ports = await findFreePorts();
    const service = blocks.some(({ direct }) => direct)
      ? await startPageService(folder)
      : undefined;
    const env = { PORT: String(ports[0]), ...service?.env };
    for (const block of blocks)
      await runBlock(block, {
        folder,
        apiKey,
        ports,
        url: service?.url,
        liveUrl: service?.liveUrl,
        env,
      });
  });

  it('are all run, with listed exceptions', async () => {
    const texts = await Promise.all(PAGES.map((page) => readFile(join(HOME, page), 'utf8')));
    const ways = texts.flatMap(parseBlocks).map(({ way }) => way);
    expect(ways.flatMap((way) => (way.kind === 'not' ? way.reason : []))).toEqual(SKIP_REASONS);
  });

  it('of the CI recipes in ci.md: run in order', { ...SLOW, timeout: 120_000 }, async () => {
    const commands = parseRecipes(await readFile(join(HOME, 'docs', 'ci.md'), 'utf8'));
    expect(commands.filter((command) => command.startsWith('svc ')).length).toBeGreaterThanOrEqual(
      9,
    );
    const { folder, apiKey } = await prepareFolder();
    await cp(join(HOME, 'examples', 'svc.yaml'), join(folder, 'svc.yaml'));
    const variables = `export SVC_API_KEY=${apiKey} GITHUB_OUTPUT=$PWD/output.txt GITHUB_REPOSITORY=acme/site NEW_TOKEN= HOOK_TOKEN=a-secret PR=1; touch output.txt`;
    for (const command of commands) {
      const { code, output } = await runAsUser(`${variables}\n${command}`, folder);
      expect({ command, code, output: code === 0 ? '' : output }).toEqual({
        command,
        code: 0,
        output: '',
      });
    }
  });
});
