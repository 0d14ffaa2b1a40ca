import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findIdProblem } from '../../../src/kernel/id-text.ts';
import { toValue } from '../../../src/settings/file/tree.ts';
import type { LiveRecord } from '../../../src/settings/live-records.ts';
import { createSettings } from '../../../src/settings/pull/create-settings.ts';
import { codePoint } from '../../code-point.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { endpoint, folder, parse, pull, readWorld, type World } from './pulled-world.ts';

const nasty = fc.constantFrom(
  "it's",
  'a: b',
  '# no',
  'x #y',
  'ünï 界 😀',
  '${x}',
  '$${x}',
  '$',
  'yes',
  'null',
  '0123',
  '1e3',
  ' lead',
  'tail ',
  '\ttab',
  '- a',
  '[a',
  '{a',
  '"q"',
  'back\\slash',
  '*a',
  '&a',
  '!a',
  '|',
  '>',
  '%a',
  '@a',
  '`a',
  '---',
  '...',
  ':',
  'a:',
  '<<',
  '~',
  '=',
);
const text = fc
  .oneof(nasty, fc.string({ unit: codePoint, maxLength: 8 }), fc.string({ maxLength: 12 }))
  .filter((value) => value !== '');
const word = fc.stringMatching(/^[A-Za-z0-9._-]{1,6}$/);
const words = fc.option(fc.uniqueArray(word, { minLength: 1, maxLength: 3 }));
const url = fc
  .tuple(fc.constantFrom('https://x.example', 'http://y.example:80'), word)
  .map((parts) => parts.join('/'));

const endpoints = fc
  .uniqueArray(
    fc.tuple(
      word.filter((uid) => !uid.startsWith('ep_')),
      fc.boolean(),
    ),
    { maxLength: 5, selector: ([uid]) => uid },
  )
  .chain((ids) =>
    fc.tuple(
      ...ids.map(([uid, hasUid]) =>
        fc
          .record({
            url,
            description: fc.option(fc.oneof(text, fc.constant(''))),
            filterTypes: words,
            channels: words,
            disabled: fc.boolean(),
            rateLimit: fc.option(fc.integer({ min: 1, max: 9 })),
          })
          .map((fields) => endpoint(hasUid ? uid : null, { ...fields, id: `ep_${uid}` })),
      ),
    ),
  );
const id = text.filter((value) => findIdProblem(value) === undefined);
const folders = fc
  .uniqueArray(id, { maxLength: 4 })
  .chain((ids) =>
    fc.tuple(
      ...ids
        .filter((id) => id !== 'root')
        .map((id) =>
          fc
            .record({ folderName: text, inheritAccessFromParent: fc.boolean() })
            .map((fields) => folder(id, fields)),
        ),
    ),
  );
const triggers = fc.dictionary(
  fc.constantFrom('comment.add', 'comment.delete', 'x'),
  fc.boolean(),
  { noNullPrototype: true },
);
const configs = fc.record({
  webhook: fc.record({
    useWebhookService: fc.boolean(),
    webhookServiceConfig: fc.record({
      rawNotificationUrl: fc.option(url, { nil: '' }),
      publicKey: text,
      triggers,
      authToken: fc.constantFrom('', '****'),
    }),
  }),
  advancedWebhooks: fc.record({
    isEnabled: fc.boolean(),
    encodeData: fc.boolean(),
    publicKey: fc.constant(''),
  }),
});
const world: fc.Arbitrary<World> = fc.record({ endpoints, folders, configs });

/** Returns the values of a file, without secrets and without fields that are not set. */
async function valuesOf(file: string) {
  const {
    config,
    endpoints: list = [],
    folders: tree = [],
  } = toValue((await parse(file)).tree) as Readonly<Record<string, readonly LiveRecord[]>>;
  return {
    config,
    endpoints: new Map(list.map((one) => [one['uid'] ?? one['id'], one])),
    folders: new Map(tree.map((one) => [one['folderId'], one])),
  };
}

const isSet = (value: unknown) => value !== null && value !== undefined;

describe('a pulled file', () => {
  it('has exactly the live values', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(world, async (live) => {
        const file = createSettings('acme', readWorld(live));
        const found = await valuesOf(file);
        for (const { createdAt, updatedAt, id, ...fields } of live.endpoints ?? []) {
          const wanted = Object.fromEntries(
            Object.entries(fields).filter(([, value]) => isSet(value)),
          );
          const { uid, ...others } = wanted;
          const isDeclared = /^[^.]+(?:\.[^.]+)?$/.test(String(uid ?? '.'));
          expect(found.endpoints.get(isDeclared ? uid : id)).toEqual({
            ...(isDeclared ? { uid } : { id }),
            ...others,
          });
        }
        for (const { folderId, folderName, accessType, inheritAccessFromParent } of live.folders ??
          [])
          expect(found.folders.get(folderId)).toEqual({
            organizationId: 'o',
            folderId,
            folderName,
            ...(!inheritAccessFromParent && { accessType }),
          });
        expect([found.endpoints.size, found.folders.size]).toEqual([
          live.endpoints?.length,
          live.folders?.length,
        ]);
        const { authToken, rawNotificationUrl, publicKey, triggers } = Object(
          live.configs?.webhook?.['webhookServiceConfig'],
        );
        expect(Object(found.config)['webhook'].webhookServiceConfig).toEqual({
          publicKey,
          ...(rawNotificationUrl && { rawNotificationUrl }),
          ...(Object.keys(triggers).length > 0 && { triggers }),
          ...(authToken && { authToken: { env: 'SVC_WEBHOOK_AUTH_TOKEN' } }),
        });
        expect(await pull(file, live)).toEqual({ text: file, notes: [], affected: [] });
      }),
      { numRuns: repeats(30) },
    );
  });

  it('follows any change of the live records, and is then unchanged', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(
        world,
        world,
        fc.constantFrom('\n', '\r\n'),
        async (before, after, newline) => {
          const file = createSettings(undefined, readWorld(before)).replaceAll('\n', newline);
          const edited = await pull(file, after);
          expect(edited.notes).toEqual([]);
          expect(await pull(edited.text, after)).toEqual(edited);
          const { endpoints: keys } = await valuesOf(edited.text);
          expect(keys.size).toBe(after.endpoints?.length);
          for (const { uid, id } of after.endpoints ?? [])
            expect(keys.has(uid) || keys.has(id)).toBe(true);
          expect(edited.text.replaceAll(newline, '')).not.toMatch(
            newline === '\n' ? /\r/ : /[\r\n]/,
          );
        },
      ),
      { numRuns: repeats(30) },
    );
  });
});

