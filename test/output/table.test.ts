import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Column } from '../../src/catalog/define.ts';
import { safeText } from '../../src/kernel/safe-text.ts';
import { anyText } from './arbitraries.ts';
import { pagesOf, printedRecords, printedValue, writes } from './printed.ts';

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
  it('aligns columns by what a terminal shows, and writes times as RFC 3339', async () => {
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

  it('leaves the header out when asked', async () => {
    expect(await printedRecords('table', [documents[0]], { columns }, { headers: false })).toBe(
      'd1  Q3 plan  2024-11-15T21:12:01Z\n',
    );
  });

  it('shows every field of records that no operation describes', async () => {
    expect(await printedRecords('table', [{ folderId: 'f1' }, { active: true, tags: ['a', 'b'], at: { x: 1 } }])).toBe(
      ['FOLDER ID  ACTIVE  TAGS  AT', 'f1', '           true    a, b  {"x":1}', ''].join('\n'),
    );
  });

  it('shows bare values under one header', async () => {
    expect(await printedRecords('table', ['a', 2])).toBe('VALUE\na\n2\n');
  });

  it('of no records is its header alone', async () => {
    expect(await printedRecords('table', [], { columns })).toBe('ID  NAME  UPDATED\n');
    expect(await printedRecords('table', [])).toBe('');
  });

  it('leaves what is no time as it is', async () => {
    const records = [{ lastUpdated: 'soon' }, { lastUpdated: 1e300 }, { lastUpdated: 7 }, { lastUpdated: '5' }];
    expect(await printedRecords('table', records, { columns: columns.slice(2) }, { headers: false })).toBe(
      'soon\n1e+300\n1970-01-01T00:00:00Z\n5\n',
    );
  });

  it('dims its header only in colour', async () => {
    const colored = await printedRecords('table', [documents[0]], { columns: columns.slice(0, 1) }, { color: true });
    expect(colored).toBe('\u001b[2mID\u001b[22m\nd1\n');
  });

  it('of thousands of rows keeps one set of widths', async () => {
    const many = Array.from({ length: 2500 }, (_, index) => ({ id: `d${index}`, documentName: 'x' }));
    const written = lines(await printedRecords('table', many, { columns }));
    expect(written).toHaveLength(2501);
    expect(written[1]).toBe('d0     x');
    expect(written[2500]).toBe('d2499  x');
  });
});

describe('a table on a terminal', () => {
  const long = [{ id: 'd'.repeat(30), documentName: 'n'.repeat(60), lastUpdated: 1731705121000 }];

  it('cuts text to the width, then times to the day, and never an id', async () => {
    expect(lines(await printedRecords('table', long, { columns }, { terminal: 80 }))[1]).toBe(
      `${'d'.repeat(30)}  ${'n'.repeat(25)}…  2024-11-15T21:12:01Z`,
    );
    expect(lines(await printedRecords('table', long, { columns }, { terminal: 20 }))[1]).toBe(
      `${'d'.repeat(30)}  nnnnn…  2024-11-15…`,
    );
  });

  it('cuts nothing anywhere else', async () => {
    expect(lines(await printedRecords('table', long, { columns }))[1]).toContain('n'.repeat(60));
  });

  it('takes a terminal that does not say its width as endless', async () => {
    expect(lines(await printedRecords('table', long, { columns }, { terminal: 0 }))[1]).toContain('n'.repeat(60));
  });

  const anyRecords = fc.array(fc.record({ id: anyText, documentName: anyText, other: anyText }), {
    minLength: 1,
    maxLength: 8,
  });
  const anyColumns: readonly Column[] = [...columns.slice(0, 2), { header: 'OTHER', field: 'other' }];

  it('is safe, keeps ids whole and fits as far as its other columns can shrink', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, fc.integer({ min: 20, max: 120 }), async (records, terminal) => {
        const written = lines(await printedRecords('table', records, { columns: anyColumns }, { terminal }));
        expect(written).toHaveLength(records.length + 1);
        const widest = Math.max(2, ...records.map(({ id }) => stringWidth(safeText(id))));
        for (const [row, { id }] of records.entries()) {
          const line = written[row + 1] ?? '';
          expect(safeText(line)).toBe(line);
          expect(line.startsWith(safeText(id).trimEnd())).toBe(true);
          expect(stringWidth(line)).toBeLessThanOrEqual(Math.max(terminal, widest + 2 * (6 + 2)));
        }
      }),
    );
  });

  it('starts each column at the same place in every line', async () => {
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
        const written = lines(await printedRecords('table', records, { columns: reversed }, { headers: false }));
        const places = written.map((line) => stringWidth(line.slice(0, line.indexOf('|'))));
        expect(new Set(places).size).toBe(1);
      }),
    );
  });
});

describe('a table of one value', () => {
  it('is a line for each field, under the path that --fields takes', async () => {
    const workspace = {
      id: 'w1',
      owner: { email: 'ada@example.com', name: 'Ada' },
      domains: ['a.example', 'b.example'],
      apiKeyList: {},
      note: null,
    };
    expect(await printedValue('table', workspace)).toBe(
      [
        'id           w1',
        'owner.email  ada@example.com',
        'owner.name   Ada',
        'domains      a.example, b.example',
        'apiKeyList   {}',
        'note',
        '',
      ].join('\n'),
    );
  });

  it('is never cut', async () => {
    expect(await printedValue('table', { id: 'x'.repeat(99) }, {}, { terminal: 40 })).toContain('x'.repeat(99));
  });

  it('of text is the text, made safe, and of nothing is nothing', async () => {
    expect(await printedValue('table', 'a\u001b[2Jb\nc')).toBe('a\\u001b[2Jb\\nc\n');
    expect(await printedValue('table', null)).toBe('');
    expect(await printedValue('table', {})).toBe('');
  });

  it('of a list is the table of its records', async () => {
    expect(await printedValue('table', [{ id: 'a' }, { id: 'b' }])).toBe('ID\na\nb\n');
  });

  it('escapes names that the service chose', async () => {
    expect(await printedValue('table', { 'a\u202eb': { c: 1 } })).toBe('a\\u202eb.c  1\n');
  });
});

it('a table waits for the last page, so that a failure on the way leaves nothing half printed', async () => {
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
