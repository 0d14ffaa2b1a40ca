import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readCheckedRecords } from '../../src/bulk/checked-records.ts';
import { checkRecords } from '../../src/bulk/record-check.ts';
import { openInput } from '../../src/bulk/record-input.ts';
import { RecordTargets } from '../../src/bulk/record-targets.ts';
import { activities } from '../../src/catalog/activities.ts';
import { type BulkFields, bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import { documents } from '../../src/catalog/documents.ts';
import { folders } from '../../src/catalog/folders.ts';
import { elementOf, shapeOf } from '../../src/catalog/introspect.ts';
import { findIdProblem } from '../../src/kernel/id-text.ts';
import { createPrinter } from '../../src/output/printer.ts';
import { singlePage } from '../../src/output/renderer.ts';
import { printedRecords } from '../output/printed.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** The requests for the records of a file, or the reason for its rejection. */
async function sent(fields: BulkFields, folder: string, name: string, text: string) {
  await writeFile(join(folder, name), text);
  const { signal } = new AbortController();
  const input = await openInput({
    files: [{ file: name }],
    cwd: folder,
    stdin: { stream: Readable.from([]) },
    signal,
    spool: '',
    ...fields,
  });
  const targets = new RecordTargets(fields, { organizationId: 'acme' });
  const rules = { fields, shared: {}, targets, duplicates: 'first', generateId: String } as const;
  const found = await checkRecords(input, rules, signal);
  if (found.diagnosticCount > 0) return found.diagnostics.map(({ field }) => field);
  const records: unknown[] = [];
  for await (const block of readCheckedRecords(input, rules, found)) {
    for (const { json } of block.records) records.push(JSON.parse(json));
  }
  return records;
}

const ids = fc.constantFrom(
  '0123',
  '12345678901234567890',
  'no',
  'true',
  'null',
  '~',
  '1e5',
  '1e999',
  '-1',
  '0x10',
  'a b',
);
const text = fc.oneof(
  ids,
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((any) => !any.includes('\0')),
);
const free = fc
  .jsonValue({ maxDepth: 3, noUnicodeString: true })
  .map((value) => JSON.parse(JSON.stringify(value)));
const record = fc.record(
  {
    id: text,
    featureType: text,
    actionType: fc.oneof(text, fc.constant(null), fc.integer()),
    actionUser: fc.record({ userId: text, name: fc.oneof(text, fc.constant(null)), more: free }),
    changes: fc.dictionary(fc.constantFrom('a', 'b'), fc.record({ from: free, to: free })),
    entityData: free,
    displayMessageTemplateData: fc.dictionary(fc.constantFrom('x', 'y'), free),
    actionIcon: fc.oneof(text, fc.constant(null)),
    organizationId: fc.constantFrom('acme', 'acme', 'acme', 'beta', null),
    stranger: free,
  },
  { requiredKeys: ['featureType', 'actionType', 'actionUser'] },
);

/** Quoted keys: `<<` without quotes merges another mapping. */
const YAML_OPTIONS = { aliasDuplicateObjects: false, defaultKeyType: 'QUOTE_DOUBLE' } as const;

describe('the same records', () => {
  it(
    'become the same requests, or are rejected for the same fields, as JSON, NDJSON, and YAML',
    SLOW,
    async () => {
      const fields = bulkFieldsOf(activities['activities.add']);
      const folder = await createTemporaryFolder();
      let refusals = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 4 }), async (records) => {
          const json = await sent(fields, folder, 'r.json', JSON.stringify(records));
          const ndjson = await sent(
            fields,
            folder,
            'r.ndjson',
            records.map((one) => JSON.stringify(one)).join('\n'),
          );
          expect(ndjson).toEqual(json);
          // Numbers are no text in JSON, and IDs without quotes in YAML.
          fc.pre(!records.some(({ actionType }) => typeof actionType === 'number'));
          const yaml = await sent(fields, folder, 'r.yaml', stringify(records, YAML_OPTIONS));
          expect(yaml).toEqual(json);
          refusals += json.some((one) => typeof one === 'string') ? 1 : 0;
        }),
        { numRuns: repeats(15) },
      );
      expect(refusals).toBeGreaterThan(0);
    },
  );
});

