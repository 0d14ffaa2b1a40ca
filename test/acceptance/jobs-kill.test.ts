import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repeatList, repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { ADD_USERS, countRepeats, createBulkUser, killRepeatedly } from './bulk-service.ts';

const USERS = repeats(3_000);

/** Requests after which a run is killed. */
const KILLED_AFTER = repeatList([1, 12, 5]);

const [CONCURRENCY, BATCH] = [4, 100];

describe('a killed job', () => {
  it(
    'loses nothing when it is killed repeatedly, and repeats only requests in flight',
    SLOW,
    async ({ annotate }) => {
      const world = await createBulkUser(USERS);
      const { svc, came } = world;
      const words = [...ADD_USERS, '--concurrency', String(CONCURRENCY)];
      const killed = await killRepeatedly(KILLED_AFTER, world, words);
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
      expect(kills).toBe(KILLED_AFTER.length);
      expect(came.size).toBe(USERS);
      const twice = countRepeats(came);
      await annotate(`sent twice: ${twice} of at most ${kills * CONCURRENCY * BATCH}`);
      expect(twice).toBeLessThanOrEqual(kills * CONCURRENCY * BATCH);
      const receipt = JSON.parse((await svc('jobs', 'show', job, '-o', 'json')).stdout);
      expect(receipt).toMatchObject({
        state: 'done',
        runs: kills + 1,
        counts: { total: USERS, succeeded: USERS },
      });
    },
  );

  it(
    'applies each record to the organization that it names, although the input mixes many',
    SLOW,
    async () => {
      const users = 2_000;
      const organizationOf = (id: string) => `customer-${(Number(id.slice(1)) * 7_919) % 100}`;
      const misplaced: string[] = [];
      const world = await createBulkUser(0, (ids, _, organization) => {
        misplaced.push(...ids.filter((id) => organizationOf(id) !== organization));
        return undefined;
      });
      const rows = Array.from({ length: users }, (_, at) => `u${at},${organizationOf(`u${at}`)}\n`);
      await writeFile(join(world.home, 'mixed.csv'), `userId,organizationId\n${rows.join('')}`);
      const words = [
        'users',
        'add',
        '--file',
        'mixed.csv',
        '-o',
        'json',
        '--concurrency',
        String(CONCURRENCY),
      ];
      const { code, stdout, kills } = await killRepeatedly([1, 20, 30], world, words);
      expect([code, kills, misplaced]).toEqual([0, 3, []]);
      const summary = JSON.parse(stdout);
      expect(summary).toMatchObject({ total: users, succeeded: users });
      expect(summary.organizations).toHaveLength(100);
      expect(summary.organizations[0]).toEqual({
        id: 'customer-0',
        new: true,
        total: 20,
        succeeded: 20,
        failed: 0,
      });
      expect(world.came.size).toBe(users);
      expect(countRepeats(world.came)).toBeLessThanOrEqual(kills * CONCURRENCY * BATCH);
    },
  );

  it(
    'leaves nothing behind that blocks a new job if it was killed during its start',
    SLOW,
    async () => {
      const { svc, start, came } = await createBulkUser(2_000);
      for (const delay of [60, 120, 180, 240]) {
        const run = start(...ADD_USERS, '-q');
        await new Promise((resolve) => setTimeout(resolve, delay));
        run.kill('SIGKILL');
        await run.ended;
      }
      expect((await svc('jobs', 'list')).code).toBe(0);
      const { code, stdout } = await svc(...ADD_USERS);
      expect([code, JSON.parse(stdout).succeeded]).toEqual([0, 2_000]);
      expect(came.size).toBe(2_000);
    },
  );
});
