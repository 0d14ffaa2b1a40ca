import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../src/commands/definition.ts';
import { helpForPath } from '../../../src/commands/help/command-help.ts';
import { reflow } from '../../../src/commands/help/print-help.ts';
import { START_SCREEN } from '../../../src/commands/help/root-help.ts';
import { TOPIC_NAMES } from '../../../src/commands/help/topic-names.ts';
import { topicText } from '../../../src/commands/help/topics.ts';
import { commandTree } from '../../../src/commands/tree/tree.ts';

const HELP = [
  'Adds each user or updates the one with the same id.',
  '',
  'Examples:',
  '  # add users to one document, from a pipe',
  '  svc users add --org acme --document d1 --file - --input-format ndjson',
  '',
  'Flags:',
  '  -o, --output <format>  how results look, in one of several forms',
  '      --org <id>         organization id',
].join('\n');

function* pathsOf(node: Node): Generator<readonly string[]> {
  yield node.path;
  for (const child of node.children.values()) yield* pathsOf(child);
}

describe('help on a terminal', () => {
  it('keeps explanations next to their terms', () => {
    expect(reflow(HELP, 50)).toBe(
      [
        'Adds each user or updates the one with the same',
        'id.',
        '',
        'Examples:',
        '  # add users to one document, from a pipe',
        '  svc users add --org acme --document d1 \\',
        '    --file - --input-format ndjson',
        '',
        'Flags:',
        '  -o, --output <format>  how results look, in one',
        '                         of several forms',
        '      --org <id>         organization id',
      ].join('\n'),
    );
  });

  it('moves all explanations below their terms in a narrow terminal', () => {
    expect(reflow(HELP, 36).split('\n').slice(4)).toEqual([
      '  # add users to one document, from',
      '  # a pipe',
      '  svc users add --org acme \\',
      '    --document d1 --file - \\',
      '    --input-format ndjson',
      '',
      'Flags:',
      '  -o, --output <format>',
      '    how results look, in one of',
      '    several forms',
      '      --org <id>',
      '        organization id',
    ]);
  });

  it('is unchanged without a terminal and without a width', () => {
    expect([reflow(HELP, undefined), reflow(HELP, 0), reflow(HELP, 100)]).toEqual([
      HELP,
      HELP,
      HELP,
    ]);
  });

  it('loses no words, and fits', () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 })
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(fc.array(words), fc.integer({ min: 40, max: 120 }), (sentences, columns) => {
        const text = sentences
          .map((sentence, at) => (at % 2 ? `  --flag  ${sentence}` : sentence))
          .join('\n');
        const shown = reflow(text, columns);
        expect(shown.split(/\s+/)).toEqual(text.split(/\s+/));
        for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('wraps a command so that it can be pasted', () => {
    const command =
      '  svc users add --org acme --name "Ada Lovelace" --file - --input-format ndjson < users.ndjson';
    expect(reflow(command, 40)).toBe(
      [
        '  svc users add --org acme \\',
        '    --name "Ada Lovelace" --file - \\',
        '    --input-format ndjson \\',
        '    < users.ndjson',
      ].join('\n'),
    );
  });

  it('wraps each example to the same command', async () => {
    for (const path of pathsOf(commandTree())) {
      const help = (await helpForPath(path)) ?? '';
      const commands = help.match(/^ {2}svc (?!.* {2}).*$/gm) ?? [];
      const unwrapped = reflow(help, 40).replaceAll(' \\\n    ', ' ').split('\n');
      expect(commands.filter((command) => !unwrapped.includes(command))).toEqual([]);
    }
  });

  it.each([40, 80, 200])(
    'fits %d columns for each command and topic, except for single words',
    async (columns) => {
      const texts = [START_SCREEN, ...TOPIC_NAMES.map(topicText)];
      for (const path of pathsOf(commandTree())) texts.push((await helpForPath(path)) ?? '');
      expect(texts.length).toBeGreaterThan(100);
      // A flag with its value, a quoted text, or a pipeline for PowerShell.
      const isWhole = (line: string) =>
        /^ +(\S+|-(-\S+|\S, --\S+)( <.*>)?|'.*'|".*"|(--\S+ )?'.*)( \\)?$|Out-String/.test(line);
      const wide = texts
        .flatMap((text) => reflow(text, columns).split('\n'))
        .filter((line) => line.length > columns);
      expect(wide.filter((line) => !isWhole(line))).toEqual([]);
    },
  );
});
