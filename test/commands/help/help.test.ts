import type { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEVELOPER_SECTION, SECTIONS } from '../../../src/catalog/groups.ts';
import { outline } from '../../../src/catalog/outline.ts';
import { completeLine } from '../../../src/commands/completion/complete.ts';
import type { Node } from '../../../src/commands/definition.ts';
import { isListed } from '../../../src/commands/definition.ts';
import { GLOBAL_FLAGS, HELP_FLAG } from '../../../src/commands/global-flags.ts';
import type { HelpPage } from '../../../src/commands/help/blocks.ts';
import { helpForPath as createHelpForPath } from '../../../src/commands/help/command-help.ts';
import { printHelp } from '../../../src/commands/help/print-help.ts';
import { renderHelp } from '../../../src/commands/help/render-help.ts';
import { FIRST_COMMANDS, START_SCREEN } from '../../../src/commands/help/root-help.ts';
import { TOPIC_NAMES, type TopicName } from '../../../src/commands/help/topic-names.ts';
import { createTopicPage } from '../../../src/commands/help/topics.ts';
import { runCommandLine } from '../../../src/commands/line/command-line.ts';
import { createProgram } from '../../../src/commands/line/program.ts';
import { longName } from '../../../src/commands/options.ts';
import { aliasesOf, findByPath, findChild, SHORTCUTS } from '../../../src/commands/tree/aliases.ts';
import { createOutline, type ToolOutline } from '../../../src/commands/tree/create-outline.ts';
import { flagsOf, loadLeaf } from '../../../src/commands/tree/leaf.ts';
import { commandTree } from '../../../src/commands/tree/tree.ts';
import { SLOW } from '../../slow.ts';
import { fakeContext } from '../fake-context.ts';

const tree = commandTree();

/** Renders a page without a terminal. */
const textOf = (page: HelpPage) => renderHelp(page, { columns: undefined });
const topicText = (name: TopicName) => textOf(createTopicPage(name));
const helpForPath = async (path: readonly string[]) =>
  textOf((await createHelpForPath(path)) ?? []);
const TUNING = ['--batch-size', '--concurrency', '--rate', '--shard', '--max-errors', '--on-error'];

function* nodesBelow(node: Node): Generator<Node> {
  for (const child of node.children.values()) {
    yield child;
    yield* nodesBelow(child);
  }
}

/** Parses a command line with `--help`, and returns the command that it selects. */
async function parsedCommand(path: readonly string[]): Promise<Command> {
  const words = [...path, '--help'];
  const program = await createProgram({
    print: () => undefined,
    showHelp: () => undefined,
    openContext: () => {
      throw new Error('help opens no context');
    },
  });
  await program.parseAsync(words, { from: 'user' }).catch(() => undefined);
  return path.reduce<Command>(
    (command, word) => command.commands.find((each) => each.name() === word) ?? command,
    program,
  );
}

/** Returns the long names of all flags that have a row with an explanation in the help. */
async function listedFlags(path: readonly string[]): Promise<readonly string[]> {
  const page = (await createHelpForPath(path)) ?? [];
  const rows = page.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'rows' ? block.rows : [])),
  );
  return rows
    .filter(({ text }) => text !== '')
    .flatMap(({ term }) =>
      [term.replace('[no-]', ''), term.replace('[no-]', 'no-')].flatMap((each) =>
        Array.from(each.matchAll(/--([\w-]+)/g), ([, name = '']) => name),
      ),
    );
}

/** Splits a text into its sections by heading. */
function sectionsOf(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    text.split('\n\n').flatMap((part) => {
      const [title = '', ...lines] = part.split('\n');
      return title.endsWith(':') ? [[title, lines] as const] : [];
    }),
  );
}

