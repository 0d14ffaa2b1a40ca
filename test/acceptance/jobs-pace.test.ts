import { describe, expect, it } from 'vitest';
import { ADD_USERS, createBulkUser, findOnlyJob } from './bulk-service.ts';
import { failure } from './mock-service.ts';

const REFUSED = failure(403, 'PERMISSION_DENIED', 'Not today.');

/**
 * Creates a job that was rejected after its first request, and records the requests from then on.
 */
async function createStoppedJob(users = 60, flags: readonly string[] = ['--batch-size', '20']) {
  let refuses = true;
  const sizes: number[] = [];
  const world = await createBulkUser(users, (ids, request) => {
    if (!refuses) sizes.push(ids.length);
    return refuses && request > 1 ? REFUSED : undefined;
  });
  expect((await world.svc(...ADD_USERS, '--concurrency', '1', ...flags)).code).toBe(11);
  refuses = false;
  const job = await findOnlyJob(world.svc);
  return {
    ...world,
    job,
    sizes,
    resume: (...flags: readonly string[]) => world.svc('jobs', 'resume', job, ...flags),
  };
}

describe('a job resumed at another pace', () => {
  it('uses the new batch size', async () => {
    const { resume, sizes, came } = await createStoppedJob();
    expect((await resume('--batch-size', '15', '--concurrency', '1')).code).toBe(0);
    expect([sizes, came.size]).toEqual([[15, 15, 10], 60]);
  });

  it('observes the rate: a burst never exceeds the limit for one second', async () => {
    const { resume, sizes, came } = await createStoppedJob(240, []);
    expect((await resume('--rate', '90/s')).code).toBe(0);
    expect([sizes, came.size]).toEqual([[90, 50], 240]);
  });

  it('keeps its original pace by default', async () => {
    const { resume, sizes } = await createStoppedJob();
    expect((await resume()).code).toBe(0);
    expect(sizes).toEqual([20, 20]);
  });

  it('plans the same requests that it would send', async () => {
    const { resume, requests } = await createStoppedJob();
    const before = requests();
    const { code, stdout } = await resume('--batch-size', '10', '--dry-run');
    expect([code, stdout.match(/"method": "POST"/g)?.length, requests()]).toEqual([0, 4, before]);
  });

  it.each([
    [['--rate', 'fast'], "--rate must be a number of records per second such as 500/s, got 'fast'"],
    [
      ['--concurrency', '0'],
      "--concurrency must be a whole number of at least 1, or 'auto', got '0'",
    ],
    [['--batch-size', 'x'], "--batch-size must be a whole number of at least 1, got 'x'"],
    [['--on-error', 'stop'], "unknown flag '--on-error'"],
  ])('rejects %s and sends nothing', async (flags, message) => {
    const { resume, requests } = await createStoppedJob();
    const before = requests();
    const { code, stderr } = await resume(...flags);
    expect([code, stderr, requests()]).toEqual([2, expect.stringContaining(message), before]);
  });

  it('repeats a request without a response unchanged, and uses smaller batches for the rest', async () => {
    let silent = true;
    const sizes: number[] = [];
    const { svc, start, more } = await createBulkUser(60, (ids, request) => {
      if (!silent) sizes.push(ids.length);
      return silent && request === 2 ? 'silence' : undefined;
    });
    const run = start(...ADD_USERS, '--concurrency', '1', '--batch-size', '20', '-q');
    await more(2);
    run.kill('SIGKILL');
    await run.ended;
    silent = false;
    const again = await svc(
      'jobs',
      'resume',
      await findOnlyJob(svc),
      '--batch-size',
      '5',
      '--concurrency',
      '1',
      '-o',
      'json',
    );
    expect([again.code, JSON.parse(again.stdout).succeeded]).toEqual([0, 60]);
    expect(sizes).toEqual([20, 5, 5, 5, 5]);
  });
});
