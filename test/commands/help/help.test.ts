import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECTIONS } from '../../../src/catalog/groups.ts';
import type { Node } from '../../../src/commands/definition.ts';
import { GLOBAL_FLAGS } from '../../../src/commands/global-flags.ts';
import { helpForPath } from '../../../src/commands/help/command-help.ts';
import { printHelp, reflow, styleHelp } from '../../../src/commands/help/print-help.ts';

import {
  FIRST_COMMANDS,
  NARROW_START_SCREEN,
  START_SCREEN,
} from '../../../src/commands/help/root-help.ts';

import { TOPIC_NAMES } from '../../../src/commands/help/topic-names.ts';
import { topicText } from '../../../src/commands/help/topics.ts';
import { runCommandLine } from '../../../src/commands/line/command-line.ts';
import { aliasesOf, findByPath, findChild, SHORTCUTS } from '../../../src/commands/tree/aliases.ts';
import { commandTree } from '../../../src/commands/tree/tree.ts';
import { fakeContext } from '../fake-context.ts';

const tree = commandTree();
const TUNING = ['--batch-size', '--concurrency', '--rate', '--shard', '--max-errors', '--on-error'];

function* nodesBelow(node: Node): Generator<Node> {
  for (const child of node.children.values()) {
    yield child;
    yield* nodesBelow(child);
  }
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
  it.each([
    { columns: 80, text: START_SCREEN },
    { columns: 60, text: NARROW_START_SCREEN },
    { columns: 40, text: NARROW_START_SCREEN },
  ])(
    'fits a terminal of $columns columns and 24 lines, with the next prompt',
    async ({ columns, text }) => {
      const context = await fakeContext();
      const stdout = { ...context.io.stdout, columns };
      await printHelp(START_SCREEN, { ...context, io: { ...context.io, stdout } });
      const lines = context.stdout().trimEnd().split('\n');
      expect(lines).toEqual(reflow(text, columns).trimEnd().split('\n'));
      expect(lines.length).toBeLessThanOrEqual(23);
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
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
      expect(context.stdout()).toBe(START_SCREEN);
    },
  );

  it('and svc --help list every command once, in the same sections', async () => {
    const names = [...SECTIONS.values()].flat();
    const commands = [...tree.children.values()].filter(
      ({ leaf, children }) => leaf || children.size > 0,
    );
    expect([...names].sort()).toEqual(commands.map(({ name }) => name).sort());
    const sections = sectionsOf((await helpForPath([])) ?? '');
    const start = sectionsOf(START_SCREEN).get('Commands:') ?? [];
    for (const [at, [title, members]] of [...SECTIONS].entries()) {
      expect(sections.get(`${title}:`)?.map((line) => line.trim().split(' ')[0])).toEqual(members);
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
      expect(sections.get('Flags:')?.join('\n')).toMatch(/--file <path>[\s\S]*--data <json>/);
    }
  });

  it('names required flags first and omits --api-version', async () => {
    for (const { path } of nodesBelow(tree)) {
      const help = (await helpForPath(path)) ?? '';
      expect(help).not.toContain('--api-version');
      const flags = sectionsOf(help).get('Flags:') ?? [];
      const required = flags.map((line) => line.endsWith('(required)'));
      expect(required, path.join(' ')).toEqual([...required].sort((a, b) => Number(b) - Number(a)));
    }
  });

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
    expect(reflow(details, 80)).toBe(details);
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
  it('are bold headings and dim defaults, wrapped or not', () => {
    const help = [
      'Wrapped text:',
      'no heading.',
      '',
      'Flags:',
      '  --a <n>  one',
      '           (default:',
      '           1)',
    ];
    expect(styleHelp(help.join('\n')).replaceAll('\u001b', '^')).toBe(
      [
        ...help.slice(0, 3),
        '^[1mFlags:^[22m',
        help[4],
        '           ^[2m(default:^[22m',
        '           ^[2m1)^[22m',
      ].join('\n'),
    );
  });

  it('add nothing but styles, at any width', async () => {
    const helps = await Promise.all(
      [tree, ...nodesBelow(tree)].map(({ path }) => helpForPath(path)),
    );
    const texts = [START_SCREEN, ...TOPIC_NAMES.map(topicText), ...helps].map(String);
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.integer({ min: 20, max: 120 }), (text, columns) => {
        const wrapped = reflow(text, columns);
        const styled = styleHelp(wrapped);
        const ends = (line: string) => line.split('\u001b[22m').length;
        const starts = (line: string) =>
          line.split('\u001b[1m').length + line.split('\u001b[2m').length - 1;
        expect(
          ['1', '2', '22'].reduce((rest, code) => rest.replaceAll(`\u001b[${code}m`, ''), styled),
        ).toBe(wrapped);
        for (const line of styled.split('\n')) expect(ends(line)).toBe(starts(line));
      }),
    );
  });
});