describe('svc', () => {
  it.each([80, 60, 40])(
    'fits a terminal of %d columns and 24 lines, with the next prompt',
    async (columns) => {
      const context = await fakeContext();
      const stdout = { ...context.io.stdout, columns };
      await printHelp(START_SCREEN, { ...context, io: { ...context.io, stdout } });
      const lines = context.stdout().trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(23);
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
      expect(lines.includes('Commands:')).toBe(columns === 80);
    },
  );

  it('shows six commands that exist, with flags that exist', async () => {
    expect(FIRST_COMMANDS.length).toBe(6);
    for (const [line] of FIRST_COMMANDS) {
      const words = line.split(' ').slice(1);
      const command = findByPath(
        tree,
        words.filter((_, at) => !words.slice(0, at + 1).some((each) => each.startsWith('-'))),
      );
      expect(command?.leaf, line).toBeDefined();
      const known = `${await helpForPath(command?.path ?? [])}${topicText('flags')}`;
      expect(line.match(/--\S+/g)?.filter((flag) => !known.includes(`${flag} `)) ?? []).toEqual([]);
    }
  });

  it.each([[[]], [['--local']], [['-q', '-o', 'json']]])(
    'is printed for the line %j',
    async (words) => {
      const context = await fakeContext();
      await runCommandLine(words, context);
      expect(context.stdout()).toBe(textOf(START_SCREEN));
    },
  );

  it('and svc --help list every command once, in the same sections', async () => {
    const names = [...SECTIONS.values()].flat();
    const commands = [...tree.children.values()].filter(isListed);
    expect([...names].sort()).toEqual(commands.map(({ name }) => name).sort());
    const root = await helpForPath([]);
    const sections = sectionsOf(root);
    const start = sectionsOf(textOf(START_SCREEN)).get('Commands:') ?? [];
    for (const [at, [title, members]] of [...SECTIONS].entries()) {
      if (title === DEVELOPER_SECTION)
        expect(root).toContain(`\n${title}: ${members.join(', ')}\n`);
      else
        expect(sections.get(`${title}:`)?.map((line) => line.trim().split(' ')[0])).toEqual(
          members,
        );
      expect(start[at]?.trim().split(/ {2,}/)).toEqual([title, members.join(', ')]);
    }
  });
});

