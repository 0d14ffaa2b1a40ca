import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderPlanMarkdown } from '../../../src/commands/settings/plan-markdown.ts';
import type { Change } from '../../../src/settings/plan.ts';
import { anyText } from '../../output/arbitraries.ts';
import { SLOW } from '../../slow.ts';

const TARGET = {
  url: 'https://api.example.com',
  apiKey: 'k',
  environment: 'prod',
  profile: 'prod',
} as const;
const FOLDER = { kind: 'folders', org: 'acme', field: null, before: null, after: null } as const;
const CHANGES: readonly Change[] = [
  { ...FOLDER, sign: '+', id: 'q3', after: { folderId: 'q3', folderName: 'Q3' } },
  { ...FOLDER, sign: '~', id: 'plans', field: 'folderName', before: 'Plans', after: 'Roadmap' },
];

/** Matches a heading of counts, and one block of code. */
const SHAPE = /^### [\w ,:-]+\n\n(`{3,})diff\n([\s\S]*)\n\1\n$/;

it('is a heading of counts and a block of code', async () => {
  const markdown = await renderPlanMarkdown(
    { changes: CHANGES },
    {
      title: 'Plan: 1 to create, 1 to update',
      target: TARGET,
      next: { apply: 'svc apply --env prod' },
      sections: { 'Predicted effects': ['organization acme is created'], 'Not restored': [] },
    },
  );
  expect(markdown).toBe(`### Plan: 1 to create, 1 to update

\`\`\`diff
prod · https://api.example.com · profile prod

+ folder q3 (acme)
    folderName: "Q3"
~ folder plans (acme)
    folderName: "Plans" → "Roadmap"

Predicted effects:
  organization acme is created

apply: svc apply --env prod
\`\`\`
`);
});

/** Text with the markup of GitHub, at the start of lines and inside them. */
const hostileText = fc
  .array(
    fc.oneof(
      anyText,
      fc.constantFrom(
        '|',
        '`',
        '```',
        '\n```\n',
        '\n~~~\n',
        '<!--',
        '</code></pre>',
        '<img src=x onerror=alert(1)>',
        '\r\n# heading\n',
        '@acme/admins',
        'fixes #1',
        '[a](https://evil.example)',
        '![a](https://evil.example/a.png)',
        'https://evil.example',
        '\u2028```\u2028',
        '\u202e',
      ),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''));

it('keeps every name inside the block, on its line', SLOW, async () => {
  const hostileChange = fc.record({
    kind: fc.constantFrom('folders' as const, 'endpoints' as const),
    org: fc.oneof(hostileText, fc.constant(null)),
    id: hostileText,
    field: fc.oneof(hostileText, fc.constant(null)),
    before: hostileText,
    after: fc.oneof(hostileText, fc.dictionary(hostileText, hostileText, { maxKeys: 3 })),
    sign: fc.constantFrom('+' as const, '~' as const, '-' as const, '!' as const),
    reason: hostileText,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(hostileChange, { maxLength: 5 }),
      fc.array(hostileText, { maxLength: 3 }),
      hostileText,
      async (changes, sentences, name) => {
        const markdown = await renderPlanMarkdown(
          { changes },
          {
            title: 'Plan: 1 to create',
            target: { url: name, apiKey: name, environment: name, profile: name },
            next: { [name]: name },
            sections: { 'Predicted effects': sentences },
            file: name,
          },
        );
        const [, fence = '', block = ''] = SHAPE.exec(markdown) ?? [];
        expect(fence, markdown).not.toBe('');
        for (const line of block.split('\n')) {
          expect(line).not.toMatch(/[\r\u2028\u2029\u202e]/);
          // A line that starts with a shorter fence does not end the block.
          expect(/^ {0,3}(`*)/.exec(line)?.[1]?.length).toBeLessThan(fence.length);
        }
      },
    ),
  );
});

it(
  'shortens a long plan to fewer characters than a comment on GitHub may have, with counts',
  SLOW,
  async () => {
    const lengths = fc.record({
      id: fc.integer({ min: 1, max: 3_000 }),
      value: fc.integer({ min: 0, max: 5_000 }),
      changes: fc.integer({ min: 0, max: 150 }),
      sentences: fc.integer({ min: 0, max: 100 }),
      character: fc.constantFrom('a', '`', '第', '\u{1f600}', '\u0000'),
    });
    await fc.assert(
      fc.asyncProperty(lengths, async ({ id, value, changes, sentences, character }) => {
        const long = character.repeat(value);
        const markdown = await renderPlanMarkdown(
          {
            changes: Array.from({ length: changes }, (_, at) => ({
              ...FOLDER,
              sign: at % 2 === 0 ? '+' : '-',
              id: `${at}${character.repeat(id)}`,
              after: { folderName: long },
            })),
          },
          {
            title: 'Plan',
            target: { ...TARGET, url: long },
            next: { apply: `svc ${long}`, undo: 'svc undo' },
            sections: { Failures: Array.from({ length: sentences }, () => long) },
          },
        );
        expect(markdown.length).toBeLessThan(65_536);
        expect(markdown).toMatch(SHAPE);
      }),
      { numRuns: 10 },
    );
    const changes = Array.from({ length: 2_500 }, (_, at) => ({
      ...FOLDER,
      sign: at % 3 === 0 ? ('-' as const) : ('+' as const),
      id: `folder-${at}`,
    }));
    const markdown = await renderPlanMarkdown({ changes }, { title: 'Plan', sections: {} });
    const shown = markdown.match(/^[+-] folder folder-\d+ \(acme\)$/gm)?.length ?? 0;
    const [, more, created, deleted] =
      /\n… ([\d,]+) more records: ([\d,]+) to create, ([\d,]+) to delete\n/.exec(markdown) ?? [];
    const toNumber = (text = '') => Number(text.replaceAll(',', ''));
    expect(shown).toBeGreaterThan(500);
    expect(shown + toNumber(more)).toBe(2_500);
    expect(toNumber(created) + toNumber(deleted)).toBe(toNumber(more));
  },
);
