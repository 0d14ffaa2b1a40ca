import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Journal } from '../../src/bulk/journal/journal.ts';
import { createIdGenerator } from '../../src/bulk/record-preparation.ts';
import { SLOW } from '../slow.ts';
import {
  ADD_USERS,
  countRepeats,
  createBulkUser,
  findOnlyJob,
  ndjsonUsers,
  type RequestHandler,
} from './bulk-service.ts';
import { failure, startMockService, success } from './mock-service.ts';

const jobsFolder = (home: string) => join(home, '.local', 'state', 'svc', 'jobs');

/** Creates a job of 1,000 users that the service stopped after the third batch. */
async function createStoppedJob(judge: RequestHandler = () => undefined) {
  let refuse = true;
  const world = await createBulkUser(1_000, (ids, request) =>
    refuse && request > 3 ? failure(403, 'PERMISSION_DENIED', 'Not today.') : judge(ids, request),
  );
  const first = await world.svc(...ADD_USERS, '--concurrency', '1');
  refuse = false;
  const job = await findOnlyJob(world.svc);
  return { ...world, first, job, resume: () => world.svc('jobs', 'resume', job, '-o', 'json') };
}

it('a job that the service refuses before it accepts any record is not kept', async () => {
  const refuse = () => failure(403, 'PERMISSION_DENIED', 'Not today.');
  const { svc } = await createBulkUser(1_000, refuse);
  expect((await svc(...ADD_USERS)).code).toBe(4);
  expect(JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout)).toEqual([]);
});

it('a job with input from stdin is kept, because nothing else has the input', async () => {
  const refuse: RequestHandler = (_, request) =>
    request === 1 ? failure(401, 'UNAUTHENTICATED', 'Token expired.') : undefined;
  const { svc, runWith, came } = await createBulkUser(0, refuse);
  const { code, stderr } = await runWith(ndjsonUsers(5), ...ADD_USERS.map(fromStdin));
  expect([code, stderr]).toEqual([11, expect.stringContaining('to resume, run svc jobs resume')]);
  expect((await svc('jobs', 'resume')).code).toBe(0);
  expect(came.size).toBe(5);
});

const fromStdin = (word: string) => (word === 'users.ndjson' ? '-' : word);

