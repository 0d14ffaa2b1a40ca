import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bulkFieldsOf } from '../../../src/catalog/bulk-fields.ts';
import { loadOperation } from '../../../src/catalog/index.ts';
import { resolveColumnMap } from '../../../src/commands/bulk/column-map.ts';
import type { ColumnMap, MapFileOptions } from '../../../src/commands/bulk/input-flags.ts';
import { createTwoSheets } from '../../bulk/source/xlsx/workbook-file.ts';
import { fakeContext } from '../fake-context.ts';

const fields = bulkFieldsOf(await loadOperation('users', 'users.add'));
const HEADER = 'Login;E-Mail Address;Full Name;Notes\n';

interface Given {
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly answers?: readonly string[];
  /** Fields that the command sets. */
  readonly given?: readonly string[];
  readonly map?: ColumnMap;
  readonly mapFile?: MapFileOptions;
}

async function resolveMap({
  files = { 'u.csv': HEADER },
  answers,
  given = [],
  map,
  mapFile = {},
}: Given) {
  const context = await fakeContext({ ...(answers && { answers }) });
  for (const [name, text] of Object.entries(files)) await writeFile(join(context.cwd, name), text);
  const file = Object.keys(files).filter((name) => !name.endsWith('.map'));
  const resolved = await resolveColumnMap(
    context,
    { ...fields, given },
    { ...(file.length > 0 && { file }), ...(map && { map }) },
    mapFile,
  );
  await resolved.save();
  return {
    map: resolved.map,
    chosen: resolved.chosen,
    flags: resolved.answers,
    questions: context.questions,
    stderr: context.stderr(),
    saved: await readFile(join(context.cwd, 'acme.map'), 'utf8').catch(() => undefined),
  };
}

const ANSWERS = ['userId', 'email', 'name', '(drop the column)'];
const MAP = [
  ['Login', 'userId'],
  ['E-Mail Address', 'email'],
  ['Full Name', 'name'],
  ['Notes', ''],
] as const;

describe('on a terminal', () => {
  it('asks once for each unknown column, and returns the flags', async () => {
    const { map, questions, flags } = await resolveMap({ answers: ANSWERS });
    expect(map).toEqual(MAP);
    expect(questions).toHaveLength(4);
    expect(questions[1]).toContain("Field for column 'E-Mail Address' (2/4)");
    expect(flags).toEqual(MAP.flatMap((pair) => ['--map', pair.join('=')]));
  });

  it('goes back to the last question', async () => {
    const [back, keep] = ['(back)', '(keep the name)'];
    const { map, questions } = await resolveMap({
      answers: ['userId', keep, keep, back, back, 'email', 'name', '(drop the column)'],
    });
    expect(questions.map((text) => /\((\d)\/4\)/.exec(text)?.[1]).join('')).toBe('12343234');
    expect(map).toEqual(MAP);
  });

  it('shows three values of each column', async () => {
    const files = { 'u.csv': `${HEADER}u1;a@b.co;Ada;x\nu2;;Bo;x\nu3;c@d.co;Cy;\nu4;;Di;y\n` };
    const { questions } = await resolveMap({ files, answers: ANSWERS });
    expect(questions[0]).toContain("Field for column 'Login' (1/4), such as 'u1', 'u2', 'u3'");
    expect(questions[1]).toContain("(2/4), such as 'a@b.co', 'c@d.co'");
  });

  it('asks for the ID if no answer names it', async () => {
    const keep = '(keep the name)';
    const { map, questions } = await resolveMap({
      answers: [keep, keep, keep, '(drop the column)', 'Login'],
    });
    expect(questions[4]).toContain('Column that contains the ID (userId)');
    expect(map?.[0]).toEqual(['Login', 'userId']);
    const known = await resolveMap({ files: { 'u.csv': 'email,name\n' }, answers: ['email'] });
    expect(known.map).toEqual([['email', 'userId']]);
  });

  it('suggests to drop a column whose field the command sets', async () => {
    const files = { 'u.csv': 'userId,Company\nu1,acme\n' };
    const { map } = await resolveMap({ files, given: ['organizationId'], answers: [''] });
    expect(map).toEqual([['Company', '']]);
  });

  it('maps the columns of several files by their own headers', async () => {
    const files = { 'a.csv': 'userId\na1\n', 'b.csv': 'Login,email\nb1,b@x.example\n' };
    const { map } = await resolveMap({ files, answers: [''] });
    expect(map).toEqual([['Login', 'userId']]);
  });

  it('asks for the row of the header, and then for its columns', async () => {
    const files = { 'u.csv': 'Staff of 2026,\n,\nLogin,Full Name\nu1,Ada\n' };
    const { chosen, map, flags, questions } = await resolveMap({ files, answers: ['', '', ''] });
    expect(questions[0]).toBe('Row with the column names');
    expect(chosen).toEqual({ headerRow: 3 });
    expect(map).toEqual([
      ['Login', 'userId'],
      ['Full Name', 'name'],
    ]);
    expect(flags.slice(0, 2)).toEqual(['--header-row', '3']);
    const other = { ...files, 'v.csv': 'userId\nu2\n' };
    expect((await resolveMap({ files: other, answers: [] })).questions).toEqual([]);
  });

  it('asks about columns with hostile names and values, and shortens them', async () => {
    const long = 'c'.repeat(500);
    const files = { 'u.csv': `userId,\u001b[31mred,${long}\nu1,\u0007,${long}\nu2\n` };
    const { questions, map } = await resolveMap({ files, answers: ['', ''] });
    expect(questions).toHaveLength(2);
    expect(questions[1]?.length).toBeLessThan(100);
    expect(map).toHaveLength(2);
  });

  it('asks about no known, mapped, or dropped column, and once for several files', async () => {
    const files = { 'a.csv': 'userId,email,Notes\n', 'b.csv': 'userId,Full Name,Notes\n' };
    const { map, questions } = await resolveMap({
      files,
      map: [['Full Name', 'name']],
      answers: ['(keep the name)'],
    });
    expect(questions).toHaveLength(1);
    expect(map).toEqual([
      ['Full Name', 'name'],
      ['Notes', 'Notes'],
    ]);
  });

  it('asks for the sheet if only another one has the ID column', async () => {
    const cell = (text: string) => `<c t="str"><v>${text}</v></c>`;
    const rows = `<row>${cell('userId')}</row><row>${cell('u1')}</row>`;
    const files = { 'u.xlsx': createTwoSheets(`<row>${cell('Read me')}</row>`, rows) };
    const { chosen, flags, questions } = await resolveMap({ files, answers: ['All staff'] });
    expect(chosen).toEqual({ sheet: 'All staff' });
    expect(flags).toEqual(['--sheet', 'All staff']);
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('Sheet with the records');
  });

  it.each([
    ['a file that cannot be read', { 'u.csv': 'userId,,\n' }],
    ['another format', { 'u.json': '[{"Login":"a"}]' }],
  ])('asks nothing about %s', async (_, files) => {
    expect((await resolveMap({ files, answers: [] })).questions).toEqual([]);
  });
});

