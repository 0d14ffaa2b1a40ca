import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/define.ts';
import { quoteUnclearId } from '../../src/kernel/id-text.ts';
import { escapeForTerminal } from '../../src/kernel/safe-text.ts';
import { SLOW } from '../slow.ts';
import { anyText } from './arbitraries.ts';
import { type PrintOptions, pagesOf, printedRecords, printedValue, writes } from './printed.ts';

const columns: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'NAME', field: 'documentName' },
  { header: 'UPDATED', field: 'lastUpdated', kind: 'time' },
];

const documents = [
  { id: 'd1', documentName: 'Q3 plan', lastUpdated: 1731705121000 },
  { id: 'd-0002', documentName: '四半期計画 🪐', lastUpdated: '2024-11-15T21:12:01.250Z' },
  { id: 'd3' },
];

function lines(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

describe('a table of records', () => {
  it('aligns columns by display width, and formats times as RFC 3339', async () => {
    expect(await printedRecords('table', documents, { columns })).toBe(
      [
        'ID      NAME           UPDATED',
        'd1      Q3 plan        2024-11-15T21:12:01Z',
        'd-0002  四半期計画 🪐  2024-11-15T21:12:01Z',
        'd3',
        '',
      ].join('\n'),
    );
  });

  it('omits the header on request', async () => {
    expect(await printedRecords('table', [documents[0]], { columns }, { headers: false })).toBe(
      'd1  Q3 plan  2024-11-15T21:12:01Z\n',
    );
  });

  it('shows every field of undescribed records', async () => {
    expect(
      await printedRecords('table', [
        { folderId: 'f1' },
        { active: true, tags: ['a', 'b'], at: { x: 1 } },
      ]),
    ).toBe(
      ['FOLDER ID  ACTIVE  TAGS  AT', 'f1', '           true    a, b  {"x":1}', ''].join('\n'),
    );
  });

  it('shows bare values under one header', async () => {
    expect(await printedRecords('table', ['a', 2])).toBe('VALUE\na\n2\n');
  });

  it('without records is empty', async () => {
    expect(await printedRecords('table', [], { columns })).toBe('');
    expect(await printedRecords('table', [])).toBe('');
  });

  it('keeps values that are not times', async () => {
    const records = [
      { lastUpdated: 'soon' },
      { lastUpdated: 1e300 },
      { lastUpdated: 7 },
      { lastUpdated: '5' },
    ];
    expect(
      await printedRecords('table', records, { columns: columns.slice(2) }, { headers: false }),
    ).toBe('soon\n1e+300\n1970-01-01T00:00:00Z\n5\n');
  });

  it('dims its header only in color', async () => {
    const colored = await printedRecords(
      'table',
      [documents[0]],
      { columns: columns.slice(0, 1) },
      { color: true },
    );
    expect(colored).toBe('\u001b[2mID\u001b[22m\nd1\n');
  });

  it('keeps one set of widths for thousands of rows', async () => {
    const many = Array.from({ length: 2500 }, (_, index) => ({
      id: `d${index}`,
      documentName: 'x',
    }));
    const written = lines(await printedRecords('table', many, { columns }));
    expect(written).toHaveLength(2501);
    expect(written[1]).toBe('d0     x');
    expect(written[2500]).toBe('d2499  x');
  });
});

describe('a table on a terminal', () => {
  const text = 'nine words or so that tell a whole short story';
  const long = [{ id: 'd'.repeat(30), documentName: text, lastUpdated: 1731705121000 }];
  const shown = async (records: readonly unknown[], given: readonly Column[], terminal: number) =>
    lines(await printedRecords('table', records, { columns: given }, { terminal }));

  it('wraps text first, then shortens times, and never an ID', async () => {
    expect(await shown(long, columns, 80)).toEqual([
      `ID${' '.repeat(30)}NAME${' '.repeat(24)}UPDATED`,
      `${'d'.repeat(30)}  nine words or so that tell  2024-11-15T21:12:01Z`,
      `${' '.repeat(32)}a whole short story`,
    ]);
    expect((await shown(long, columns, 68))[1]).toBe(
      `${'d'.repeat(30)}  nine words or so   2024-11-15T21:12Z`,
    );
    expect((await shown(long, columns, 61))[1]).toBe(
      `${'d'.repeat(30)}  nine words or so   2024-11-15`,
    );
    const some = [
      { ...long[0], documentName: 'short' },
      { ...long[0], documentName: 'n'.repeat(60) },
    ];
    expect((await shown(some, columns, 54))[2]).toBe(`${'d'.repeat(30)}  nnnnnnnnn…  2024-11-15`);
  });

  it('never shortens relative times, because they are short', async () => {
    const display = { time: 'relative', now: 1731705121000 + 5 * 60_000 } as const;
    const written = await printedRecords('table', long, { columns }, { terminal: 60, display });
    expect(lines(written)[1]).toBe(`${'d'.repeat(30)}  nine words or so   5 min ago`);
  });

  it('hides columns in their order, and says how many', async () => {
    const given: readonly Column[] = [
      { header: 'ID', field: 'id', kind: 'whole' },
      { header: 'EVENTS', field: 'events', hideOrder: 3 },
      { header: 'RATE', field: 'rate', hideOrder: 1 },
      { header: 'UPDATED', field: 'updatedAt', kind: 'time', hideOrder: 2 },
      { header: 'EMPTY', field: 'empty', hideOrder: 4 },
    ];
    const record = {
      id: 'd'.repeat(30),
      events: ['comment.add', 'comment.delete'],
      rate: 7,
      updatedAt: 1731705121000,
    };
    const notes: string[] = [];
    const headers = async (terminal: number) => {
      const note = async (line: string) => void notes.push(line);
      return lines(
        await printedRecords('table', [record], { columns: given }, { terminal, note }),
      )[0]?.split(/ +/);
    };
    expect(await headers(90)).toEqual(['ID', 'EVENTS', 'RATE', 'UPDATED']);
    expect(notes).toEqual([]);
    expect(await headers(70)).toEqual(['ID', 'EVENTS', 'UPDATED']);
    expect(await headers(50)).toEqual(['ID', 'EVENTS']);
    expect(await headers(40)).toEqual(['ID']);
    expect(notes).toEqual([
      '1 column hidden; -o json or a wider terminal shows it',
      '2 columns hidden; -o json or a wider terminal shows them',
      '3 columns hidden; -o json or a wider terminal shows them',
    ]);
    expect((await headers(20))?.[0]).toBe('ID');
    expect(notes).toHaveLength(3);
  });

  it('shows records as lists if most texts would be truncated', async () => {
    const word = [{ ...long[0], documentName: 'n'.repeat(60) }];
    expect(await shown(word, columns, 55)).toEqual([
      `ID       ${'d'.repeat(30)}`,
      `NAME     ${'n'.repeat(60)}`,
      'UPDATED  2024-11-15T21:12:01Z',
    ]);
  });

  it('drops empty columns before it narrows others, but no selected ones', async () => {
    const records = [{ id: 'd'.repeat(24), documentName: 'a name of thirty-two characters' }];
    const views = [
      { terminal: 57 },
      { terminal: 80 },
      { terminal: 57, fields: ['id', 'documentName', 'lastUpdated'] },
    ];
    const heads = views.map(
      async (printOptions) =>
        lines(await printedRecords('table', records, { columns }, printOptions))[0],
    );
    expect((await Promise.all(heads)).map((head) => head?.split(/ +/))).toEqual([
      ['ID', 'NAME'],
      ['ID', 'NAME', 'UPDATED'],
      ['ID', 'NAME', 'UPDATED'],
    ]);
  });

  it('is a list that shows every column if the columns that are never hidden do not fit', async () => {
    const given = [
      { header: 'ID', field: 'id', kind: 'whole' },
      { header: 'SKIPPED', field: 'skipped', hideOrder: 1 },
    ] as const;
    expect((await shown([{ id: 'd'.repeat(30), skipped: 7 }], given, 20)).join(' ')).toMatch(
      /ID.*d{30}.*SKIPPED\s+7/,
    );
  });

  it('breaks scripts without spaces anywhere, except in values to copy', async () => {
    const name = '四半期の予算計画についての長い長い題名の文書';
    const records = [{ id: '文'.repeat(20), documentName: name }];
    expect(lines(await printedRecords('table', records, { columns }, { terminal: 40 }))).toEqual([
      `ID    ${'文'.repeat(20)}`,
      'NAME  四半期の予算計画についての長い長い',
      '      題名の文書',
    ]);
  });

  it('shows records as lists without truncation if their columns do not fit', async () => {
    const records = [
      { ...long[0], documentName: 'a plan for the whole of next year' },
      { id: 'd2' },
    ];
    expect(lines(await printedRecords('table', records, { columns }, { terminal: 40 }))).toEqual([
      `ID       ${'d'.repeat(30)}`,
      'NAME     a plan for the whole of next',
      '         year',
      'UPDATED  2024-11-15T21:12:01Z',
      '',
      'ID       d2',
    ]);
  });

  it('wraps headers before it narrows the values', async () => {
    const flags: readonly Column[] = [
      { header: 'ON BY DEFAULT', field: 'on' },
      { header: 'NAME', field: 'documentName' },
    ];
    const records = [{ on: true, documentName: 'x'.repeat(20) }];
    expect(
      lines(await printedRecords('table', records, { columns: flags }, { terminal: 30 })),
    ).toEqual(['ON BY    NAME', 'DEFAULT', `✓        ${'x'.repeat(20)}`]);
  });

  it('shows marks for true and false, and words on request', async () => {
    const records = [{ id: true }, { id: false }];
    const shape = { columns: columns.slice(0, 1) };
    expect(await printedRecords('table', records, shape, { terminal: 80 })).toBe('ID\n✓\n–\n');
    expect(
      await printedRecords('table', records, shape, { terminal: 80, display: { useMarks: false } }),
    ).toBe('ID\ntrue\nfalse\n');
    expect(await printedRecords('table', records, shape)).toBe('ID\ntrue\nfalse\n');
  });

  it('aligns numbers to the right, but not in a pipe', async () => {
    const records = [{ total: 7 }, { total: 1200 }];
    const shape = { columns: [{ header: 'TOTAL', field: 'total' }] };
    expect(await printedRecords('table', records, shape, { terminal: 80 })).toBe(
      'TOTAL\n    7\n 1200\n',
    );
    expect(await printedRecords('table', records, shape)).toBe('TOTAL\n7\n1200\n');
  });

  it('prints nothing for an empty table', async () => {
    expect(await printedRecords('table', [], { columns }, { terminal: 80 })).toBe('');
  });

  it('uses only the sixteen colors of the terminal, which take no width', async () => {
    const state: readonly Column[] = [
      ...columns,
      { header: 'STATE', field: 'state', kind: 'state' },
    ];
    const records = ['done', 'failed', 'running', 'other'].map((word) => ({
      ...documents[1],
      state: word,
      documentName: false,
    }));
    const colored = await printedRecords(
      'table',
      records,
      { columns: state },
      { terminal: 80, color: true },
    );
    const plain = await printedRecords('table', records, { columns: state }, { terminal: 80 });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what this is about
    const codes = Array.from(colored.matchAll(/\u001b\[([0-9;]*)m/g), ([, code]) => code);
    expect(new Set(codes)).toEqual(new Set(['2', '22', '31', '32', '33', '39']));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above
    expect(colored.replace(/\u001b\[[0-9;]*m/g, '')).toBe(plain);
  });

  it('truncates nothing outside a terminal', async () => {
    expect(lines(await printedRecords('table', long, { columns }))[1]).toContain(text);
  });

  it('treats a terminal of unknown width as unlimited', async () => {
    expect(lines(await printedRecords('table', long, { columns }, { terminal: 0 }))[1]).toContain(
      text,
    );
  });

  const anyRecords = fc.array(fc.record({ id: anyText, documentName: anyText, other: anyText }), {
    minLength: 1,
    maxLength: 8,
  });
  const anyColumns: readonly Column[] = [
    ...columns.slice(0, 2),
    { header: 'OTHER', field: 'other' },
  ];

  it(
    'is escaped, keeps IDs whole, and fits as far as its other columns can shrink',
    SLOW,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          anyRecords,
          fc.integer({ min: 20, max: 120 }),
          async (records, terminal) => {
            const written = lines(
              await printedRecords('table', records, { columns: anyColumns }, { terminal }),
            );
            const isList = !written[0]?.startsWith('ID ') || !written[0].includes('NAME');
            const text = written.join('\n');
            for (const { id } of records) {
              const shown = escapeForTerminal(quoteUnclearId(id));
              expect(text).toContain(isList ? shown.split(' ', 1)[0] : shown.trimEnd());
            }
            for (const line of written) {
              expect(escapeForTerminal(line)).toBe(line);
              // In a list a word that is wider than the terminal stays whole.
              if (!isList) expect(stringWidth(line)).toBeLessThanOrEqual(terminal);
            }
          },
        ),
      );
    },
  );

  it('starts each column at the same position in every line', async () => {
    const word = fc.constantFrom(
      'plan',
      '四半期',
      'café',
      '👩‍👩‍👧',
      '🪐🪐',
      '한국어',
      '✅ ok',
      'नमस्ते',
      '🇯🇵',
      'e\u0301',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 2, maxLength: 8 }), async (words) => {
        const records = words.map((documentName) => ({ documentName, id: '|' }));
        const reversed = [...columns.slice(0, 2)].reverse();
        const written = lines(
          await printedRecords('table', records, { columns: reversed }, { headers: false }),
        );
        const places = written.map((line) => stringWidth(line.slice(0, line.indexOf('|'))));
        expect(new Set(places).size).toBe(1);
      }),
    );
  });
});

