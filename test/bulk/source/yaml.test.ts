import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { simpleItem } from '../../../src/bulk/source/yaml-simple.ts';
import { chunkSize, read, users } from './reading.ts';

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

  it('may have other fields behind it, which are named', async () => {
    const { records, warnings } = await read('users:\n- userId: a\n- userId: b\nversion: 1\nmore:\n  - x\n', 'yaml', 3);
    expect(records).toHaveLength(2);
    expect(warnings).toEqual([
      "stdin:4: 'version' is left out; only the records under 'users' are read",
      "stdin:5: 'more' is left out; only the records under 'users' are read",
    ]);
  });

  it('keeps what shares an anchor together', async () => {
    const text = '- &base\n  userId: a\n  name: &n Ada\n- <<: *base\n  userId: b\n- userId: c\n  name: *n\n';
    expect(await values(text, 5)).toEqual([
      { userId: 'a', name: 'Ada' },
      { name: 'Ada', userId: 'b' },
      { userId: 'c', name: 'Ada' },
    ]);
  });

  it('names the place of what is wrong in a later item', async () => {
    const { records } = await read('- x: &a {userId: a}\n\n- <<: *a\n  userId: b\n', 'yaml');
    expect(records.map(({ line, column }) => [line, column])).toEqual([
      [1, 3],
      [3, 3],
    ]);
  });
});

describe('a simple item', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'a',
      'Ada',
      "O'Brien",
      'x,y',
      '0123',
      'no',
      '1e5',
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

  it('is read as the parser of the whole language reads it', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), fc.constantFrom('- ', '  -   '), (lines, dash) => {
        const margin = ' '.repeat(dash.length);
        const text = lines
          .map(([name, value, end], at) => `${at === 0 ? dash : margin}${name}: ${value}${end}`)
          .join('');
        const simple = simpleItem(text);
        if (simple) expect([simple.value]).toEqual(parse(text, { schema: 'failsafe', merge: true }));
      }),
      { numRuns: 3000 },
    );
  });

  it('is what most items are', () => {
    const text = '- userId: user-00000001\n  name: Ada Lovelace 1\n  email: a.b@mail.example.com\n  initial: "A"\n';
    expect(simpleItem(text)).toEqual({
      value: { userId: 'user-00000001', name: 'Ada Lovelace 1', email: 'a.b@mail.example.com', initial: 'A' },
      column: 3,
    });
  });

  it('or any other comes back from chunks of any size', async () => {
    await fc.assert(
      fc.asyncProperty(users, chunkSize, async (list, size) => {
        fc.pre(list.length > 0);
        expect(await values(stringify(list, { version: '1.1' }), size)).toEqual(list);
      }),
    );
  });
});
