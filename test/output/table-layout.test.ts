import CliTable from 'cli-table3';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { columnWidths, layOutRows, type TableLayout } from '../../src/output/table-layout.ts';
import type { Measure } from '../../src/output/width.ts';
import { SLOW } from '../slow.ts';
import { printedRecords, writes } from './printed.ts';

const COLUMNS = 3;
const rowsOf = (text: fc.Arbitrary<string>) =>
  fc.array(fc.array(text, { minLength: COLUMNS, maxLength: COLUMNS }), {
    minLength: 1,
    maxLength: 130,
  });
const asciiText = fc.string({ unit: fc.constantFrom('a', 'Z', '7', '-', ' '), maxLength: 12 });
const word = fc.constantFrom(
  'plan',
  '四半期',
  'café',
  '👩‍👩‍👧',
  '한국어',
  '🇯🇵',
  'e\u0301',
  'x'.repeat(30),
);
const wideText = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));

function layOut(rows: readonly string[][], measure: Measure, layout: Partial<TableLayout> = {}) {
  return [
    ...layOutRows(rows, { widths: columnWidths(rows, measure), measure, styles: [], ...layout }),
  ];
}

it('aligns cells as cli-table3 aligns the same cells', SLOW, () => {
  fc.assert(
    fc.property(
      rowsOf(asciiText),
      fc.array(fc.boolean(), { minLength: COLUMNS }),
      (rows, right) => {
        const edges = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((edge) => [
          edge,
          ...['left', 'mid', 'right'].map((end) => `${edge}-${end}`),
        ]);
        const reference = new CliTable({
          chars: { ...Object.fromEntries(edges.map((edge) => [edge, ''])), middle: '  ' },
          style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
          colWidths: columnWidths(rows, (text) => text.length),
          colAligns: right.slice(0, COLUMNS).map((isRight) => (isRight ? 'right' : 'left')),
        });
        reference.push(...rows);
        const laidOut = layOut(rows, (text) => text.length, { alignRight: right }).join('');
        expect(laidOut).toBe(`${reference.toString().replace(/ +$/gm, '')}\n`);
      },
    ),
    { numRuns: 30 },
  );
});

it('lays out many rows like each row alone', SLOW, () => {
  const narrow = fc.array(fc.integer({ min: 4, max: 30 }), {
    minLength: COLUMNS,
    maxLength: COLUMNS,
  });
  fc.assert(
    fc.property(rowsOf(wideText), narrow, (rows, widths) => {
      const layout = { widths, maxLines: [1, 3, 3] };
      const apart = rows.flatMap((row) => layOut([row], stringWidth, layout));
      expect(layOut(rows, stringWidth, layout).join('')).toBe(apart.join(''));
      for (const line of apart.join('').split('\n'))
        expect(stringWidth(line)).toBeLessThanOrEqual(
          widths.reduce((sum, width) => sum + width + 2, -2),
        );
    }),
    { numRuns: 30 },
  );
});

it('prints the same table however its records are divided into pages', SLOW, async () => {
  const records = fc.array(fc.record({ id: asciiText, name: wideText }), { maxLength: 60 });
  const terminal = fc.constantFrom(undefined, 40, 80, 100);
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.integer({ min: 1, max: 60 }),
      terminal,
      async (all, size, width) => {
        const columns = [
          { header: 'ID', field: 'id', kind: 'whole' },
          { header: 'NAME', field: 'name' },
        ] as const;
        async function* pages() {
          for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
        }
        const options = width === undefined ? {} : { terminal: width };
        const paged = await writes('table', options, (printer) =>
          printer.records(pages(), { columns }),
        );
        expect(paged.join('')).toBe(await printedRecords('table', all, { columns }, options));
      },
    ),
    { numRuns: 50 },
  );
});