describe('a table of more records than are needed to choose its columns', () => {
  const given: readonly Column[] = [
    ...columns.slice(0, 2),
    { header: 'LATE', field: 'late', hideOrder: 1 },
  ];
  async function* pages() {
    yield Array.from({ length: 1_000 }, (_, at) => ({
      id: `d${at}`,
      documentName: 'a plan for the whole next year',
    }));
    yield [{ id: 'd'.repeat(12), documentName: 'Plan', late: 'x'.repeat(20) }];
    yield [];
    yield [{ id: 'e', documentName: 'Plan' }];
  }
  const print = async (options: PrintOptions) => {
    const notes: string[] = [];
    const note = async (message: string) => void notes.push(message);
    const texts = await writes('table', { ...options, note }, (printer) =>
      printer.records(pages(), { columns: given }),
    );
    return { lines: texts.join('').trimEnd().split('\n'), notes };
  };

  it('continues in the same columns on a terminal, never cuts an ID, and counts columns that get values too late', async () => {
    const { lines, notes } = await print({ terminal: 36 });
    expect(lines[0]).toBe('ID    NAME');
    expect(lines.slice(-2)).toEqual([`${'d'.repeat(12)}  Plan`, 'e     Plan']);
    expect(notes).toEqual(['1 column hidden; -o json or a wider terminal shows it']);
  });

  it('widens columns if the table still fits', async () => {
    const { lines, notes } = await print({ terminal: 80 });
    expect(lines.at(-2)).toBe(`${'d'.repeat(12)}  ${'Plan'.padEnd(30)}  ${'x'.repeat(20)}`);
    expect(notes).toEqual([]);
  });

  it('continues in a pipe, where columns widen', async () => {
    const { lines } = await print({});
    const starts = lines.map((line) => line.search(/a plan|Plan|NAME/));
    expect(new Set(starts.slice(0, -2))).toEqual(new Set([6]));
    expect(starts.slice(-2)).toEqual([14, 6]);
  });

  it('is printed in a pipe before the last page arrives', async () => {
    let count = 0;
    let countBeforeLastPage = 0;
    async function* twoPages() {
      yield Array.from({ length: 1_000 }, (_, at) => ({ id: `d${at}` }));
      countBeforeLastPage = count;
      yield [{ id: 'last' }];
    }
    const onWrite = () => {
      count += 1;
    };
    const written = await writes('table', { onWrite }, (printer) =>
      printer.records(twoPages(), { columns: given }),
    );
    expect(written.slice(0, countBeforeLastPage).join('')).toMatch(/\nd999\n$/);
    expect(written.slice(countBeforeLastPage)).toEqual(['last\n']);
  });
});

