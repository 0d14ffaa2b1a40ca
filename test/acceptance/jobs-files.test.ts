import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importing, killedAfter, linesOf, onlyJob, repeated } from './bulk-service.ts';
import { failure } from './mock-service.ts';

const ADD = ['users', 'add', '--org', 'acme', '-o', 'json'] as const;
const FILES = ['--file', 'users.ndjson', '--file', 'more.csv'] as const;

const csvOf = (users: number) =>
  `userId,name\n${Array.from({ length: users }, (_, at) => `c${at},User ${at}\n`).join('')}`;

/** A service, and a user who has users in two files of different formats. */
async function twoFiles(users: number, judge?: Parameters<typeof importing>[1]) {
  const world = await importing(users, judge);
  await writeFile(join(world.home, 'more.csv'), csvOf(users));
  return world;
}

/** A job over two files of 500 users each that was stopped by the service within the second. */
async function stopped() {
  let refuse = true;
  const world = await twoFiles(500, (_, request) =>
    refuse && request > 7 ? failure(403, 'PERMISSION_DENIED', 'Not today.') : undefined,
  );
  const first = await world.svc(...ADD, ...FILES, '--concurrency', '1');
  refuse = false;
  const job = await onlyJob(world.svc);
  return { ...world, first, job, resume: () => world.svc('jobs', 'resume', job, '-o', 'json') };
}

describe('a job over several files', () => {
  it('that is killed again and again loses nothing, and sends twice only what was in flight', async () => {
    const users = 10_000;
    const world = await twoFiles(users);
    const words = [...ADD, ...FILES, '--concurrency', '4'];
    const { code, stdout, stderr, kills, job } = await killedAfter([1, 60, 45, 3, 30], world, words);
    expect([code, stderr, kills]).toEqual([0, '', 5]);
    expect(JSON.parse(stdout)).toMatchObject({ job, total: 2 * users, succeeded: 2 * users, failed: 0, skipped: 0 });
    expect(world.came.size).toBe(2 * users);
    expect(repeated(world.came)).toBeLessThanOrEqual(kills * 4 * 100);
  });

  it('is listed and shown with all of them', async () => {
    const { svc, first, job } = await stopped();
    expect([first.code, JSON.parse(first.stdout).succeeded]).toEqual([11, 700]);
    const [listed] = JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout);
    expect(listed).toMatchObject({ input: 'users.ndjson, more.csv', total: 1000, succeeded: 700 });
    const shown = JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout);
    expect(shown.inputs).toMatchObject([
      { path: expect.stringMatching(/users\.ndjson$/), format: 'ndjson', bytes: linesOf(500).length },
      { path: expect.stringMatching(/more\.csv$/), format: 'csv', bytes: csvOf(500).length },
    ]);
    const text = (await svc('jobs', 'show', job)).stdout;
    expect(text).toContain('users.ndjson (NDJSON,');
    expect(text).toContain('more.csv (CSV,');
    expect((await svc('jobs', 'report', job, '--html', '--file', '-')).stdout).toContain('users.ndjson, more.csv to ');
  });

  it('sends nothing once one of them is another, longer or gone, and says which', async () => {
    const { home, resume, requests, came } = await stopped();
    const before = requests();
    const path = join(home, 'more.csv');
    const text = await readFile(path, 'utf8');
    const changed = expect.stringMatching(/^more\.csv changed since job .* was begun; nothing was sent$/);
    for (const other of [text.replace('User 7\n', 'user 7\n'), `${text}c500,New\n`, text.slice(0, -20)]) {
      await writeFile(path, other);
      const { code, stderr } = await resume();
      expect([code, JSON.parse(stderr).error.message]).toEqual([3, changed]);
    }
    await rm(path);
    expect((await resume()).code).toBe(2);
    expect(requests()).toBe(before);
    await writeFile(path, text);
    const again = await resume();
    expect([again.code, JSON.parse(again.stdout).succeeded, came.size]).toEqual([0, 1000, 1000]);
    expect([...came.values()].every((times) => times === 1)).toBe(true);
  });

  it('keeps what came through a pipe among them, until it is done', async () => {
    let refuse = true;
    const { svc, runWith, came, home } = await twoFiles(300, (_, request) =>
      refuse && request > 2 ? failure(403, 'PERMISSION_DENIED', 'Not today.') : undefined,
    );
    const piped = ['--file', 'users.ndjson', '--file', '-', '--input-format', 'ndjson', '--concurrency', '1'];
    const { stdout, code } = await runWith('{"userId":"piped"}\n', ...ADD, ...piped);
    expect([code, JSON.parse(stdout).skipped]).toEqual([11, 101]);
    refuse = false;
    const job = await onlyJob(svc);
    const kept = async () => (await readdir(join(home, '.local', 'state', 'svc', 'jobs', job))).join(' ');
    expect(await kept()).toContain('input-2');
    const again = await svc('jobs', 'resume', job, '-o', 'json');
    expect(await kept()).not.toContain('input');
    expect([again.code, JSON.parse(again.stdout).succeeded, came.get('piped')]).toEqual([0, 301, 1]);
  });

  it('is refused while one of them grows', async () => {
    const { home, start, came } = await importing(60_000);
    await writeFile(join(home, 'log.ndjson'), '{"userId":"x0"}\n');
    let grows = true;
    const growing = (async () => {
      for (let at = 1; grows; at += 1) await appendFile(join(home, 'log.ndjson'), `{"userId":"x${at}"}\n`);
    })();
    const { code, stderr } = await start(...ADD, '--file', 'log.ndjson', '--file', 'users.ndjson').ended;
    grows = false;
    await growing;
    expect([code, JSON.parse(stderr).error.message]).toEqual([3, 'log.ndjson: it changed while it was read']);
    expect(came.size).toBe(0);
  });
});

describe('files that a pattern of the shell stood for', () => {
  it('are named with the flag that each of them needs', async () => {
    const { svc } = await importing(1);
    const { code, stderr } = await svc('users', 'add', '--org', 'acme', '--file', 'a.json', 'b c.json', 'd.json');
    expect([code, stderr]).toEqual([
      2,
      "svc: svc users add takes no arguments; 'b c.json' is one too many\n" +
        "hint: each file has a flag of its own: --file 'b c.json' --file d.json\n",
    ]);
    const other = await svc('agents', 'get', 'a', 'b');
    expect([other.code, other.stderr]).toEqual([
      2,
      "svc: svc agents get takes 1 argument only; 'b' is one too many\nhint: see svc agents get --help\n",
    ]);
  });
});
