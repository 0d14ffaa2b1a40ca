import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { ADD_USERS, createBulkUser, findOnlyJob, ndjsonUsers } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { renderScreen } from './screen.ts';
import { BIN } from './svc.ts';
import { startInTerminal } from './terminal.ts';

/**
 * Starts a job of 1,000 records whose service holds back its responses after the third until
 * `release` is called. Of documents, the service has every second one.
 */
async function startHeldJob(noun: 'users' | 'documents' = 'users') {
  const held: (() => void)[] = [];
  let [requests, isReleased] = [0, false];
  const service = await startMockService(({ body }, response) => {
    const ids = (body.data[noun] as readonly Readonly<Record<string, string>>[]).map(
      ({ userId, documentId }) => String(userId ?? documentId),
    );
    const existing = { success: false, message: 'exists', code: 'already-exists' };
    const results = ids.map((id, at) => [
      id,
      noun === 'documents' && at % 2 ? existing : { success: true },
    ]);
    const result = success(Object.fromEntries(results));
    requests += 1;
    if (requests <= 3 || isReleased) return result;
    held.push(() =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(result.body)),
    );
    return undefined;
  });
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(1_000));
  const addDocuments = [
    'documents',
    'add',
    '--org',
    'acme',
    '--file',
    'users.ndjson',
    '--map',
    'userId=documentId',
  ];
  const command =
    noun === 'users' ? ADD_USERS : [...addDocuments, '--if-exists', 'skip', '-o', 'json'];
  const { env } = service;
  const svc = (...words: readonly string[]) => user.svc(words, { env });
  const running = user.start([...command, '--concurrency', '1'], { env });
  await eventually(() => expect(held).toHaveLength(1));
  const terminalEnv = { PATH: process.env['PATH'] ?? '', HOME: user.home, ...env };
  return {
    svc,
    running,
    job: await findOnlyJob(svc),
    release: () => {
      isReleased = true;
      for (const respond of held) respond();
    },
    startInTerminal: (words: readonly string[], columns: number) => {
      const terminal = startInTerminal(process.execPath, [BIN, ...words], {
        env: terminalEnv,
        columns,
      });
      onTestFinished(terminal.kill);
      return terminal;
    },
  };
}

describe('watching a job', () => {
  it(
    'shows its progress and then its summary, and adds changed jobs to the list',
    SLOW,
    async () => {
      const { running, job, release, startInTerminal: start } = await startHeldJob('documents');
      const watch = start(['jobs', 'watch', job], 100);
      const list = start(['jobs', 'list', '--watch'], 60);
      await watch.shows('300 of 1,000 documents');
      await list.shows('running');
      release();
      expect([await watch.ended, await list.ended]).toEqual([0, 0]);
      expect(watch.raw()).toMatch(/█+░+ {2}30% {2}300 of 1,000 documents/);
      const text = renderScreen(watch.raw(), 100).filter((line) => line !== '');
      expect(text).toEqual([
        expect.stringMatching(/^1,000 documents: 500 created, 500 skipped \(\d+ requests, /),
      ]);
      const [header, first, hint, ...later] = renderScreen(list.raw(), 60).filter(
        (line) => line !== '',
      );
      expect([header, first, hint, later.pop()]).toEqual([
        expect.stringMatching(/^ID +.*STATE/),
        expect.stringMatching(new RegExp(`^${job} +.*running`)),
        '7 columns hidden; -o json or a wider terminal shows them',
        'no job is running',
      ]);
      // The progress may have changed, too, before the job was done.
      expect(later.join('\n')).toMatch(
        new RegExp(`^(ID .*STATE.*\n${job} .*running.*\n)*ID .*STATE.*\n${job} .*done.*$`),
      );
      expect(JSON.parse((await running.ended).stdout)).toMatchObject({
        job,
        succeeded: 500,
        skipped: 500,
      });
    },
  );

  it(
    'exits with the code of a job that is stopped by a signal, and prints the jobs that change',
    SLOW,
    async () => {
      const { svc, running, job, release } = await startHeldJob();
      const watched = svc('jobs', 'watch', job, '-o', 'json');
      const listed = svc('jobs', 'list', '--watch', '-o', 'ndjson');
      running.kill('SIGTERM');
      release();
      const { code, stdout, stderr } = await running.ended;
      const watch = await watched;
      expect([code, watch.code]).toEqual([143, 143]);
      expect(JSON.parse(watch.stdout)).toMatchObject({
        job,
        succeeded: JSON.parse(stdout).succeeded,
      });
      const errorOf = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1) ?? '').error;
      expect(errorOf(watch.stderr)).toEqual(errorOf(stderr));
      const states = (await listed).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).state);
      expect(states.at(-1)).toBe('stopped');
      expect(states.slice(0, -1).every((state) => state === 'running')).toBe(true);
    },
  );

  it('reports a killed job as stopped', async () => {
    const { svc, running, job } = await startHeldJob();
    running.kill('SIGKILL');
    await running.ended;
    const { code, stderr } = await svc('jobs', 'watch', job);
    expect([code, stderr]).toEqual([
      11,
      `svc: the process of job ${job} exited before the job finished\nhint: to resume, run svc jobs resume ${job}\n`,
    ]);
  });

  it('reports a finished job at once, and an unknown one as not found', async () => {
    const { svc, home, env } = await createBulkUser(200, (ids) =>
      ids.includes('u7') ? failure(400, 'INVALID_ARGUMENT', 'No | such <b>folder</b>.') : undefined,
    );
    const path = join(home, 'step.md');
    await writeFile(path, 'before\n');
    Object.assign(env, { GITHUB_STEP_SUMMARY: path });
    const first = await svc(...ADD_USERS);
    const job = JSON.parse(first.stdout).job;
    const again = await svc('jobs', 'watch', job, '-o', 'json');
    expect([first.code, again.code, again.stdout]).toEqual([10, 10, first.stdout]);
    expect(await readFile(path, 'utf8')).toMatch(/^before\n### svc users add: 200 users\n/);
    const unknown = await svc('jobs', 'watch', `${job}x`);
    expect([unknown.code, unknown.stderr]).toEqual([
      5,
      `svc: job ${job}x not found\nhint: did you mean ${job}?\n`,
    ]);
  });
});
