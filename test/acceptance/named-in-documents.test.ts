import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentVariables } from '../../src/commands/help/environment.ts';
import { BIN, HOME, run } from './svc.ts';

interface Command {
  readonly name: string;
  readonly command: string;
  readonly commands?: readonly Command[];
  readonly flags?: readonly { readonly name: string }[];
}

/** Pages by hand. What is generated comes from the tree itself, and the change log tells of times before this one. */
const PAGES = [...globSync(['*.md', 'docs/*.md', 'packaging/*.md'], { cwd: HOME })]
  .filter((page) => !['CHANGELOG.md', 'docs/commands.md', 'docs/operations.md'].includes(page))
  .sort();

const tree: Command = JSON.parse((await run([BIN, 'commands', '-o', 'json'], { cwd: HOME })).stdout);
const everywhere = new Set(['--help', '--version', ...(tree.flags ?? []).map(({ name }) => name)]);

const below = (command: Command): readonly Command[] => [command, ...(command.commands ?? []).flatMap(below)];
/** Flags of npm and vitest that pages name alone. */
const OF_OTHERS = ['--ignore-scripts', '--omit', '--reporter'];
const anyFlag = new Set([
  ...OF_OTHERS,
  ...everywhere,
  ...below(tree).flatMap(({ flags = [] }) => flags.map(({ name }) => name)),
]);

/** What stands in backticks in a page, on a line of its own text or as a line of a block of commands. */
function codeIn(markdown: string): readonly string[] {
  const blocks = Array.from(markdown.matchAll(/^```(?:sh|yaml)\n([\s\S]*?)^```$/gm), ([, block = '']) => block);
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '');
  const spans = Array.from(prose.matchAll(/`([^`]+)`/g), ([, code = '']) => code.replaceAll('\n', ' '));
  return [...spans, ...blocks.flatMap((block) => block.split('\n'))];
}

/** What is wrong with a piece of code: a command of svc that is not there, or a flag that the command does not take. */
function faultOf(code: string): string | undefined {
  const [, line] = /(?:^|[\s(|])svc ((?!__complete).*)/.exec(code) ?? [];
  if (line !== undefined) return faultOfCommand(line);
  const [first = ''] = code.split(' ');
  if (/^--[a-z]/.test(first)) return anyFlag.has(flagName(first)) ? undefined : `no flag ${first}`;
  const isGroup = tree.commands?.some(({ name, commands }) => name === first && commands);
  return isGroup && code.includes(' ') ? faultOfCommand(code) : undefined;
}

function faultOfCommand(line: string): string | undefined {
  const [own = ''] = line.split(/ -- | \| | \|\| | && | > |[;&)]/);
  const words = own.split(/\s+/).filter(Boolean);
  let command = tree;
  const flags: string[] = [];
  for (const word of words[0] === 'help' ? words.slice(1) : words) {
    if (word.startsWith('--')) flags.push(flagName(word));
    else if (command.commands && flags.length === 0 && /^[a-z][a-z-]+$/.test(word)) {
      const next = command.commands.find(({ name }) => name === word);
      if (!next && words[0] === 'help' && command === tree) return undefined;
      if (!next) return `no command ${word} in svc ${line}`;
      command = next;
    }
  }
  // A group's name alone stands for its commands.
  const known = below(command).flatMap(({ flags: each = [] }) => each.map(({ name }) => name));
  const strange = flags.find((flag) => !everywhere.has(flag) && !known.includes(flag));
  return strange === undefined ? undefined : `no flag ${strange} in svc ${line}`;
}

/** `--no-x` turns `--x` off where there is no flag of that name. */
function flagName(word: string): string {
  const [, name = word] = /^(--[a-z-]+)/.exec(word) ?? [];
  return anyFlag.has(name) ? name : name.replace(/^--no-/, '--');
}

describe('what documents name', () => {
  it('is found where it is named, and missed where it is not there', () => {
    expect(['svc users add --org acme', 'users add', '`--jq`', '--jq', 'svc users --file'].map(faultOf)).toEqual(
      Array(5).fill(undefined),
    );
    expect(
      ['svc users ad', 'users ad', '--jqq', 'svc users add --jqq x', 'svc webhooks listen --file'].map(faultOf),
    ).toEqual([
      'no command ad in svc users ad',
      'no command ad in svc users ad',
      'no flag --jqq',
      'no flag --jqq in svc users add --jqq x',
      'no flag --file in svc webhooks listen --file',
    ]);
  });

  it.each(PAGES)('%s: its commands and their flags are there', async (page) => {
    const code = codeIn(await readFile(join(HOME, page), 'utf8'));
    expect(code.flatMap((each) => faultOf(each) ?? [])).toEqual([]);
  });

  it.each(PAGES)('%s: its variables are those that svc or a test reads', async (page) => {
    const text = await readFile(join(HOME, page), 'utf8');
    const known = environmentVariables().map(([name]) => name);
    const named = new Set(text.match(/\bSVC_(?!TEST_)[A-Z_]+\b/g));
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
  });
});
