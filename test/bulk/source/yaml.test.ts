import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseYamlText, readNode } from '../../../src/bulk/source/yaml-text.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { chunkSize, read, refusal, users } from './read-records.ts';

const values = async (text: string, size?: number) =>
  (await read(text, 'yaml', size)).records.map(({ value }) => value);

describe('the layout of a YAML list', () => {
  const list = [{ userId: 'a', name: 'x' }, { userId: 'b' }];

  it.each([
    ['block', '- userId: a\n  name: x\n- userId: b\n'],
    ['block, the dash on a line of its own', '-\n  userId: a\n  name: x\n-\n  userId: b'],
    ['block below a field', 'users:\n- userId: a\n  name: x\n- userId: b\n'],
    [
      'block indented below a field',
      '# people\n---\nusers: # all\n\n    - userId: a\n      name: x\n    - userId: b\n',
    ],
    [
      'block with comments and blank lines',
      '\n# one\n- userId: a # first\n\n  # two\n  name: x\n# three\n- userId: b\n\n',
    ],
    ['block with CRLF', '- userId: a\r\n  name: x\r\n- userId: b\r\n'],
    ['block up to the end of the document', '- {userId: a, name: x}\n- userId: b\n...\n# done\n'],
    ['flow', '[{userId: a, name: x}, {userId: b}]'],
    ['flow below a field', '{"users": [{"userId": "a", "name": "x"}, {"userId": "b"}]}'],
    ['block behind other fields', 'version: 1\nusers:\n- userId: a\n  name: x\n- userId: b\n'],
  ])('%s', async (_, text) => {
    for (const size of [1, 7, 1000]) expect(await values(text, size)).toEqual(list);
  });

  it('can be followed by other fields, which are reported', async () => {
    const { records, beside } = await read(
      'users:\n- userId: a\n- userId: b\nversion: 1\nmore:\n  - x\n',
      'yaml',
      3,
    );
    expect(records).toHaveLength(2);
    expect(beside).toEqual(['4: version', '5: more']);
  });

  it('keeps values that share an anchor', async () => {
    const text =
      '- &base\n  userId: a\n  name: &n Ada\n- <<: *base\n  userId: b\n- userId: c\n  name: *n\n';
    expect(await values(text, 5)).toEqual([
      { userId: 'a', name: 'Ada' },
      { name: 'Ada', userId: 'b' },
      { userId: 'c', name: 'Ada' },
    ]);
  });

  it('reports the position of a problem in a later item', async () => {
    const { records } = await read('- x: &a {userId: a}\n\n- <<: *a\n  userId: b\n', 'yaml');
    expect(records.map(({ line, column }) => [line, column])).toEqual([
      [1, 3],
      [3, 3],
    ]);
  });
});

/** Parses a list with the full YAML parser. */
function whole(text: string): unknown {
  const parsed = parseYamlText(text, 't.yaml', 'record');
  return readNode(parsed, parsed.document.contents, 't.yaml').value;
}

describe('YAML that is not a tree', () => {
  it.each([
    ['- &a\n  userId: x\n  y: *a\n', 'stdin:2:3: an alias refers to a value that contains it'],
    ['- &a [*a]\n', 'stdin:1:6: an alias refers to a value that contains it'],
    ['&l\n- *l\n', 'stdin:2:3: an alias refers to a value that contains it'],
    [
      'users: &u\n  - {userId: a, x: *u}\n',
      'stdin:2:5: an alias refers to a value that contains it',
    ],
    ['- &a {<<: *a, userId: b}\n', 'stdin:1:6: more than 100 aliases in one record'],
    [
      '- &a {userId: a}\n- <<: [1]\n  userId: b\n',
      'stdin:2:3: merge sources must be maps or map aliases',
    ],
    ['- [a]: b\n', 'stdin:1:3: a field name must be text'],
    [`- x: ${'['.repeat(120)}${']'.repeat(120)}\n`, 'stdin:1:3: nested more than 100 levels deep'],
    [
      `- &a ${'['.repeat(60)}${']'.repeat(60)}\n- ${'['.repeat(60)}*a${']'.repeat(60)}\n`,
      'stdin:2:3: nested more than 100 levels deep',
    ],
  ])('%.60j is bad data', async (text, message) => {
    expect(await refusal(text, 'yaml')).toMatchObject({ failure: 'invalid_input', message });
  });

  it('can repeat a bounded part of itself', async () => {
    const nines = (alias: string) => `[${Array(9).fill(`*${alias}`).join(', ')}]`;
    const text = `- userId: a\n  a: &a [1, 1]\n  b: &b ${nines('a')}\n  c: &c ${nines('b')}\n  d: ${nines('c')}\n`;
    expect((await refusal(text, 'yaml')).message).toBe(
      'stdin:1:3: more than 100 aliases in one record',
    );
  });
});

describe('an item of a block list', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'a',
      'Ada',
      "O'Brien",
      'x,y',
      '0123',
      'no',
      '1e5',
      'null',
      'true',
      '12',
      '1.5e3',
      'a: b',
      'a #b',
      '- a',
      '*a',
      '&a',
      '"q"',
      '~',
      '',
    ),
    fc.constantFrom(
      'a  b',
      ' a',
      'a ',
      '"a',
      "'a'",
      '"a\\n"',
      '"a#b: c"',
      'é ü',
      '(x)',
      'x:',
      '%',
      '[a]',
      '{}',
      '|',
      '<<',
    ),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  );
  const key = fc.constantFrom('userId', 'name', 'email', '__proto__', 'constructor', '<<', 'a b');
  const line = fc.tuple(key, word, fc.constantFrom('\n', '\r\n', ' \n'));

  it('is read in the same way as in a text that is parsed at once', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('- ', '  -   '),
        chunkSize,
        async (lines, dash, size) => {
          const margin = ' '.repeat(dash.length);
          const item = lines
            .map(([name, value, end], at) => `${at === 0 ? dash : margin}${name}: ${value}${end}`)
            .join('');
          const text = `${item}${dash}userId: last\n`;
          const [expected, found] = await Promise.allSettled([
            Promise.resolve().then(() => whole(text)),
            values(text, size),
          ]);
          expect(found.status).toBe(expected.status);
          if (expected.status === 'fulfilled') expect(found).toEqual(expected);
        },
      ),
      { numRuns: repeats(750) },
    );
  });

  it('comes back from chunks of any size', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(users, chunkSize, async (list, size) => {
        fc.pre(list.length > 0);
        expect(await values(stringify(list, { version: '1.1' }), size)).toEqual(list);
      }),
    );
  });
});
