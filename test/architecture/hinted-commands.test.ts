import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../../src/commands/tree/tree.ts';
import { HOME } from '../acceptance/svc.ts';
import { SLOW } from '../slow.ts';

/**
 * Files whose strings name commands outside of hints: help examples and descriptions, shell
 * scripts, and text that stays on this machine.
 */
const NO_HINTS = [
  /^src\/catalog\//,
  /^src\/commands\/help\//,
  /^src\/commands\/tree\/describe-command\.ts$/,
  /^src\/commands\/(?:[\w-]+\/)?(?:(?:[\w-]+-)?commands|tree)\.ts$/,
  /^src\/commands\/shells\/scripts\//,
  /^src\/contract\/decisions\.ts$/,
  /^src\/commands\/(?:[\w-]+\/)?flags\.ts$/,
];

/** Texts that look like a command: markers in files, names of programs and formats, a version of svc. */
const NO_COMMANDS = [
  /'use the svc version that/,
  /# (?:>>>|<<<) svc completion/,
  /'temporary: svc webhooks listen'/,
  // For a person, who may use another target than the agent.
  /a person signs it with 'svc approve/,
  /command: 'svc serve'/,
  /the options of svc serve/,
  /not an output of svc local export/,
  /startsWith\('svc auth-tokens reset'\)/,
  /^const LOCAL_LIST = 'svc local list';$/,
];

/** Words that can follow `svc` in a command line. */
const commands = ['help', ...commandTree().children.keys()].join('|');
const LITERAL = new RegExp(`\\bsvc (?:${commands})\\b`);

/** Returns the lines of a source file with a literal command in a string, as `path:line`. */
function literalCommands(path: string, text: string): readonly string[] {
  if (NO_HINTS.some((known) => known.test(path))) return [];
  return text.split('\n').flatMap((line, at) => {
    const isComment = /^\s*(?:\*|\/\/|\/\*)/.test(line);
    const code = line.replace(/(^|\s)\/\/ .*$/, '');
    const isFault =
      !isComment && LITERAL.test(code) && !NO_COMMANDS.some((known) => known.test(code));
    return isFault ? [`${path}:${at + 1}`] : [];
  });
}

async function sources(): Promise<readonly string[]> {
  const files = await readdir(join(HOME, 'src'), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile() && file.name.endsWith('.ts'))
    .map(({ parentPath, name }) => relative(HOME, join(parentPath, name)).replaceAll('\\', '/'));
}

describe('a command in a hint', () => {
  it(
    'is never a literal: src/commands/service-flags.ts builds it for the current service',
    SLOW,
    async () => {
      const paths = await sources();
      expect(paths.length).toBeGreaterThan(500);
      const found = await Promise.all(
        paths.map(async (path) => literalCommands(path, await readFile(join(HOME, path), 'utf8'))),
      );
      expect(found.flat()).toEqual([]);
    },
  );

  it.each([
    ["    hint: 'svc jobs list shows them',"],
    ['    hint: `go on with svc jobs resume`,'],
    ["  await context.note('add one with: svc profiles add <name>'); // as a sentence"],
    ['  return hint`see svc users add --help`;'],
    ['  const line = `svc auth-tokens reset --api-key K`;'],
  ])('is detected as a literal: %s', (line) => {
    expect(literalCommands('src/bulk/planted.ts', `const a = 1;\n${line}\n`)).toEqual([
      'src/bulk/planted.ts:2',
    ]);
  });

  it.each([
    ['src/bulk/planted.ts', ' * As `svc jobs list` shows it.'],
    [
      'src/bulk/planted.ts',
      "  const note = 'another svc process met it'; // as svc jobs list shows",
    ],
    ['src/commands/jobs/commands.ts', "    examples: { 'svc jobs list': 'list all jobs' },"],
  ])('is ignored in comments, prose, and help examples: %s %s', (path, line) => {
    expect(literalCommands(path, line)).toEqual([]);
  });
});
