import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { BIN } from './svc.ts';

/** Input with renamed columns, a file name that needs quotes, and one ID that already exists. */
const CSV = `Key,"The title's",Notes\nold,Old,n\nnew,New,n\n`;
const INPUT = ['--map', 'Key=documentId', '--map', "The title's=documentName", '--map', 'Notes='];

/** Creates a user of the embedded service with a document `old` in the organization. */
async function createUserWithDocument() {
  const { home, env, svc } = await newUserInProcess();
  const setUp = await svc([
    'documents',
    'add',
    '--local',
    '--org',
    "o'acme",
    '--document',
    'old',
    '--name',
    'Taken',
  ]);
  expect(setUp.code).toBe(0);
  /** Runs a hinted command like a user who pastes it into a shell. */
  const paste = (text: string, cwd = home) =>
    new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>(
      (resolve) => {
        const script = `svc() { "$NODE" "$BIN" "$@"; }\n${/svc .*/.exec(text)?.[0]}`;
        execFile(
          'sh',
          ['-c', script],
          { cwd, env: { ...env, NODE: process.execPath, BIN } },
          (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
        );
      },
    );
  return { home, svc, paste };
}

/** Returns the command in the last line on stderr. */
function findHintedCommand(stderr: string): string {
  const [, hint = ''] = /^hint: fix .*, then run: (.*)\n$/m.exec(stderr) ?? [];
  return hint;
}

describe('the command for the rejects of a job', () => {
  it('imports the fixed rejects with the settings of the original input', async () => {
    const { home, svc, paste } = await createUserWithDocument();
    await writeFile(join(home, 'documents.txt'), CSV);
    const words = [
      'documents',
      'add',
      '--local',
      '--org',
      "o'acme",
      '--file',
      'documents.txt',
      ...INPUT,
    ];
    const first = await svc([...words, '--input-format', 'csv', '--rejects', 'my rejects']);
    expect(first.code).toBe(10);
    const hint = findHintedCommand(first.stderr);
    expect(hint).toMatch(
      /^svc --local documents add --org 'o'\\''acme' --file 'my rejects' --input-format csv --map Key=d/,
    );

    const rejects = await readFile(join(home, 'my rejects'), 'utf8');
    await writeFile(join(home, 'my rejects'), rejects.replace('old,', 'other,'));
    expect(await paste(hint)).toMatchObject({
      code: 0,
      stderr: '',
      stdout: "Created document other in o'acme\n",
    });
    const listed = await svc([
      'documents',
      'list',
      '--local',
      '--org',
      "o'acme",
      '--fields',
      'id,documentName',
      '-o',
      'csv',
    ]);
    expect(listed.stdout).toBe('id,documentName\r\nold,Taken\r\nnew,New\r\nother,Old\r\n');
  });

  it('is printed again by the job in any folder', async () => {
    const { home, svc, paste } = await createUserWithDocument();
    await writeFile(join(home, 'documents.ndjson'), '{"documentId":"old"}\n{"documentId":"new"}\n');
    const folder = join(home, 'below');
    await mkdir(folder);
    const first = await svc([
      'documents',
      'add',
      '--local',
      '--org',
      "o'acme",
      '--file',
      'documents.ndjson',
    ]);
    expect(first.code).toBe(10);
    const [job] = JSON.parse((await svc(['jobs', 'list', '-o', 'json'])).stdout);
    const again = await svc(['jobs', 'resume', job.id, '-o', 'ndjson'], { cwd: folder });
    const { error } = JSON.parse(again.stderr);
    expect(error.hint).toMatch(
      /^fix \.\.\/documents\.rejects\.ndjson .* --file \.\.\/documents\.rejects\.ndjson$/,
    );
    await writeFile(join(home, 'documents.rejects.ndjson'), '{"documentId":"other"}\n');
    expect(await paste(error.hint, folder)).toMatchObject({ code: 0, stderr: '' });
  });
});