describe('svc <command> --help', () => {
  it('lists the tuning flags of each bulk command after all other flags', async () => {
    const helps = await Promise.all([...nodesBelow(tree)].map(({ path }) => helpForPath(path)));
    const bulk = helps.filter((help) => help?.includes('--max-errors'));
    expect(bulk.length).toBeGreaterThan(10);
    for (const help of bulk) {
      const sections = sectionsOf(help ?? '');
      const tuning = sections.get("Speed, errors, and sharding (see 'svc help bulk'):") ?? [];
      expect(tuning.map((line) => line.trim().split(' ')[0]).sort()).toEqual([...TUNING].sort());
      expect(sections.get('Flags:')?.join('\n')).toContain('--data <json>');
      expect(sections.get('Flags for records from files:')?.join('\n')).toContain('--file <path>');
    }
  });

  it('names required flags first and omits --api-version', async () => {
    for (const { path } of nodesBelow(tree)) {
      const help = (await helpForPath(path)) ?? '';
      expect(help).not.toContain('--api-version');
      const flags = sectionsOf(help).get('Flags:') ?? [];
      const required = flags.map((line) => /\(required\)|\(default: from /.test(line));
      expect(required, path.join(' ')).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
    }
  });

  it(
    'describes every flag that the parser accepts, and every flag of the operations',
    SLOW,
    async () => {
      const globals = [...GLOBAL_FLAGS, HELP_FLAG].map(({ flags }) => longName({ flags }));
      let checked = 0;
      for (const { path, leaf } of nodesBelow(tree)) {
        if (!leaf) continue;
        const command = await parsedCommand(path);
        const loaded = await loadLeaf(leaf);
        const hidden = flagsOf(loaded)
          .filter(({ isHidden }) => isHidden)
          .map(longName);
        const accepted = command.options.map(({ flags }) => longName({ flags }));
        const ofOperations =
          loaded.kind === 'operation'
            ? loaded.versions.flatMap(({ flags }) =>
                flags.map(({ name, kind }) => (kind === 'secret' ? `${name}-file` : name)),
              )
            : [];
        expect(accepted, path.join(' ')).toEqual(expect.arrayContaining(ofOperations));
        const listed = await listedFlags(path);
        for (const name of accepted)
          if (!globals.includes(name) && !hidden.includes(name)) {
            expect(listed, path.join(' ')).toContain(name);
            checked += 1;
          }
        for (const { description } of flagsOf(loaded)) expect(description).toMatch(/\S \S/);
      }
      expect(checked).toBeGreaterThan(400);
    },
  );

  it('accepts --api-version, which svc commands lists', async () => {
    const context = await fakeContext({ options: { output: 'json' } });
    await runCommandLine(['commands', '-o', 'json'], context);
    expect(context.stdout()).toContain('"--api-version"');
    await expect(
      runCommandLine(['users', 'add', '--api-version', 'v3'], context),
    ).rejects.toMatchObject({
      message: "--api-version must be one of v1, v2, got 'v3'",
    });
  });

  it('explains endpoints and config in three lines', async () => {
    const [, details = ''] = ((await helpForPath(['webhooks'])) ?? '').split('\n\n');
    expect(details.split('\n').length).toBe(3);
    expect(details).toMatch(
      /use endpoints \(advanced webhooks\)[\s\S]*use config \(basic webhooks\)/,
    );
    for (const line of details.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('the facts about a flag', () => {
  it('are derived from its definition', async () => {
    const rowsOf = async (...path: readonly string[]) => {
      const rows = sectionsOf(await helpForPath(path)).get('Flags:') ?? [];
      return rows.map((line) => line.trim().replace(/ {2,}/g, '  '));
    };
    expect(await rowsOf('webhooks', 'config', 'update')).toEqual(
      expect.arrayContaining([
        '--enable, --disable  enable or disable deliveries',
        '--[no-]encode-data  base64-encode the payload',
        '--trigger <key=true>  enable or disable an event: comment.add=true (repeatable)',
      ]),
    );
    const org = 'organization ID (default: from';
    expect((await rowsOf('users', 'add'))[0]).toBe(
      `--org <id>  ${org} the records, SVC_ORG, .svc.json, or the profile)`,
    );
    expect((await rowsOf('folders', 'list'))[0]).toBe(
      `--org <id>  ${org} SVC_ORG, .svc.json, or the profile)`,
    );
    expect(await rowsOf('auth-tokens', 'reset')).toContain(
      '--api-key <id>  ID of the API key (required)',
    );
    expect(await rowsOf('webhooks', 'snippet')).toContain(
      '--lang <language>  language of the code: node, python, go, ruby, php',
    );
  });
});

describe('the command tree', () => {
  it('lists the setup of webhooks first, and the configuration of basic webhooks last', () => {
    const names = [...(findByPath(tree, ['webhooks'])?.children.keys() ?? [])];
    expect([names[0], names.at(-1)]).toEqual(['setup', 'config']);
  });

  it('rejects a second command of one name, and keeps the commands of a group', () => {
    const tool = (...command: [string, ...string[]]) => ({
      command,
      summary: 'Do it',
      group: 'tools' as const,
    });
    const outlineOf = (...tools: readonly ToolOutline[]) => createOutline(outline, tools, []);
    expect(() => outlineOf(tool('deploy'), tool('deploy'))).toThrow(
      'two commands have the name svc deploy',
    );
    expect(() => outlineOf(tool('users', 'add'))).toThrow(
      'two commands have the name svc users add',
    );
    expect(() => commandTree(outlineOf(tool('commands')))).toThrow(
      'two commands have the name svc commands',
    );
    const both = commandTree(outlineOf(tool('deploy', 'now'), tool('deploy')));
    const deploy = both.children.get('deploy');
    expect(deploy?.leaf).toBeDefined();
    expect([...(deploy?.children.keys() ?? [])]).toEqual(['now']);
  });
});

describe('a command of earlier versions', () => {
  it.each([
    [['auth', 'status'], ['whoami']],
    [
      ['auth', 'recover'],
      ['auth-tokens', 'recover'],
    ],
  ])('%j still runs, and is in no list', async (old, current) => {
    expect(findByPath(tree, old)?.leaf).toBeDefined();
    expect(findByPath(tree, current)?.leaf).toBeDefined();
    const context = await fakeContext();
    await runCommandLine(['commands', '-o', 'json'], context);
    expect(context.stdout()).not.toContain(`"command": "${old.join(' ')}"`);
    expect(context.stdout()).toContain(`"command": "${current.join(' ')}"`);
    expect(await helpForPath([])).not.toMatch(/^ {2}auth /m);
    expect(await completeLine(['au'], { ...context, environment: {} })).not.toMatch(/^auth\t/m);
  });

  it('of whoami prints the same as whoami --all', async () => {
    const printed = async (...words: readonly string[]) => {
      const context = await fakeContext();
      await runCommandLine([...words, '-o', 'json', '--local'], context);
      return context.stdout();
    };
    expect(await printed('auth', 'status')).toBe(await printed('whoami', '--all'));
    expect(JSON.parse(await printed('whoami', '--all'))).toEqual(
      expect.arrayContaining([expect.objectContaining({ setting: 'baseUrl' })]),
    );
  });
});

describe('svc help', () => {
  it('topics lists every topic', () => {
    const listed = Array.from(topicText('topics').matchAll(/^ {2}(\S+) {2}/gm), ([, name]) => name);
    expect([...listed, 'topics']).toEqual(TOPIC_NAMES);
  });

  it('flags lists every global flag once', () => {
    const text = topicText('flags');
    for (const { flags } of GLOBAL_FLAGS) expect(text.split(`${flags} `).length, flags).toBe(2);
  });

  it('bulk explains every tuning flag', () => {
    for (const flag of TUNING) expect(topicText('bulk')).toMatch(new RegExp(`^ {2}${flag}`, 'm'));
  });
});

describe('aliases', () => {
  it('select the command that they stand for', () => {
    const pathOf = (...words: readonly string[]) => findByPath(tree, words)?.path.join(' ');
    expect(pathOf('user', 'add')).toBe('users add');
    expect(pathOf('orgs')).toBe('organizations');
    expect(pathOf('activity', 'add')).toBe('activities add');
    expect(pathOf('docs')).toBeUndefined();
    expect(pathOf('webhook', 'endpoints', 'ls')).toBe('webhooks endpoints list');
    expect(pathOf('login')).toBe('profiles add');
    expect(pathOf('trigger')).toBe('webhooks send');
    expect(pathOf('users', 'login')).toBeUndefined();
  });

  it('never hide a command, and shortcuts lead to commands', () => {
    for (const node of [tree, ...nodesBelow(tree)]) {
      const names = [...node.children.values()].flatMap((child) => [
        child.name,
        ...aliasesOf(child),
      ]);
      expect(new Set(names).size).toBe(names.length);
    }
    for (const [word, path] of SHORTCUTS) {
      expect(tree.children.has(word)).toBe(false);
      expect(findChild(tree, word)).toBe(findByPath(tree, path));
    }
  });

  it('are named in the help of the command', async () => {
    expect(await helpForPath(['login'])).toMatch(
      /^Usage:\n {2}svc profiles add .*\n\nAliases:\n {2}svc login$/m,
    );
  });
});

describe('styles of help', () => {
  it('are bold headings and dim notes, wrapped or not', () => {
    const rows = [{ term: '--a <n>', text: 'one', notes: ['(default: 1)', '(repeatable)'] }];
    const page: HelpPage = [
      { title: 'Wrapped heading of help', blocks: [{ kind: 'rows', rows, alignment: 'a' }] },
    ];
    const styled = (columns: number) =>
      renderHelp(page, { columns, isStyled: true }).replaceAll('\u001b', '^').split('\n');
    expect(styled(100)).toEqual([
      '^[1mWrapped heading of help:^[22m',
      '  --a <n>  one ^[2m(default: 1) (repeatable)^[22m',
      '',
    ]);
    expect(styled(20)).toEqual([
      '^[1mWrapped heading of^[22m',
      '^[1mhelp:^[22m',
      '  --a <n>',
      '    one ^[2m(default: 1)^[22m',
      '    ^[2m(repeatable)^[22m',
      '',
    ]);
  });

  it('add nothing but styles, at any width', SLOW, async () => {
    const helps = await Promise.all(
      [tree, ...nodesBelow(tree)].map(({ path }) => createHelpForPath(path)),
    );
    const pages = [START_SCREEN, ...TOPIC_NAMES.map(createTopicPage), ...helps].map(
      (page) => page ?? [],
    );
    fc.assert(
      fc.property(fc.constantFrom(...pages), fc.integer({ min: 20, max: 120 }), (page, columns) => {
        const styled = renderHelp(page, { columns, isStyled: true });
        const ends = (line: string) => line.split('\u001b[22m').length;
        const starts = (line: string) =>
          line.split('\u001b[1m').length + line.split('\u001b[2m').length - 1;
        expect(
          ['1', '2', '22'].reduce((rest, code) => rest.replaceAll(`\u001b[${code}m`, ''), styled),
        ).toBe(renderHelp(page, { columns }));
        for (const line of styled.split('\n')) expect(ends(line)).toBe(starts(line));
      }),
    );
  });
});