describe('a table of one value', () => {
  it('has one line per field, and indents the fields of objects and of objects in lists', async () => {
    const workspace = {
      id: 'w1',
      owner: { email: 'ada@example.com', name: 'Ada' },
      domains: ['a.example', 'b.example'],
      apiKeyList: {},
      tokens: [{ name: 'a', domains: [] }, { name: 'b' }, 'other'],
      note: null,
    };
    expect(await printedValue('table', workspace)).toBe(
      [
        'id          w1',
        'owner',
        '  email     ada@example.com',
        '  name      Ada',
        'domains     a.example, b.example',
        'apiKeyList  {}',
        'tokens',
        '  - name    a',
        '    domains',
        '  - name    b',
        '  -         other',
        'note',
        '',
      ].join('\n'),
    );
  });

  it('is never truncated', async () => {
    expect(await printedValue('table', { id: 'x'.repeat(99) }, {}, { terminal: 40 })).toContain(
      'x'.repeat(99),
    );
  });

  it('is wrapped between words on a terminal, under the value', async () => {
    const value = {
      id: 'w1',
      summary: 'comment.add, comment.update, comment.delete, comment.reaction_add',
    };
    expect(lines(await printedValue('table', value, {}, { terminal: 40 }))).toEqual([
      'id       w1',
      'summary  comment.add, comment.update,',
      '         comment.delete,',
      '         comment.reaction_add',
    ]);
    expect(lines(await printedValue('table', value))).toHaveLength(2);
  });

  it('gives long names lines of their own if the lines would be too long', async () => {
    const value = {
      id: 'w1',
      keys: { '86aeab37347b26909c33aac95c888177': { name: 'Local' } },
      none: null,
    };
    expect(lines(await printedValue('table', value, {}, { terminal: 40 }))).toEqual([
      'id        w1',
      'keys',
      '  86aeab37347b26909c33aac95c888177',
      '    name  Local',
      'none',
    ]);
    const wide = { id: 'w1', ['n'.repeat(30)]: 'a value of a field' };
    expect(lines(await printedValue('table', wide, {}, { terminal: 40 }))).toEqual([
      'id  w1',
      'n'.repeat(30),
      '    a value of a field',
    ]);
  });

  it('formats recognizable times on a terminal, and in a pipe only on request', async () => {
    const value = { createdAt: 1731705121000, count: 1731705121000, expiresAt: 1731705121 };
    const shown = [
      'createdAt  2024-11-15T21:12:01Z',
      'count      1731705121000',
      'expiresAt  1731705121',
    ];
    expect(lines(await printedValue('table', value, {}, { terminal: 80 }))).toEqual(shown);
    expect(lines(await printedValue('table', value))[0]).toBe('createdAt  1731705121000');
    const relative = { time: 'relative', now: 1731705121000 + 5 * 60_000 } as const;
    expect(lines(await printedValue('table', value, {}, { display: relative }))[0]).toBe(
      'createdAt  5 min ago',
    );
  });

  it('is the escaped text for text, and empty for nothing', async () => {
    expect(await printedValue('table', 'a\u001b[2Jb\nc')).toBe('a\\u001b[2Jb\\nc\n');
    expect(await printedValue('table', null)).toBe('');
    expect(await printedValue('table', {})).toBe('');
  });

  it('is a table of records for a list', async () => {
    expect(await printedValue('table', [{ id: 'a' }, { id: 'b' }])).toBe('ID\na\nb\n');
  });

  it("escapes the service's field names", async () => {
    expect(await printedValue('table', { 'a\u202eb': { c: 1 } })).toBe('a\\u202eb\n  c  1\n');
  });
});

it('a short table waits for the last page, so that an error leaves no partial output', async () => {
  async function* failing() {
    yield documents;
    throw new Error('connection lost');
  }
  const written: string[] = [];
  const run = writes('table', {}, async (printer) => {
    await printer.records(pagesOf(documents), { columns });
    await printer.records(failing(), { columns });
  }).then((texts) => written.push(...texts));
  await expect(run).rejects.toThrow('connection lost');
  expect(written).toEqual([]);
});
