import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newUserInProcess, runInProcess } from './in-process.ts';

const FILES = fileURLToPath(new URL('../bulk/source/xlsx/files/', import.meta.url));
const USERS = ['users', 'add', '--local', '--org', 'acme', '--map', 'note='];
const DOCUMENTS = [
  'documents',
  'add',
  '--local',
  '--org',
  'acme',
  '--map',
  'userId=documentId',
  '--map',
  'name=documentName',
  '--map',
  'note=',
];

async function openUser() {
  const { home, env, svc } = await newUserInProcess();
  for (const name of ['users.xlsx', 'problems.xlsx', 'users.ods'])
    await copyFile(join(FILES, name), join(home, name));
  const pipe = (words: readonly string[], stdin: Uint8Array) =>
    runInProcess(words, { cwd: home, env, stdin });
  const ids = async () => {
    const words = [
      'documents',
      'list',
      '--local',
      '--org',
      'acme',
      '-o',
      'json',
      '--jq',
      '[.[].id]',
    ];
    return JSON.parse((await svc(words)).stdout);
  };
  return { svc, pipe, ids, read: (name: string) => readFile(join(home, name), 'utf8') };
}

describe('an .xlsx file', () => {
  it('is imported with the IDs that the sheet shows', async () => {
    const { svc, ids } = await openUser();
    const { code, stdout, stderr } = await svc([
      ...DOCUMENTS,
      '--file',
      'users.xlsx',
      '--sheet',
      'Users',
    ]);
    expect([code, stderr]).toEqual([0, 'Created organization acme\n']);
    expect(stdout).toMatch(/^6 documents: 6 created/);
    expect(await ids()).toEqual(['0123', '00123', '123456789012', 'u7', '12345678901', 'rich']);
  });

  it('is checked with the positions of cells, and nothing is sent', async () => {
    const { svc } = await openUser();
    const words = [
      'users',
      'add',
      '--local',
      '--org',
      'acme',
      '--file',
      'problems.xlsx',
      '--sheet',
      'Users',
    ];
    const dryRun = await svc([...words, '--dry-run']);
    expect([dryRun.code, dryRun.stdout]).toEqual([
      3,
      'problems.xlsx:Users!A2: the sheet does not show the whole value of the cell\n' +
        "problems.xlsx:Users!A5: userId: 'u3' is already Users!A4\n" +
        'problems.xlsx:Users!D6: the cell is outside the columns of the header\n' +
        'problems.xlsx:Users!A7: the sheet does not show the whole value of the cell\n',
    ]);
    expect(dryRun.stderr).toContain(
      "warning: problems.xlsx:Users!C3: email: 'ada' is not a valid email address\n",
    );
    expect(dryRun.stderr).toContain(
      'warning: problems.xlsx:Users!A1: only the first cell of a merged range has a value: B4:B5\n',
    );
    const json = JSON.parse((await svc([...words, '--dry-run', '-o', 'json'])).stdout);
    expect(json.findings[0]).toMatchObject({ line: 2, cell: 'Users!A2' });
    const added = await svc(words);
    expect(added.code).toBe(3);
    expect(added.stderr).toContain('problems.xlsx:Users!A2: ');
    expect(added.stderr).toContain('4 problems in 6 records');
    const list = ['documents', 'list', '--local', '--org', 'acme'];
    expect((await svc(list)).stderr).toContain('organization acme does not exist');
  });

  it('has CSV rejects, which can be imported again, and can be resumed', async () => {
    const { svc, ids, read } = await openUser();
    expect(
      (await svc(['documents', 'add', '--local', '--org', 'acme', '--document', '0123'])).code,
    ).toBe(0);
    const stop = ['--on-error', 'stop', '--batch-size', '1', '--concurrency', '1'];
    const words = [...DOCUMENTS, '--file', 'users.xlsx', '--sheet', 'Users'];
    expect((await svc([...words, ...stop])).code).toBe(11);
    expect(await ids()).toEqual(['0123']);
    const { code, stderr } = await svc(['jobs', 'resume']);
    expect(code).toBe(10);
    expect(await ids()).toHaveLength(6);
    expect(await read('users.rejects.csv')).toBe("\ufeffuserId,name,note\n0123,Müller 🌻,'=1+1\n");
    expect(stderr).toContain('--file users.rejects.csv --map userId=documentId');
    const again = await svc([...DOCUMENTS, '--file', 'users.rejects.csv', '--if-exists', 'skip']);
    expect([again.code, again.stderr]).toEqual([0, '']);
  });

  it('can come from a pipe', async () => {
    const { svc, pipe, ids } = await openUser();
    const words = [...DOCUMENTS, '--file', '-', '--sheet', 'Users'];
    const bytes = await readFile(join(FILES, 'users.xlsx'));
    const unknown = await pipe(words, bytes);
    expect([unknown.code, unknown.stderr]).toEqual([
      3,
      'svc: stdin: expected UTF-8 text, found a spreadsheet\nhint: add --input-format xlsx\n',
    ]);
    expect((await pipe([...words, '--input-format', 'xlsx'], bytes)).code).toBe(0);
    expect(await ids()).toHaveLength(6);
    expect((await svc(['jobs', 'list'])).stdout).toContain('stdin');
  });

  it('is named in the errors about its flags', async () => {
    const { svc } = await openUser();
    const other = await svc([...USERS, '--file', 'users.xlsx', '--sheet', 'Userz']);
    expect([other.code, other.stderr]).toEqual([
      2,
      "svc: --sheet: users.xlsx has no sheet 'Userz'\nhint: did you mean 'Users'?\n",
    ]);
    const rejects = ['--rejects', 'r.xlsx'];
    expect((await svc([...USERS, '--file', 'users.xlsx', ...rejects])).stderr).toContain(
      'svc: --rejects cannot be a spreadsheet, got r.xlsx\n',
    );
  });
});

it('an .ods file is refused with the export to use', async () => {
  const { svc } = await openUser();
  const { code, stderr } = await svc([...USERS, '--file', 'users.ods']);
  expect([code, stderr]).toEqual([
    3,
    'svc: users.ods: of spreadsheets, svc reads only .xlsx files without a password\n' +
      'hint: save the file as .xlsx, or the sheet as CSV (in Excel: "CSV UTF-8")\n',
  ]);
});

it.each([
  [['--sheet', 'A'], 'csv', 'an .xlsx file'],
  [['--separator', ';'], 'json', 'a CSV file'],
  [['--header-row', '2'], 'yaml', 'a CSV or .xlsx file'],
])('the flags %j need a matching file, not %s', async (flags, format, file) => {
  const { svc } = await openUser();
  const input = ['--file', '-', '--input-format', format];
  const { code, stderr } = await svc([...USERS, ...input, ...flags]);
  expect([code, stderr]).toEqual([2, `svc: ${flags[0]} needs ${file}, got stdin\n`]);
});
