import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { startTerminal } from './terminal.ts';

const LOCAL = ['--local', '--org', 'acme'];
const NAME = 'A name that is far too long to stand in a column of forty characters. '.repeat(4);

const DOCUMENTS = [
  { documentId: 'd1', documentName: NAME },
  { documentId: 'd2' },
  { documentId: 'd3' },
];

/** Creates a user with folders, documents, and a job with one failed record. */
async function createUserWithRecords() {
  const { home, env, svc } = await newUserInProcess();
  for (const folder of ['plans', 'notes'])
    await svc(['folders', 'add', ...LOCAL, '--folder', folder, '--create-organization']);
  await svc(['folders', 'add', ...LOCAL, '--folder', 'deep', '--parent', 'plans']);
  await writeFile(join(home, 'documents.json'), JSON.stringify(DOCUMENTS));
  const add = [
    'documents',
    'add',
    ...LOCAL,
    '--file',
    join(home, 'documents.json'),
    '--rejects',
    join(home, 'rejects.json'),
  ];
  await svc(add);
  expect((await svc(add)).code).toBe(10);
  const [job] = JSON.parse((await svc(['jobs', 'list', '-o', 'json'])).stdout);
  return { env, job: String(job.id) };
}

/** Returns the output of a command on a terminal without UTF-8. */
async function renderCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  columns = 80,
): Promise<string> {
  const { ended, raw } = startTerminal(words, { ...env, LC_ALL: 'C' }, columns);
  await ended;
  return raw();
}

/** Returns all characters outside ASCII. */
const findNonAscii = (text: string) => text.match(/[^\p{ASCII}]/gu) ?? [];

describe('a terminal without UTF-8', () => {
  it('gets ASCII output', { ...SLOW, timeout: 60_000 }, async () => {
    const { env, job } = await createUserWithRecords();
    const tree = await renderCommand(['folders', 'tree', ...LOCAL], env);
    expect(tree).toContain('|- ');
    const table = await renderCommand(['documents', 'list', ...LOCAL], env, 60);
    expect(table).toContain('...');
    const screens = [
      tree,
      table,
      await renderCommand(['jobs', 'show', job], env),
      await renderCommand(['jobs', 'resume', job], env),
      await renderCommand(['doctor'], env),
      await renderCommand(['--help'], env),
      await renderCommand(['activities', 'add', '--help'], env),
      await renderCommand(['help', 'formatting'], env),
      await renderCommand(['documents', 'list', '--local', '--org', 'nobody'], env),
      await renderCommand(['local', 'exec', 'x', '--', 'no-such-program'], env),
    ];
    expect(screens.flatMap(findNonAscii)).toEqual([]);
  });

  it('gets an ASCII spinner', async () => {
    const user = await newUserInProcess();
    const service = await startMockService((_, response) => {
      void sleep(900).then(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(success({ agents: [] }).body));
      });
      return undefined;
    });
    const screen = await renderCommand(['agents', 'list'], { ...user.env, ...service.env });
    // On a busy machine, the terminal may show only some frames.
    expect(screen).toMatch(/[-\\|/] agents list: waiting for/);
    expect(findNonAscii(screen)).toEqual([]);
  });
});
