import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';
import { terminal } from './terminal.ts';

const LOCAL = ['--local', '--org', 'acme'];
const NAME = 'A name that is far too long to stand in a column of forty characters. '.repeat(4);

const DOCUMENTS = [{ documentId: 'd1', documentName: NAME }, { documentId: 'd2' }, { documentId: 'd3' }];

/** A user with folders, documents and a job, one of whose records failed. */
async function withRecords() {
  const { home, env, svc } = await newUser();
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

/** All that a terminal without UTF-8 is shown by a command line. */
async function shown(words: readonly string[], env: Readonly<Record<string, string>>, columns = 80): Promise<string> {
  const { ended, raw } = terminal(words, { ...env, LC_ALL: 'C' }, columns);
  await ended;
  return raw();
}

/** Whatever is no ASCII in a text. */
const others = (text: string) => text.match(/[^\p{ASCII}]/gu) ?? [];

describe('a terminal without UTF-8', () => {
  it('is drawn on in ASCII', { timeout: 60_000 }, async () => {
    const { env, job } = await withRecords();
    const tree = await shown(['folders', 'tree', ...LOCAL], env);
    expect(tree).toContain('|- ');
    const table = await shown(['documents', 'list', ...LOCAL], env, 60);
    expect(table).toContain('...');
    const screens = [
      tree,
      table,
      await shown(['jobs', 'show', job], env),
      await shown(['jobs', 'resume', job], env),
      await shown(['doctor'], env),
      await shown(['--help'], env),
      await shown(['activities', 'add', '--help'], env),
      await shown(['help', 'formatting'], env),
      await shown(['documents', 'list', '--local', '--org', 'nobody'], env),
      await shown(['local', 'exec', 'x', '--', 'no-such-program'], env),
    ];
    expect(screens.flatMap(others)).toEqual([]);
  });

  it('has a spinner that turns in ASCII', async () => {
    const user = await newUser();
    const service = await mockService((_, response) => {
      void sleep(900).then(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(success({ agents: [] }).body));
      });
      return undefined;
    });
    const screen = await shown(['agents', 'list'], { ...user.env, ...service.env });
    expect(screen).toContain('/ agents list: waiting for');
    expect(others(screen)).toEqual([]);
  });
});