type Style = 'plain' | 'single' | 'double';

/** Writes a text in a style, if the style can express it. */
function write(value: unknown, style: Style): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  const escaped = value.replaceAll('${', () => '$${');
  if (style === 'plain' && /^[a-z]+$/.test(value) && !['yes', 'null'].includes(value)) return value;
  if (style === 'single' && /^[ -~]*$/.test(value)) return `'${escaped.replaceAll("'", "''")}'`;
  return JSON.stringify(escaped).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const fieldsOfFile = fc.record({
  url: fc.tuple(url, fc.constantFrom<Style>('single', 'double')),
  description: fc.tuple(text, fc.constantFrom<Style>('plain', 'single', 'double')),
  disabled: fc.tuple(fc.boolean(), fc.constant<Style>('plain')),
  rateLimit: fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constant<Style>('plain')),
});
const change = fc.record(
  { url, description: text, disabled: fc.boolean(), rateLimit: fc.integer({ min: 1, max: 9 }) },
  { requiredKeys: [] },
);
const styledRecord = fc.record({
  fields: fieldsOfFile,
  change,
  isFlow: fc.boolean(),
  comment: fc.constantFrom('', ' # c', '   #  "${c}" \'', '\t# tab'),
  above: fc.constantFrom('', '# above: [', '\n', '   # indented'),
  keys: fc.shuffledSubarray(['url', 'description', 'disabled', 'rateLimit'], { minLength: 4 }),
});

const COMMENTS = [
  '# top',
  '# all',
  '# last',
  '# c',
  '"${c}" \'',
  '# tab',
  '# above: [',
  '# indented',
];

/** Writes endpoints in many styles. Returns the text, and their values before and after a change. */
const styledFile = fc
  .tuple(
    fc.array(styledRecord, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )
  .map(([records, newline, endsWithNewline]) => {
    const lines = ['# top', 'endpoints:   # all'];
    for (const [index, { fields, isFlow, comment, above, keys }] of records.entries()) {
      if (above !== '') lines.push(...above.split('\n'));
      const pairs = keys.map(
        (key) => `${key}: ${write(...(fields[key as keyof typeof fields] as [unknown, Style]))}`,
      );
      if (isFlow) lines.push(`  - { uid: u${index}, ${pairs.join(',  ')} }${comment}`);
      else lines.push(`  -  uid: u${index}${comment}`);
      if (!isFlow) lines.push(...pairs.map((pair) => `     ${pair}${comment}`));
    }
    lines.push('stack: s # last');
    const before = records.map(({ fields }) =>
      Object.fromEntries(Object.entries(fields).map(([name, [value]]) => [name, value])),
    );
    const after = records.map(({ change: changed }, at) => ({ ...before[at], ...changed }));
    return { text: lines.join(newline) + (endsWithNewline ? newline : ''), newline, before, after };
  });

const createWorld = (records: readonly LiveRecord[]): World => ({
  endpoints: records.map((fields, at) => endpoint(`u${at}`, fields)),
});

describe('an edited file', () => {
  it(
    'keeps comments, is formatted once, and then changes only the lines of changed values',
    SLOW,
    async () => {
      await fc.assert(
        fc.asyncProperty(styledFile, async ({ text: file, newline, before, after }) => {
          const [first, ...others] = before;
          const earlier = [{ ...first, rateLimit: 77 }, ...others];
          const formatted = (await pull(file, createWorld(earlier))).text;
          for (const mark of COMMENTS)
            expect([mark, formatted.split(mark).length]).toEqual([mark, file.split(mark).length]);
          const edited = await pull(formatted, createWorld(after));
          expect(edited.notes).toEqual([]);
          const lines = edited.text.split(newline);
          expect(lines.length).toBe(formatted.split(newline).length);
          let record = -1;
          for (const [at, line] of formatted.split(newline).entries()) {
            const isFlow = line.startsWith('  - { uid: ');
            if (/^ {2}- (\{ )?uid: u/.test(line)) record += 1;
            const differing = Object.keys(after[record] ?? {}).filter(
              (name) => Object(after[record])[name] !== Object(earlier[record])[name],
            );
            const [, field = ''] = /^ {4}(\w+): /.exec(line) ?? [];
            const mayDiffer = isFlow ? differing.length > 0 : differing.includes(field);
            if (!mayDiffer) expect(lines[at]).toBe(line);
          }
          const { endpoints: found } = await valuesOf(edited.text);
          for (const [at, wanted] of after.entries())
            expect(found.get(`u${at}`)).toEqual({ uid: `u${at}`, ...wanted });
        }),
        { numRuns: repeats(50) },
      );
    },
  );
});