describe('a stopped job', () => {
  it('names the command that resumes it, and the summary covers the whole job', async () => {
    const { first, job, svc, resume, came } = await createStoppedJob();
    expect(first.code).toBe(11);
    expect(JSON.parse(first.stdout)).toMatchObject({
      job,
      total: 1000,
      succeeded: 300,
      skipped: 700,
    });
    expect(JSON.parse(first.stderr.trimEnd().split('\n').at(-1) ?? '').error.hint).toBe(
      `grant the credential this permission; to resume, run svc jobs resume ${job}`,
    );
    const [listed] = JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout);
    expect(Object.keys(listed)).toEqual([
      'id',
      'operation',
      'state',
      'input',
      'total',
      'succeeded',
      'failed',
      'unknown',
      'skipped',
      'existing',
      'startedAt',
      'updatedAt',
    ]);
    expect(listed).toMatchObject({
      id: job,
      state: 'stopped',
      input: 'users.ndjson',
      succeeded: 300,
      skipped: 700,
    });
    const again = await resume();
    expect([again.code, again.stderr]).toEqual([0, '']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      job,
      total: 1000,
      succeeded: 1000,
      skipped: 0,
      requests: 11,
    });
    expect([...came.values()].every((times) => times === 1)).toBe(true);
    const third = await resume();
    expect([third.code, third.stdout]).toEqual([0, again.stdout]);
    const receipt = JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout);
    expect(receipt).toMatchObject({
      state: 'done',
      input: {
        format: 'ndjson',
        bytes: ndjsonUsers(1_000).length,
        sha256: expect.stringMatching(/^[\da-f]{64}$/),
      },
      target: { profile: null, apiKey: 'key-1' },
      runs: 2,
      requests: 11,
    });
    expect(receipt.latency.p50).toBeGreaterThan(0);
  });

  it('sends nothing if its input changed, and exits with 2 if the input is missing', async () => {
    const { home, resume, requests } = await createStoppedJob();
    const before = requests();
    const path = join(home, 'users.ndjson');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('User 7"', 'user 7"'));
    const edited = await resume();
    expect([edited.code, JSON.parse(edited.stderr).error.message]).toEqual([
      3,
      expect.stringMatching(/^users\.ndjson changed after job .* started; nothing was sent$/),
    ]);
    await appendFile(path, '{"userId":"new"}\n');
    expect((await resume()).code).toBe(3);
    await rm(path);
    const missing = await resume();
    expect([missing.code, JSON.parse(missing.stderr).error.hint]).toEqual([
      2,
      expect.stringContaining(`cannot be resumed without the original ${path}`),
    ]);
    expect(requests()).toBe(before);
    await writeFile(path, text);
    expect((await resume()).code).toBe(0);
  });

  it('keeps its organization, even if an earlier version accepted records of others', async () => {
    const { home, job, resume, requests } = await createStoppedJob();
    const path = join(home, 'users.ndjson');
    const text = (await readFile(path, 'utf8')).replace(
      '"name":"User 7"',
      '"organizationId":"beta"',
    );
    await writeFile(path, text);
    const journal = await Journal.open(join(jobsFolder(home), job, 'journal.sqlite'));
    const begun = journal.getFact('job') ?? expect.fail();
    const identity = {
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    };
    journal.setFact('job', {
      ...begun,
      inputs: begun.inputs.map((input) => ({ ...input, ...identity })),
    });
    journal.flush();
    journal.close();
    const before = requests();
    const again = await resume();
    expect([again.code, JSON.parse(again.stderr).error.message, requests()]).toEqual([
      3,
      "users.ndjson:8: organizationId: 'beta' differs from 'acme', the target of all records",
      before,
    ]);
  });

  it('is resumed only with its original service', async () => {
    const { svc, env, job, requests } = await createStoppedJob();
    const before = requests();
    for (const other of [{ SVC_API_KEY: 'key-2' }, { SVC_BASE_URL: 'http://127.0.0.1:9' }]) {
      Object.assign(env, other);
      const { code, stderr } = await svc('jobs', 'resume', job);
      expect([code, stderr]).toEqual([2, expect.stringContaining('the job was started against')]);
    }
    expect(requests()).toBe(before);
  });

  it('is resumed with its original profile', async () => {
    let refuse = true;
    const { svc, env, home, came } = await createBulkUser(300, (_, request) =>
      refuse && request > 1 ? failure(403, 'PERMISSION_DENIED', 'Not today.') : undefined,
    );
    await writeFile(join(home, 'token'), env.SVC_AUTH_TOKEN);
    const beside = [
      '--api-key',
      'key-1',
      '--auth-token-file',
      'token',
      '--insecure-storage',
      '--no-verify',
    ];
    await svc('profiles', 'add', 'other', '--base-url', 'http://127.0.0.1:9', ...beside);
    await svc('profiles', 'add', 'prod', '--base-url', env.SVC_BASE_URL, ...beside);
    Object.assign(env, { SVC_BASE_URL: '', SVC_API_KEY: '', SVC_AUTH_TOKEN: '' });
    expect((await svc(...ADD_USERS, '-p', 'prod', '--concurrency', '1')).code).toBe(11);
    refuse = false;
    const again = await svc('jobs', 'resume', await findOnlyJob(svc), '-o', 'json');
    expect([again.code, again.stderr, came.size]).toEqual([0, '', 300]);
    await writeFile(join(home, '.svc.json'), '{"profile":"other"}');
    const ended = await svc('jobs', 'resume', await findOnlyJob(svc));
    await rm(join(home, '.svc.json'));
    expect([ended.code, ended.stdout]).toEqual([0, expect.not.stringContaining('other')]);
    const entries = JSON.parse((await svc('history', '-o', 'json')).stdout);
    expect(
      entries.find(({ command }: { command: string }) => command.includes('jobs resume')),
    ).toMatchObject({
      profile: 'prod',
      records: { total: 300, succeeded: 300 },
    });
  });

  it('prints the remaining requests with --dry-run and sends nothing', async () => {
    const { svc, job, requests } = await createStoppedJob();
    const before = requests();
    const { code, stdout } = await svc('jobs', 'resume', job, '--dry-run');
    expect([code, stdout.match(/"method": "POST"/g)?.length, requests()]).toEqual([0, 7, before]);
  });

  it('has a private journal without secrets', async () => {
    const { home, env, job } = await createStoppedJob();
    const folder = join(jobsFolder(home), job);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(folder)) {
      expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
      expect((await readFile(join(folder, name))).includes(env.SVC_AUTH_TOKEN)).toBe(false);
    }
  });

  it('is not resumed if its journal is damaged', async () => {
    const { home, job, resume, requests, svc } = await createStoppedJob();
    const path = join(jobsFolder(home), job, 'journal.sqlite');
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 5000));
    const before = requests();
    const { code, stderr } = await resume();
    expect([code, stderr]).toEqual([12, expect.stringContaining(path)]);
    expect(requests()).toBe(before);
    expect((await svc('jobs', 'remove', job)).code).toBe(0);
    expect(await readdir(jobsFolder(home))).toEqual([]);
  });

  it('is resumed with piped input', async () => {
    let refuse = true;
    const { svc, runWith, home, came } = await createBulkUser(0, (_, request) =>
      refuse && request > 2 ? failure(403, 'PERMISSION_DENIED', 'Not today.') : undefined,
    );
    const words = [
      'users',
      'add',
      '--org',
      'acme',
      '--file',
      '-',
      '-o',
      'json',
      '--concurrency',
      '1',
    ];
    const first = await runWith(ndjsonUsers(500), ...words);
    expect([first.code, JSON.parse(first.stdout).succeeded]).toEqual([11, 200]);
    refuse = false;
    const job = await findOnlyJob(svc);
    const again = await svc('jobs', 'resume', job, '-o', 'json');
    expect([again.code, JSON.parse(again.stdout).succeeded, came.size]).toEqual([0, 500, 500]);
    expect(await readdir(join(jobsFolder(home), job))).not.toContain('input');
    expect(JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout)).toMatchObject([
      { input: 'stdin', state: 'done' },
    ]);
  });

  it('writes the rejects and results of the whole job', async () => {
    const poison: RequestHandler = (ids) =>
      ids.some((id) => id === 'u5' || id === 'u905')
        ? failure(400, 'INVALID_ARGUMENT', 'Bad user.')
        : undefined;
    let refuse = true;
    const { svc, home } = await createBulkUser(1_000, (ids, request) =>
      refuse && request > 20
        ? failure(403, 'PERMISSION_DENIED', 'Not today.')
        : poison(ids, request),
    );
    const first = await svc(...ADD_USERS, '--concurrency', '1', '--results', 'results.ndjson');
    expect(JSON.parse(first.stdout)).toMatchObject({ failed: 1, rejects: 'users.rejects.ndjson' });
    refuse = false;
    const again = await svc('jobs', 'resume', await findOnlyJob(svc), '-o', 'json');
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
      10,
      {
        succeeded: 998,
        failed: 2,
        rejects: 'users.rejects.ndjson',
        failures: [{ id: 'u5', line: 6 }, { id: 'u905' }],
      },
    ]);
    const rejects = await readFile(join(home, 'users.rejects.ndjson'), 'utf8');
    expect(rejects).toBe('{"userId":"u5","name":"User 5"}\n{"userId":"u905","name":"User 905"}\n');
    const results = (await readFile(join(home, 'results.ndjson'), 'utf8')).trimEnd().split('\n');
    const ids = new Set(results.map((line) => JSON.parse(line).id));
    expect([results.length, ids.size]).toEqual([1_000, 1_000]);
  });
});

