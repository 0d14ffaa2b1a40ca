import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type CutText, cutLongLists } from '../../../src/settings/file/long-lists.ts';
import { parseSettings, SettingsError } from '../../../src/settings/file/read-settings.ts';
import { codePoint } from '../../code-point.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';

/** Makes a file long enough to be cut. */
const PADDING = `# ${'x'.repeat(600_000)}\n`;

const { signal } = new AbortController();

const parse = (text: string) => parseTexts({ text });

async function parseTexts(texts: Pick<CutText, 'text' | 'lineOf'>) {
  const name = 'svc.yaml';
  const files = [{ name, folder: '/', ...texts }];
  return (await parseSettings({ name, files, environment: undefined, signal })).fields;
}

const cutText = (text: string) => cutLongLists(text, signal);

async function parseCut(text: string) {
  const cut = await cutText(text);
  return cut && { ...(await parseTexts(cut)), ...cut.lists };
}

const name = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom('Plans', 'Road map', 'v1.2-beta', '第三') },
  fc.string(),
  fc.string({ unit: codePoint }),
  fc.constantFrom(
    'Plans',
    'true',
    'null',
    '~',
    'a: b',
    'a #b',
    "it's",
    '"q"',
    '12',
    '1e5',
    '第三',
    'x, y',
    '{z}',
    '- a',
    '${v}',
    '$${v}',
    '',
  ),
);
const folders = fc
  .uniqueArray(
    fc.record({
      folderId: fc.stringMatching(/^[a-z][\w.-]{1,8}$/),
      folderName: name,
      own: fc.option(fc.boolean()),
    }),
    { selector: ({ folderId }) => folderId, minLength: 1, maxLength: 4 },
  )
  .map((records) =>
    records.map(({ own, ...record }) => ({
      organizationId: 'acme',
      ...record,
      ...(own !== null && { inheritAccessFromParent: own }),
    })),
  );
const documents = fc
  .uniqueArray(fc.stringMatching(/^[a-z][\w.-]{1,8}$/))
  .map((ids) => ids.map((documentId) => ({ organizationId: 'acme', documentId })));

/** Writes a file in one of the usual forms. */
const FORMS: Readonly<
  Record<string, (lists: { folders: readonly object[]; documents: readonly object[] }) => string>
> = {
  block: (lists) => PADDING + stringify({ svc: 1, ...lists, stack: 'acme' }),
  flow: (lists) =>
    `${PADDING}svc: 1\n${Object.entries(lists)
      .map(
        ([kind, records]) =>
          `${kind}:\n${records.map((record) => `- ${stringify(record, { collectionStyle: 'flow', lineWidth: 0 })}`).join('')}`,
      )
      .join('')}stack: acme\n`,
  json: (lists) => JSON.stringify({ svc: 1, ...lists, stack: 'a'.repeat(600_000) }),
};

it.each(Object.keys(FORMS))(
  'reads lists in %s form as a complete reading does, or not at all',
  SLOW,
  async (form) => {
    let cuts = 0;
    await fc.assert(
      fc.asyncProperty(folders, documents, async (folderRecords, documentRecords) => {
        const text = FORMS[form]?.({ folders: folderRecords, documents: documentRecords }) ?? '';
        const cut = await attempt(() => parseCut(text));
        if (cut === undefined) return;
        cuts += 1;
        expect(cut).toEqual(await attempt(() => parse(text)));
      }),
      { numRuns: repeats(9) },
    );
    expect(cuts).toBeGreaterThan(repeats(3));
  },
);

