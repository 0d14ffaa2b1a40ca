import { describe, expect, it } from 'vitest';
import { ADD, importing, onlyJob } from './bulk-service.ts';
import { failure } from './mock-service.ts';

const REFUSED = failure(403, 'PERMISSION_DENIED', 'Not today.');

/** A job that was refused after its first request, and whose requests are noted from then on. */
async function stopped(users = 60, flags: readonly string[] = ['--batch-size', '20']) {
  let refuses = true;
  const sizes: number[] = [];
  const world = await importing(users, (ids, request) => {
    if (!refuses) sizes.push(ids.length);
    return refuses && request > 1 ? REFUSED : undefined;
  });
  expect((await world.svc(...ADD, '--concurrency', '1', ...flags)).code).toBe(11);
  refuses = false;
  const job = await onlyJob(world.svc);
  return { ...world, job, sizes, resume: (...flags: readonly string[]) => world.svc('jobs', 'resume', job, ...flags) };
}

describe('a job that goes on at another pace', () => {
  it('sends in batches of another size', async () => {
    const { resume, sizes, came } = await stopped();
    expect((await resume('--batch-size', '15', '--concurrency', '1')).code).toBe(0);
    expect([sizes, came.size]).toEqual([[15, 15, 10], 60]);
  });

  it('keeps to a rate: what goes out at once is at most what a second may have', async () => {
    const { resume, sizes, came } = await stopped(240, []);
    expect((await resume('--rate', '90/s')).code).toBe(0);
    expect([sizes, came.size]).toEqual([[90, 50], 240]);
  });

  it('has the pace that it was begun with, unless told', async () => {
    const { resume, sizes } = await stopped();
    expect((await resume()).code).toBe(0);
    expect(sizes).toEqual([20, 20]);
  });

  it('plans as it would send', async () => {
    const { resume, requests } = await stopped();
    const before = requests();
    const { code, stdout } = await resume('--batch-size', '10', '--dry-run');
    expect([code, stdout.match(/"method": "POST"/g)?.length, requests()]).toEqual([0, 4, before]);
  });

  it.each([
    [['--rate', 'fast'], "--rate: 'fast' is no rate"],
    [['--concurrency', '0'], "--concurrency: '0' is not a whole number of at least 1"],
    [['--batch-size', 'x'], "--batch-size: 'x' is not a whole number of at least 1"],
    [['--on-error', 'stop'], "unknown flag '--on-error'"],
  ])('refuses %s and sends nothing', async (flags, message) => {
    const { resume, requests } = await stopped();
    const before = requests();
    const { code, stderr } = await resume(...flags);
    expect([code, stderr, requests()]).toEqual([2, expect.stringContaining(message), before]);
  });

  it('makes a request without an answer again as it was, and smaller ones of the rest', async () => {
    let silent = true;
    const sizes: number[] = [];
    const { svc, start, more } = await importing(60, (ids, request) => {
      if (!silent) sizes.push(ids.length);
      return silent && request === 2 ? 'silence' : undefined;
    });
    const run = start(...ADD, '--concurrency', '1', '--batch-size', '20', '-q');
    await more(2);
    run.kill('SIGKILL');
    await run.ended;
    silent = false;
    const again = await svc(
      'jobs',
      'resume',
      await onlyJob(svc),
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
