import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repeatList, repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import {
  countRepeats,
  createBulkUser,
  findOnlyJob,
  killRepeatedly,
  ndjsonUsers,
} from './bulk-service.ts';
import { failure } from './mock-service.ts';

const ADD = ['users', 'add', '--org', 'acme', '-o', 'json'] as const;
const FILES = ['--file', 'users.ndjson', '--file', 'more.csv'] as const;

const csvOf = (users: number) =>
  `userId,name\n${Array.from({ length: users }, (_, at) => `c${at},User ${at}\n`).join('')}`;

/** Creates a service, and a user with two files of users in different formats. */
async function createUserWithTwoFiles(users: number, judge?: Parameters<typeof createBulkUser>[1]) {
  const world = await createBulkUser(users, judge);
  await writeFile(join(world.home, 'more.csv'), csvOf(users));
  return world;
}

/** Creates a job over two files of 500 users each, which the service stopped within a second. */
async function createStoppedJob() {
  let refuse = true;
  const world = await createUserWithTwoFiles(500, (_, request) =>
    refuse && request > 7 ? failure(403, 'PERMISSION_DENIED', 'Not today.') : undefined,
  );
  const first = await world.svc(...ADD, ...FILES, '--concurrency', '1');
  refuse = false;
  const job = await findOnlyJob(world.svc);
  return { ...world, first, job, resume: () => world.svc('jobs', 'resume', job, '-o', 'json') };
}

describe('a job over several files', () => {
  it(
    'loses nothing when it is killed repeatedly, and repeats only requests in flight',
    SLOW,
    async () => {
      const users = repeats(1_000);
      const killedAfter = repeatList([1, 9, 3]);
      const world = await createUserWithTwoFiles(users);
      const words = [...ADD, ...FILES, '--concurrency', '4'];
      const { code, stdout, stderr, kills, job } = await killRepeatedly(killedAfter, world, words);
      expect([code, stderr, kills]).toEqual([0, '', killedAfter.length]);
      expect(JSON.parse(stdout)).toMatchObject({
        job,
        total: 2 * users,
        succeeded: 2 * users,
        failed: 0,
        skipped: 0,
      });
      expect(world.came.size).toBe(2 * users);
      expect(countRepeats(world.came)).toBeLessThanOrEqual(kills * 4 * 100);
    },
  );

  it('is listed and shown with all files', async () => {
    const { svc, first, job } = await createStoppedJob();
    expect([first.code, JSON.parse(first.stdout).succeeded]).toEqual([11, 700]);
    const [listed] = JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout);
    expect(listed).toMatchObject({ input: 'users.ndjson, more.csv', total: 1000, succeeded: 700 });
    const shown = JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout);
    expect(shown.inputs).toMatchObject([
      {
        path: expect.stringMatching(/users\.ndjson$/),
        format: 'ndjson',
        bytes: ndjsonUsers(500).length,
      },
      { path: expect.stringMatching(/more\.csv$/), format: 'csv', bytes: csvOf(500).length },
    ]);
    const text = (await svc('jobs', 'show', job)).stdout;
    expect(text).toContain('users.ndjson (NDJSON,');
    expect(text).toContain('more.csv (CSV,');
    expect((await svc('jobs', 'show', job, '--html', '--file', '-')).stdout).toContain(
      'users.ndjson, more.csv to ',
    );
  });

  it('sends nothing and names the file if one of them was changed, extended, or deleted', async () => {
    const { home, resume, requests, came } = await createStoppedJob();
    const before = requests();
    const path = join(home, 'more.csv');
    const text = await readFile(path, 'utf8');
    const changed = expect.stringMatching(
      /^more\.csv changed after job .* started; nothing was sent$/,
    );
    for (const other of [
      text.replace('User 7\n', 'user 7\n'),
      `${text}c500,New\n`,
      text.slice(0, -20),
    ]) {
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

  it('keeps a copy of piped input until it is done', async () => {
    let refuse = true;
    const { svc, runWith, came, home } = await createUserWithTwoFiles(300, (_, request) =>
      refuse && request > 2 ? failure(403, 'PERMISSION_DENIED', 'Not today.') : undefined,
    );
    const piped = [
      '--file',
      'users.ndjson',
      '--file',
      '-',
      '--input-format',
      'ndjson',
      '--concurrency',
      '1',
    ];
    const { stdout, code } = await runWith('{"userId":"piped"}\n', ...ADD, ...piped);
    expect([code, JSON.parse(stdout).skipped]).toEqual([11, 101]);
    refuse = false;
    const job = await findOnlyJob(svc);
    const kept = async () =>
      (await readdir(join(home, '.local', 'state', 'svc', 'jobs', job))).join(' ');
    expect(await kept()).toContain('input-2');
    const again = await svc('jobs', 'resume', job, '-o', 'json');
    expect(await kept()).not.toContain('input');
    expect([again.code, JSON.parse(again.stdout).succeeded, came.get('piped')]).toEqual([
      0, 301, 1,
    ]);
  });

  it('is rejected while one of its files grows', SLOW, async () => {
    const { home, start, came } = await createBulkUser(60_000);
    await writeFile(join(home, 'log.ndjson'), '{"userId":"x0"}\n');
    let grows = true;
    const growing = (async () => {
      for (let at = 1; grows; at += 1)
        await appendFile(join(home, 'log.ndjson'), `{"userId":"x${at}"}\n`);
    })();
    const { code, stderr } = await start(...ADD, '--file', 'log.ndjson', '--file', 'users.ndjson')
      .ended;
    grows = false;
    await growing;
    // The first reading or, on a busy machine, the second one sees it.
    const { message } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
    expect([code, message]).toEqual([
      3,
      expect.stringMatching(/^log\.ndjson changed while svc was reading it/),
    ]);
    expect(came.size).toBe(0);
  });
});

describe('files from a shell pattern', () => {
  it('are reported with the flag that each of them needs', async () => {
    const { svc } = await createBulkUser(1);
    const { code, stderr } = await svc(
      'users',
      'add',
      '--org',
      'acme',
      '--file',
      'a.json',
      'b c.json',
      'd.json',
    );
    expect([code, stderr]).toEqual([
      2,
      "svc: svc users add takes no arguments; unexpected argument 'b c.json'\n" +
        "hint: repeat the flag for each file: --file 'b c.json' --file d.json\n",
    ]);
    const id = await svc('users', 'add', 'u77', '--org', 'acme');
    expect([id.code, id.stderr.split('\n')[1]]).toEqual([2, 'hint: did you mean --user u77?']);
    const data = await svc('users', 'data', 'u77', '--org', 'acme');
    expect(data.stderr.split('\n')[1]).toBe('hint: did you mean --user u77?');
    const other = await svc('agents', 'get', 'a', 'b');
    expect([other.code, other.stderr]).toEqual([
      2,
      "svc: svc agents get takes 1 argument; unexpected argument 'b'\nhint: see svc agents get --help\n",
    ]);
  });
});
