import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../../src/commands/definition.ts';
import {
  createCommandSection,
  createProse,
  createRowSections,
  type HelpPage,
  type HelpSection,
} from '../../../src/commands/help/blocks.ts';
import { helpForPath } from '../../../src/commands/help/command-help.ts';
import { renderHelp } from '../../../src/commands/help/render-help.ts';
import { START_SCREEN } from '../../../src/commands/help/root-help.ts';
import { TOPIC_NAMES } from '../../../src/commands/help/topic-names.ts';
import { createTopicPage } from '../../../src/commands/help/topics.ts';
import { commandTree } from '../../../src/commands/tree/tree.ts';
import { SLOW } from '../../slow.ts';

const HELP: HelpPage = [
  createProse('Adds each user or updates the one with the same id.'),
  createCommandSection('Examples', [
    [
      'svc users add --org acme --document d1 --file - --input-format ndjson',
      'add users to one document, from a pipe',
    ],
  ]),
  ...createRowSections('flags', [
    [
      'Flags',
      [
        { term: '-o, --output <format>', text: 'how results look, in one of several forms' },
        { term: '    --org <id>', text: 'organization id' },
      ],
    ],
  ]),
];

function* pathsOf(node: Node): Generator<readonly string[]> {
  yield node.path;
  for (const child of node.children.values()) yield* pathsOf(child);
}

describe('help on a terminal', () => {
  it('keeps explanations next to their terms', () => {
    expect(renderHelp(HELP, { columns: 50 })).toBe(
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
        '',
      ].join('\n'),
    );
  });

  it('moves all explanations below their terms in a narrow terminal', () => {
    expect(renderHelp(HELP, { columns: 36 }).split('\n').slice(4)).toEqual([
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
      '',
    ]);
  });

  it('wraps nothing without a terminal and without a width', () => {
    const whole = renderHelp(HELP, { columns: undefined });
    expect(renderHelp(HELP, { columns: 0 })).toBe(whole);
    expect(renderHelp(HELP, { columns: 100 })).toBe(whole);
    expect(Math.max(...whole.split('\n').map(({ length }) => length))).toBe(71);
  });

  it('loses no words, and fits', SLOW, () => {
    const words = fc
      .array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 })
      .map((all) => all.join(' '));
    const rows = fc.record({ term: fc.constant('--flag'), text: words, notes: fc.array(words) });
    const sections = fc.oneof(
      words.map((text) => createProse(text)),
      fc
        .array(rows, { minLength: 1 })
        .map((all): HelpSection => ({ blocks: [{ kind: 'rows', rows: all, alignment: 'a' }] })),
    );
    fc.assert(
      fc.property(fc.array(sections), fc.integer({ min: 40, max: 120 }), (page, columns) => {
        const shown = renderHelp(page, { columns });
        const whole = renderHelp(page, { columns: undefined });
        expect(shown.split(/\s+/)).toEqual(whole.split(/\s+/));
        for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('wraps a command so that it can be pasted', () => {
    const command =
      'svc users add --org acme --name "Ada Lovelace" --file - --input-format ndjson < users.ndjson';
    const page = [createCommandSection(undefined, [[command]])];
    expect(renderHelp(page, { columns: 40 })).toBe(
      [
        '  svc users add --org acme \\',
        '    --name "Ada Lovelace" --file - \\',
        '    --input-format ndjson \\',
        '    < users.ndjson',
        '',
      ].join('\n'),
    );
  });

  it('wraps each example to the same command', SLOW, async () => {
    for (const path of pathsOf(commandTree())) {
      const help = (await helpForPath(path)) ?? [];
      const whole = renderHelp(help, { columns: undefined });
      const commands = whole.match(/^ {2}svc (?!.* {2}).*$/gm) ?? [];
      const unwrapped = renderHelp(help, { columns: 40 })
        .replaceAll(/ \\\n +/g, ' ')
        .replaceAll('\\\n', '')
        // PowerShell continues a line after a pipe.
        .replaceAll('|\n    ', '| ')
        // Line breaks between the values of JSON do not change it.
        .replaceAll(',\n  "', ',"')
        .split('\n');
      expect(commands.filter((command) => !unwrapped.includes(command))).toEqual([]);
    }
  });

  it.each([40, 80, 200])('fits %d columns for each command and topic', SLOW, async (columns) => {
    const pages = [START_SCREEN, ...TOPIC_NAMES.map(createTopicPage)];
    for (const path of pathsOf(commandTree())) pages.push((await helpForPath(path)) ?? []);
    expect(pages.length).toBeGreaterThan(100);
    const wide = pages
      .flatMap((page) => renderHelp(page, { columns }).split('\n'))
      .filter((line) => line.length > columns);
    expect(wide).toEqual([]);
  });
});