describe('a running job', () => {
  it(
    'rejects a second process, shows its progress, and exits cleanly at Ctrl-C',
    SLOW,
    async () => {
      const world = await createBulkUser(10_000, (_, request) =>
        request > 6 ? 'silence' : undefined,
      );
      const { start, svc, more } = world;
      const reached = more(8);
      const running = start(...ADD_USERS, '--concurrency', '2', '--timeout', '2s');
      await reached;
      const job = await findOnlyJob(svc);
      const second = await svc('jobs', 'resume', job);
      expect([second.code, second.stderr]).toEqual([
        13,
        expect.stringMatching(/process \d+ is running job/),
      ]);
      expect((await svc('jobs', 'remove', job)).code).toBe(13);
      expect((await svc('jobs', 'remove', job, job)).code, 'one job, named twice').toBe(13);
      const [listed] = JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout);
      expect(listed).toMatchObject({ state: 'running', total: 10_000, succeeded: 600 });
      running.kill('SIGINT');
      const { code, stdout, stderr } = await running.ended;
      const summary = JSON.parse(stdout);
      // Two requests got no response. A resume finds out whether they were applied.
      expect([code, summary]).toMatchObject([9, { succeeded: 600, unknown: 200, skipped: 9_200 }]);
      expect(stderr).toContain(`svc jobs resume ${job}`);
    },
  );

  it.each([
    ['SIGINT', 130, [3, 15, 25]],
    ['SIGTERM', 143, [20]],
  ] as const)(
    'completes all requests in flight at %s, any number of times',
    SLOW,
    async (signal, ends, moments) => {
      const { start, svc, more, came } = await createBulkUser(8_000);
      let job = '';
      for (const [stops, after] of moments.entries()) {
        const resume = ['jobs', 'resume', job, '-o', 'json', '-q'];
        const running =
          stops === 0 ? start(...ADD_USERS, '--concurrency', '4', '-q') : start(...resume);
        await more(after);
        running.kill(signal);
        const { code, stdout, stderr } = await running.ended;
        const { total, succeeded, failed, unknown, skipped } = JSON.parse(stdout);
        expect([code, total, succeeded, failed + unknown]).toEqual([
          ends,
          succeeded + skipped,
          came.size,
          0,
        ]);
        job = JSON.parse(stdout).job;
        expect(stderr.trimEnd().split('\n').at(-1)).toContain(`svc jobs resume ${job}`);
      }
      const { code, stdout } = await svc('jobs', 'resume', job, '-o', 'json', '-q');
      expect([code, JSON.parse(stdout).succeeded]).toEqual([0, 8_000]);
      expect([...came.values()].every((times) => times === 1)).toBe(true);
      expect(JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout).runs).toBe(
        moments.length + 1,
      );
    },
  );
});