/** Returns the problems instead of throwing them. */
async function attempt(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

const record = (id: string, rest = '') => `  - { organizationId: acme, folderId: ${id}${rest} }\n`;

it.each([
  ['a duplicate', `folders:\n${record('a')}${record('a')}`],
  [
    'a cycle',
    `folders:\n${record('a', ', parentFolderId: b')}${record('b', ', parentFolderId: a')}`,
  ],
  ['an unknown field', `folders:\n${record('a', ', shade: red')}`],
  ['a number', `folders:\n${record('a', ', folderName: 12')}`],
  ['a variable', `vars: { v: x }\nfolders:\n${record('a', `, folderName: "\${v}"`)}`],
  ['an anchor', `folders:\n${record('&x a')}`],
  [
    'an environment',
    `folders:\n${record('a')}environments:\n  prod:\n    folders:\n${record('a')}`,
  ],
  ['a tag', `folders:\n${record('a', ', folderName: !!str x')}`],
  ['a merged map', `folders:\n${record('a', ', <<: { folderName: x }')}`],
  ['an error', `folders:\n${record('a', ', folderName: "x')}`],
  ['the same list twice', `folders:\n${record('a')}folders:\n${record('b')}`],
])('leaves a file with %s to the complete reading', async (_, text) => {
  expect(await cutText(PADDING + text)).toBeUndefined();
});

it('reads long lists in parts, whatever their texts contain', SLOW, async () => {
  const records = Array.from(
    { length: 2_500 },
    (_, at) =>
      `  # ${at}\n  - organizationId: acme\n    folderId: f${at}\n    folderName: ${['|\n      - x\n      y', '"\\u0041 \n      - b"', '>-\n\n      c\n      d', "'e''f' # g"][at % 4]}\n`,
  );
  const text = `${PADDING}folders:\n${records.join('')}stack: acme\n`;
  const cut = await parseCut(text);
  expect(cut?.folders).toHaveLength(2_500);
  expect(cut).toEqual(await parse(text));
});

it('keeps the lines of everything else', async () => {
  const text = `${PADDING}folders:\n${record('a')}\n  # a comment\n${record('b')}stack: acme\nconfig: { email: { x: 1 } }\n`;
  const cut = await cutText(text);
  expect(cut?.lists.folders?.map(({ folderId }) => folderId)).toEqual(['a', 'b']);
  expect(await attempt(() => cut && parseTexts(cut))).toEqual([
    expect.stringContaining('svc.yaml:8:20: config.email.x: unknown field'),
  ]);
  expect(await attempt(() => parse(text))).toEqual([
    expect.stringContaining('svc.yaml:8:20: config.email.x: unknown field'),
  ]);
});

it('does not cut short files', async () => {
  expect(await cutText(`folders:\n${record('a')}`)).toBeUndefined();
});

it('stops at a signal', async () => {
  const controller = new AbortController();
  const records = Array.from({ length: 10_000 }, (_, at) => record(`f${at}`));
  const cut = cutLongLists(`${PADDING}folders:\n${records.join('')}`, controller.signal);
  controller.abort(new Error('stopped'));
  await expect(cut).rejects.toThrow('stopped');
});

it('stops a complete reading at a signal, without ending it first', SLOW, async () => {
  const records = Array.from({ length: 5_000 }, (_, at) => record(`f${at}`, ', folderName: "x"'));
  const files = [{ name: 'svc.yaml', folder: '/', text: `folders:\n${records.join('')}` }];
  const measure = async (stop: boolean) => {
    const controller = new AbortController();
    if (stop) setImmediate(() => controller.abort(new Error('stopped')));
    const start = performance.now();
    const request = { name: 'svc.yaml', files, environment: undefined, signal: controller.signal };
    const outcome = await parseSettings(request).catch(({ message }: Error) => message);
    return { outcome, time: performance.now() - start };
  };
  const { time } = await measure(false);
  const stopped = await measure(true);
  expect(stopped.outcome).toBe('stopped');
  expect(stopped.time).toBeLessThan(time / 2);
});

it('reports a field that occurs twice in a long JSON file', async () => {
  const text = (field: string) =>
    `{"svc":1,"folders":[{"organizationId":"a","folderId":"b"${field}}],"stack":"${'x'.repeat(600_000)}"}`;
  expect((await parseCut(text(',"folderName":"\\"c\\": d"')))?.folders).toHaveLength(1);
  expect(await parseCut(text(',"folderId":"c"'))).toBeUndefined();
  await expect(parse(text(',"folderId":"c"'))).rejects.toThrow("the field 'folderId' occurs twice");
});