describe('a file of mappings', () => {
  const mapFile = { mapFile: 'acme.map' };

  it('is created from flags and answers', async () => {
    const { saved, stderr } = await resolveMap({
      mapFile,
      map: [['Login', 'userId']],
      answers: ANSWERS.slice(1),
    });
    expect(saved).toBe('Login=userId\nE-Mail Address=email\nFull Name=name\nNotes=\n');
    expect(stderr).toContain('Saved 4 mappings to acme.map\n');
  });

  it('is read, and flags take precedence without changing it', async () => {
    const text = 'Login=email\r\n\r\na=b=name\r\n';
    const given = {
      files: { 'u.csv': HEADER, 'acme.map': text },
      map: [['Login', 'userId']] as const,
    };
    const { map, saved, stderr } = await resolveMap({ ...given, mapFile });
    expect(map).toEqual([
      ['Login', 'userId'],
      ['a=b', 'name'],
    ]);
    expect(saved).toBe(text);
    expect(stderr).toContain('1 mapping not saved to acme.map; to save, add --save-map\n');
    const changed = await resolveMap({ ...given, mapFile: { ...mapFile, saveMap: true } });
    expect(changed.saved).toBe('Login=userId\na=b=name\n');
  });

  it('keeps the answers of prompts with --save-map, and then asks nothing', async () => {
    const files = { 'u.csv': HEADER, 'acme.map': 'Login=userId\n' };
    const given = { ...mapFile, saveMap: true };
    const { saved = '', questions } = await resolveMap({
      files,
      answers: ANSWERS.slice(1),
      mapFile: given,
    });
    expect(questions).toHaveLength(3);
    const again = await resolveMap({
      files: { ...files, 'acme.map': saved },
      answers: [],
      mapFile,
    });
    expect(again.map).toEqual(MAP);
  });

  it.each<[string, Given, string]>([
    ['a missing file', { mapFile }, '--map-file: acme.map does not exist'],
    ['no file to save to', { mapFile: { saveMap: true } }, '--save-map needs a file'],
    ['no input file', { files: {}, mapFile }, '--map-file needs an input file'],
    [
      'an invalid line',
      { files: { 'u.csv': HEADER, 'acme.map': 'Login\n' }, mapFile },
      "acme.map must be column=field, got 'Login'",
    ],
  ])('is a usage error with %s', async (_, given, message) => {
    await expect(resolveMap(given)).rejects.toMatchObject({ failure: 'usage', message });
  });

  it('is invalid if it is too large', async () => {
    const files = { 'u.csv': HEADER, 'acme.map': Buffer.alloc(5_000_000) };
    await expect(resolveMap({ files, mapFile })).rejects.toMatchObject({
      failure: 'invalid_input',
      message: 'acme.map: is larger than 4 MB',
    });
  });
});
