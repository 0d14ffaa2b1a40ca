import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentVariables } from '../../src/commands/help/topics.ts';
import { SHORTCUTS } from '../../src/commands/tree/aliases.ts';
import { BIN, HOME, run } from './svc.ts';

interface Command {
  readonly name: string;
  readonly command: string;
  readonly commands?: readonly Command[];
  readonly flags?: readonly { readonly name: string }[];
}

/**
 * Hand-written pages. The others are generated from the command tree, and the changelog describes
 * earlier versions.
 */
const PAGES = [...globSync(['*.md', 'docs/*.md', 'packaging/*.md'], { cwd: HOME })]
  .filter((page) => !['CHANGELOG.md', 'docs/operations.md'].includes(page))
  .sort();

const tree: Command = JSON.parse(
  (await run([BIN, 'commands', '-o', 'json'], { cwd: HOME })).stdout,
);
const everywhere = new Set(['--help', '--version', ...(tree.flags ?? []).map(({ name }) => name)]);

const listCommands = (command: Command): readonly Command[] => [
  command,
  ...(command.commands ?? []).flatMap(listCommands),
];
/** Flags of npm and vitest that pages mention alone. */
const FOREIGN_FLAGS = ['--ignore-scripts', '--omit', '--reporter'];
const anyFlag = new Set([
  ...FOREIGN_FLAGS,
  ...everywhere,
  ...listCommands(tree).flatMap(({ flags = [] }) => flags.map(({ name }) => name)),
]);

/** Returns the code in a page: inline code, and the lines of command blocks. */
function findCode(markdown: string): readonly string[] {
  const blocks = Array.from(
    markdown.matchAll(/^```(?:sh|yaml)\n([\s\S]*?)^```$/gm),
    ([, block = '']) => block,
  );
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const spans = Array.from(prose.matchAll(/`([^`]+)`/g), ([, code = '']) =>
    code.replaceAll('\n', ' '),
  );
  return [...spans, ...blocks.flatMap((block) => block.split('\n'))];
}

/**
 * Returns the fault in a piece of code: an unknown svc command, or an unknown flag of a command.
 */
function findFault(code: string): string | undefined {
  const [, line] = /(?:^|[\s(|])svc ((?!__complete).*)/.exec(code) ?? [];
  if (line !== undefined) return findCommandFault(line);
  const [first = ''] = code.split(' ');
  if (/^--[a-z]/.test(first))
    return anyFlag.has(parseFlagName(first)) ? undefined : `no flag ${first}`;
  const isGroup = tree.commands?.some(({ name, commands }) => name === first && commands);
  return isGroup && code.includes(' ') ? findCommandFault(code) : undefined;
}

function findCommandFault(line: string): string | undefined {
  const [own = ''] = line.split(/ -- | \| | \|\| | && | > |[;&)]/);
  const words = own.split(/\s+/).filter(Boolean);
  let command = tree;
  const flags: string[] = [];
  const [first = '', ...others] = words;
  for (const word of first === 'help'
    ? others
    : [...(SHORTCUTS.get(first) ?? [first]), ...others]) {
    if (word.startsWith('--')) flags.push(parseFlagName(word));
    else if (command.commands && flags.length === 0 && /^[a-z][a-z-]+$/.test(word)) {
      const next = command.commands.find(({ name }) => name === word);
      if (!next && words[0] === 'help' && command === tree) return undefined;
      if (!next) return `no command ${word} in svc ${line}`;
      command = next;
    }
  }
  // The name of a group covers all its commands.
  const known = listCommands(command).flatMap(({ flags: each = [] }) =>
    each.map(({ name }) => name),
  );
  const strange = flags.find((flag) => !everywhere.has(flag) && !known.includes(flag));
  return strange === undefined ? undefined : `no flag ${strange} in svc ${line}`;
}

/** `--no-x` negates `--x` unless it is a flag itself. */
function parseFlagName(word: string): string {
  const [, name = word] = /^(--[a-z-]+)/.exec(word) ?? [];
  return anyFlag.has(name) ? name : name.replace(/^--no-/, '--');
}

describe('names in documents', () => {
  it('are reported only if they do not exist', () => {
    expect(
      ['svc users add --org acme', 'users add', '`--jq`', '--jq', 'svc users --file'].map(
        findFault,
      ),
    ).toEqual(Array(5).fill(undefined));
    expect(
      [
        'svc users ad',
        'users ad',
        '--jqq',
        'svc users add --jqq x',
        'svc webhooks listen --file',
      ].map(findFault),
    ).toEqual([
      'no command ad in svc users ad',
      'no command ad in svc users ad',
      'no flag --jqq',
      'no flag --jqq in svc users add --jqq x',
      'no flag --file in svc webhooks listen --file',
    ]);
  });

  it.each(PAGES)('%s: its commands and flags exist', async (page) => {
    const code = findCode(await readFile(join(HOME, page), 'utf8'));
    expect(code.flatMap((each) => findFault(each) ?? [])).toEqual([]);
  });

  it.each(PAGES)('%s: its variables are read by svc or a test', async (page) => {
    const text = await readFile(join(HOME, page), 'utf8');
    const known = environmentVariables().map(([name]) => name);
    const named = new Set(text.match(/\bSVC_(?!TEST_)[A-Z_]+\b/g));
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });
});