describe('a failing service', () => {
  it('receives everything despite temporary outages', SLOW, async () => {
    const { svc, came } = await createBulkUser(3_000, (_, request) => {
      if (request % 7 === 3) return failure(503, 'UNAVAILABLE', 'Busy.');
      return request % 11 === 5 ? 'reset' : undefined;
    });
    const { code, stdout } = await svc(...ADD_USERS, '-q');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { succeeded: 3_000, unknown: 0 }]);
    expect(came.size).toBe(3_000);
  });

  it('with a rate limit pauses all requests', async () => {
    const { svc, came } = await createBulkUser(3_000, (_, request) =>
      request === 5
        ? { status: 429, body: { error: { status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } } }
        : undefined,
    );
    const { code, stdout } = await svc(...ADD_USERS, '-q', '--no-wait', '--concurrency', '1');
    expect([code, JSON.parse(stdout)]).toMatchObject([11, { succeeded: 400, skipped: 2_600 }]);
    const resumed = await svc('jobs', 'resume', await findOnlyJob(svc), '-o', 'json', '-q');
    expect([resumed.code, came.size]).toEqual([0, 3_000]);
  });

  it('that is gone stops the job, which is resumed later', SLOW, async () => {
    let gone = true;
    const { svc, came } = await createBulkUser(5_000, (_, request) =>
      gone && request > 10 ? failure(503, 'UNAVAILABLE', 'Gone.') : undefined,
    );
    const first = await svc(...ADD_USERS, '-q', '--concurrency', '8');
    const summary = JSON.parse(first.stdout);
    expect(first.code).toBe(9);
    expect(summary.unknown).toBeGreaterThanOrEqual(1_000);
    expect(summary.unknown).toBeLessThanOrEqual(2_000);
    expect(first.stderr).toContain('svc jobs resume');
    gone = false;
    const again = await svc('jobs', 'resume', summary.job, '-o', 'json', '-q');
    expect([again.code, JSON.parse(again.stdout).succeeded, came.size]).toEqual([0, 5_000, 5_000]);
    expect([...came.values()].every((times) => times === 1)).toBe(true);
  });
});

