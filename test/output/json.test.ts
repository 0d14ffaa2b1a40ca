import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { escapeForTerminal, escapeJsonForTerminal } from '../../src/kernel/safe-text.ts';
import type { Printer } from '../../src/output/printer.ts';
import { SLOW } from '../slow.ts';
import { anyJson } from './arbitraries.ts';
import { pagesOf, printedRecords, printedValue, writes } from './printed.ts';

const records = [{ id: 'd1', tags: ['a'], owner: { name: 'Ada' } }, { id: 'd2' }];

describe('json', () => {
  it('is one document, indented by two spaces', async () => {
    const text = `[
  {
    "id": "d1",
    "tags": [
      "a"
    ],
    "owner": {
      "name": "Ada"
    }
  },
  {
    "id": "d2"
  }
]
`;
    expect(await printedRecords('json', records)).toBe(text);
    expect(await printedValue('json', records)).toBe(text);
    expect(await printedValue('json', records[1])).toBe('{\n  "id": "d2"\n}\n');
    expect(await printedValue('json', undefined)).toBe('null\n');
  });

  it.each(['json', 'yaml'] as const)(
    'writes long lists of an object in parts (%s)',
    SLOW,
    async (format) => {
      const list = (length: number) =>
        Array.from({ length }, (_, at) => ({ id: `d${at}`, tags: at % 3 ? ['a\n\u009b', 1] : [] }));
      const value = {
        'a b': list(2_001),
        none: undefined,
        short: list(2),
        empty: [],
        n: list(1_001),
      };
      const print = (printer: Printer) => printer.value(value, {});
      const parts = await writes(format, { terminal: 80 }, print);
      expect(parts.length).toBeGreaterThan(4);
      const json = JSON.stringify(value, null, 2);
      expect(parseYaml(parts.join(''))).toEqual(JSON.parse(json));
      if (format === 'json') expect(parts.join('')).toBe(`${escapeJsonForTerminal(json)}\n`);
    },
  );

  it('without records is an empty array', async () => {
    expect(await printedRecords('json', [])).toBe('[]\n');
    expect((await writes('json', {}, (printer) => printer.records(pagesOf(), {}))).join('')).toBe(
      '[]\n',
    );
  });

  it('is written page by page as one document', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyJson, { maxLength: 3 }), { maxLength: 4 }),
        async (pages) => {
          const written = await writes('json', {}, (printer) =>
            printer.records(pagesOf(...pages), {}),
          );
          expect(written.join('')).toBe(`${JSON.stringify(pages.flat(), null, 2)}\n`);
          expect(written).toHaveLength(pages.filter((page) => page.length > 0).length + 1);
        },
      ),
    );
  });
});

describe('ndjson', () => {
  it('is one record per line', async () => {
    const text = '{"id":"d1","tags":["a"],"owner":{"name":"Ada"}}\n{"id":"d2"}\n';
    expect(await printedRecords('ndjson', records)).toBe(text);
    expect(await printedValue('ndjson', records)).toBe(text);
    expect(await printedValue('ndjson', records[1])).toBe('{"id":"d2"}\n');
    expect(await printedRecords('ndjson', [])).toBe('');
  });

  it('writes a page before it requests the next', async () => {
    const order: string[] = [];
    async function* pages() {
      order.push('asked for 1');
      yield [1];
      order.push('asked for 2');
      yield [2];
    }
    const { createPrinter } = await import('../../src/output/printer.ts');
    const { Writable } = await import('node:stream');
    const write = async (text: string | Uint8Array) =>
      void order.push(`wrote ${String(text).trim()}`);
    await createPrinter(
      { isTerminal: false, columns: undefined, stream: new Writable(), write },
      { format: 'ndjson', headers: true, quiet: false, showSecrets: false, color: false },
    ).records(pages(), {});
    expect(order).toEqual(['asked for 1', 'wrote 1', 'asked for 2', 'wrote 2']);
  });
});

describe.each(['json', 'ndjson'] as const)('%s of server text', (format) => {
  it('is unchanged for a program', async () => {
    expect(await printedValue(format, 'a\u202eb\u200cc')).toBe('"a\u202eb\u200cc"\n');
  });

  it('escapes every unsafe character for a terminal, and reads back the same', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, async (value) => {
        const text = await printedValue(format, { value }, {}, { terminal: 80 });
        for (const line of text.split('\n')) expect(escapeForTerminal(line)).toBe(line);
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify({ value }));
      }),
    );
  });
});
