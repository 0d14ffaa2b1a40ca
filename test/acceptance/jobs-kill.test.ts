import { describe, expect, it } from 'vitest';
import { ADD, importing, killedAfter, repeated } from './bulk-service.ts';

const USERS = 100_000;
const [CONCURRENCY, BATCH] = [4, 100];

describe('a job that is killed', () => {
  it('again and again loses nothing, and sends twice only what was in flight', async ({ annotate }) => {
    const world = await importing(USERS);
    const { svc, came } = world;
    const words = [...ADD, '--concurrency', String(CONCURRENCY)];
    const killed = await killedAfter([1, 37, 90, 5, 120, 2, 60, 150, 33, 80], world, words);
    const { code, stdout, stderr, kills, job } = killed;
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({
      job,
      total: USERS,
      succeeded: USERS,
      failed: 0,
      unknown: 0,
      skipped: 0,
    });
    expect(kills).toBe(10);
    expect(came.size).toBe(USERS);
    const twice = repeated(came);
    await annotate(`sent twice: ${twice} of at most ${kills * CONCURRENCY * BATCH}`);
    expect(twice).toBeLessThanOrEqual(kills * CONCURRENCY * BATCH);
    const receipt = JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout);
    expect(receipt).toMatchObject({ state: 'done', runs: 11, counts: { total: USERS, succeeded: USERS } });
  });

  it('at any moment of its start leaves nothing that is in the way', async () => {
    const { svc, start, came } = await importing(2_000);
    for (const delay of [60, 110, 160, 210, 260, 310]) {
      const run = start(...ADD, '-q');
      await new Promise((resolve) => setTimeout(resolve, delay));
      run.kill('SIGKILL');
      await run.ended;
    }
    expect((await svc('jobs', 'list')).code).toBe(0);
    const { code, stdout } = await svc(...ADD);
    expect([code, JSON.parse(stdout).succeeded]).toEqual([0, 2_000]);
    expect(came.size).toBe(2_000);
  });
});