describe('a full disk', () => {
  const canMount =
    spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs $d && umount $d']).status === 0;

  it.runIf(canMount)(
    'stops a job with exit code 12: svc sends only recorded batches, and the job is resumed later',
    SLOW,
    async () => {
      const { home, svc, came } = await createBulkUser(6_000);
      const state = join(home, '.local', 'state');
      await mkdir(state, { recursive: true });
      spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=120k', 'tmpfs', state]);
      onTestFinished(() => void spawnSync('umount', ['-l', state]));
      const first = await svc(...ADD_USERS, '-q', '--batch-size', '10', '--concurrency', '2');
      const summary = JSON.parse(first.stdout);
      expect([first.code, summary.succeeded]).toEqual([12, came.size]);
      expect(summary.total).toBe(summary.succeeded + summary.skipped);
      expect(summary.succeeded).toBeGreaterThan(0);
      expect(first.stderr).toContain(`svc jobs resume ${summary.job}`);
      spawnSync('mount', ['-o', 'remount,size=50m', state]);
      const again = await svc('jobs', 'resume', summary.job, '-o', 'json', '-q');
      expect([again.code, JSON.parse(again.stdout).succeeded, came.size]).toEqual([
        0, 6_000, 6_000,
      ]);
      const twice = countRepeats(came);
      expect(twice).toBeLessThanOrEqual(40);
    },
  );
});

describe('notifications', () => {
  it('of a resumed job keep their generated IDs', async () => {
    let refuse = true;
    const ids: string[] = [];
    const world = await createBulkUser(0);

    const service = await startMockService(({ body }) => {
      if (refuse && ids.length === 2) return failure(403, 'PERMISSION_DENIED', 'Not today.');
      ids.push(String(body.data['notificationId']));
      return success({ success: true });
    });
    const line = (text: string) =>
      JSON.stringify({ displayHeadlineMessageTemplate: text, displayBodyMessage: text });
    await writeFile(join(world.home, 'n.ndjson'), ['a', 'b', 'c', 'd'].map(line).join('\n'));
    Object.assign(world.env, service.env);
    const beside = [
      '--org',
      'acme',
      '--document',
      'd1',
      '--action-user',
      'u1',
      '--notify-user',
      'u2',
      '--no-notify-all',
    ];
    const words = [
      'notifications',
      'add',
      '--file',
      'n.ndjson',
      ...beside,
      '-o',
      'json',
      '--concurrency',
      '1',
    ];
    expect((await world.svc(...words)).code).toBe(11);
    refuse = false;
    const job = await findOnlyJob(world.svc);
    expect((await world.svc('jobs', 'resume', job)).code).toBe(0);
    expect([ids.length, new Set(ids).size]).toEqual([4, 4]);

    expect(ids).toEqual([0, 1, 2, 3].map(createIdGenerator(job)));
  });
});