describe('the output of a list command', () => {
  it.each(['json', 'ndjson', 'yaml', 'csv'] as const)(
    'is valid input as %s, without its read-only fields',
    async (format) => {
      const folder = await createTemporaryFolder();
      const listed = fc.record({
        id: text,
        documentName: text,
        disabled: fc.boolean(),
        accessType: text,
      });
      const { columns = [] } = documents['documents.list'];
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(listed, { selector: ({ id }) => id, minLength: 1, maxLength: 5 }),
          async (list) => {
            const printed = await printedRecords(format, list, { columns });
            const expected = list.map(({ id, documentName }) => ({ documentId: id, documentName }));
            const name = `d.${format}`;
            expect(
              await sent(bulkFieldsOf(documents['documents.add']), folder, name, printed),
            ).toEqual(expected);
          },
        ),
        { numRuns: repeats(15) },
      );
    },
  );

  it('keeps the fields of a folder that can be sent, and leaves records without the listed ID unchanged', async () => {
    const folder = await createTemporaryFolder();
    const read = {
      createdAt: 1,
      lastUpdated: 2,
      apiKey: 'k',
      ancestors: ['root'],
      inheritAccessFromParent: false,
    };
    const own = { folderId: 'f', folderName: 'F', parentFolderId: 'root', organizationId: 'acme' };
    const file = JSON.stringify([
      { ...own, ...read, accessType: 'public', subFolders: [], note: 'x' },
    ]);
    const { organizationId: _, ...kept } = own;
    const add = bulkFieldsOf(folders['folders.add']);
    expect(await sent(add, folder, 'f.json', file)).toEqual([
      { ...kept, accessType: 'public', note: 'x' },
    ]);
    expect(await sent(bulkFieldsOf(folders['folders.update']), folder, 'f.json', file)).toEqual([
      { ...kept, note: 'x' },
    ]);
    const inherited = [{ ...own, accessType: 'restricted', inheritAccessFromParent: true }];
    for (const format of ['json', 'yaml'] as const)
      expect(
        await sent(add, folder, `f.${format}`, await printedRecords(format, inherited)),
      ).toEqual([kept]);
    const written = [{ documentId: 'd', id: 'other', accessType: 'public' }];
    expect(
      await sent(
        bulkFieldsOf(documents['documents.add']),
        folder,
        'd.json',
        JSON.stringify(written),
      ),
    ).toEqual(written);
    const local = [{ ...written[0], documentName: 'D', disabled: false, createdAt: 1 }];
    expect(
      await sent(bulkFieldsOf(documents['documents.add']), folder, 'd.json', JSON.stringify(local)),
    ).toEqual([{ documentId: 'd', documentName: 'D' }]);
  });

  it.each(['json', 'ndjson', 'yaml'] as const)(
    'may have folders inside folders as %s',
    async (format) => {
      interface Tree {
        readonly folderId: string;
        readonly subFolders?: readonly Tree[];
      }
      const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
        tree: fc.record(
          {
            folderId: text,
            folderName: text,
            subFolders: fc.array(tie('tree'), { maxLength: 3, depthIdentifier: 'tree' }),
          },
          { requiredKeys: ['folderId', 'folderName'] },
        ),
      }));
      const flatten = ({ subFolders = [], ...own }: Tree): readonly object[] => [
        own,
        ...subFolders.flatMap(flatten),
      ];
      const [folder, fields] = [
        await createTemporaryFolder(),
        bulkFieldsOf(folders['folders.add']),
      ];
      await fc.assert(
        fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 3 }), async (trees) => {
          const expected = trees.flatMap(flatten) as readonly Tree[];
          fc.pre(new Set(expected.map(({ folderId }) => folderId)).size === expected.length);
          expect(
            await sent(fields, folder, `f.${format}`, await printedRecords(format, trees)),
          ).toEqual(expected);
        }),
        { numRuns: repeats(15) },
      );
    },
  );

  it.each([
    [documents['documents.list'], documents['documents.add']],
    [folders['folders.list'], folders['folders.add']],
    [folders['folders.list'], folders['folders.update']],
  ])('%# has no field that the catalog does not know as input', (list, write) => {
    const { listed, id, knownFields, targetFields } = bulkFieldsOf(write);
    const fields = Object.keys(shapeOf(elementOf(list.output)));
    const known = [
      ...knownFields,
      ...targetFields.map(({ name }) => name),
      listed?.id ?? id,
      ...(listed?.readOnly ?? []),
    ];
    expect(fields.filter((name) => name !== listed?.nested && !known.includes(name))).toEqual([]);
  });
});

describe('CSV output', () => {
  const cell = fc.oneof(
    text,
    fc
      .array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '＝', 'd1'), {
        minLength: 1,
        maxLength: 4,
      })
      .map((marks) => marks.join('')),
  );

  it('can be read back unchanged', SLOW, async () => {
    const fields = bulkFieldsOf(documents['documents.add']);
    const folder = await createTemporaryFolder();
    const id = cell.filter((value) => findIdProblem(value) === undefined);
    const records = fc.array(fc.record({ documentId: id, documentName: cell }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(records, async (list) => {
        const chunks: string[] = [];
        const sink = {
          isTerminal: false,
          columns: undefined,
          write: async (chunk: string) => void chunks.push(chunk),
        };
        const how = {
          format: 'csv',
          headers: true,
          quiet: false,
          showSecrets: false,
          color: false,
        } as const;
        await createPrinter(sink as never, how).records(singlePage(list), {});
        const unique = list.filter(
          ({ documentId }, at) => list.findIndex((one) => one.documentId === documentId) === at,
        );
        expect(await sent(fields, folder, 'd.csv', chunks.join(''))).toEqual(unique);
      }),
      { numRuns: repeats(40) },
    );
  });
});
