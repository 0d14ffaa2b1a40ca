import { expect, it } from 'vitest';
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import { composeYaml } from '../../../src/bulk/source/compose-yaml.ts';

const { signal } = new AbortController();
const options = { merge: true, prettyErrors: false, logLevel: 'error' } as const;
const compose = (text: string) =>
  composeYaml({ text, name: 'a.yaml', lines: new LineCounter() }, options, signal);

const item = (at: number) =>
  [
    `- userId: u${at}\n  name: "N ${at}"\n`,
    `# a comment\n- userId: u${at} # another\n  tags: [a, b]\n\n`,
    `- &a${at}\n  userId: u${at}\n  name: |\n    a\n\n    b\n`,
    `- {userId: u${at}, ref: *a${Math.max(2, at - 1)}}\n`,
    `- !<tag:yaml.org,2002:str> u${at}\n`,
    '-\n',
    `- - u${at}\n  - x\n`,
    `-   userId: u${at}\n    list:\n    - a\n    - b\n  # less indented\n`,
  ][at % 8] ?? '';
const items = Array.from({ length: 4_000 }, (_, at) => item(at)).join('');
const indented = items.replace(/^(?=.)/gm, '  ');

it.each([
  ['a list', items],
  ['a list after directives', `%TAG !e! tag:example.com,2026:\n---\n${items}- !e!x y\n`],
  ['lists of a mapping', `# first\na: 1\nusers:\n${items}\nothers: # last\n${indented}z: 2\n`],
])('composes %s like the whole text', async (_, text) => {
  const whole = parseDocument(text, options);
  const { document, errors } = await compose(text);
  expect([errors.length, whole.errors.length]).toEqual([0, 0]);
  expect(String(document)).toBe(String(whole));
  const lists = (contents: unknown) =>
    isMap(contents) ? contents.items.map(({ value }) => value).filter(isSeq) : [contents];
  const ranges = (contents: unknown) =>
    lists(contents).flatMap((list) =>
      (isSeq(list) ? list.items : []).map((node) => Object(node).range),
    );
  expect(ranges(document.contents)).toEqual(ranges(whole.contents));
});

it('finds the same errors as in the whole text', async () => {
  const text = `${items}- {a: 1, a: 2}\n${items}- [\n`;
  const positions = (errors: readonly { readonly pos: readonly number[] }[]) =>
    errors.map(({ pos }) => pos[0]).toSorted((a = 0, b = 0) => a - b);
  const { errors } = await compose(text);
  expect(positions(errors)).toEqual(positions(parseDocument(text, options).errors));
});

it('finds a second document after long lists', async () => {
  const { errors } = await compose(`${items}---\n${items}`);
  expect(errors.map(({ code }) => code)).toContain('MULTIPLE_DOCS');
});
