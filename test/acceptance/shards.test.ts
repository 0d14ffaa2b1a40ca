import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { ADD_USERS, countRepeats, ndjsonUsers } from './bulk-service.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';

const [PROCESSES, USERS] = [4, 5_000];
/**
 * Requests of all processes together that are accepted in a row, and the time for which all further
 * ones are refused, in milliseconds.
 */
const LIMIT = { requests: 30, milliseconds: 1_000 };

interface Users {
  readonly users: readonly { readonly userId: string }[];
}

/**
 * A service with one rate limit for all callers. It holds back the first requests until all
 * processes have sent one.
 */
async function startSharedService() {
  const came = new Map<string, number>();
  const accepted = new Map<string, number>();
  const refusals = new Map<string, number>();
  const arrived = Promise.withResolvers<void>();
  let window: { used: number; refusedUntil?: number } = { used: 0 };
  const service = await startMockService(async ({ body, headers }, response) => {
    const process = String(headers['x-svc-api-key']);
    accepted.set(process, accepted.get(process) ?? 0);
    if (accepted.size === PROCESSES) arrived.resolve();
    await arrived.promise;
    const now = Date.now();
    // Starts with the first refusal, so that there is one, however slowly the processes send.
    if (window.used >= LIMIT.requests) window.refusedUntil ??= now + LIMIT.milliseconds;
    if (window.refusedUntil !== undefined && now >= window.refusedUntil) window = { used: 0 };
    if (window.refusedUntil !== undefined) {
      refusals.set(process, (refusals.get(process) ?? 0) + 1);
      response.setHeader('retry-after', '1');
      return failure(429, 'RESOURCE_EXHAUSTED', 'Rate limit exceeded.');
    }
    window.used += 1;
    accepted.set(process, (accepted.get(process) ?? 0) + 1);
    const ids = (body.data as unknown as Users).users.map(({ userId }) => userId);
    for (const id of ids) came.set(id, (came.get(id) ?? 0) + 1);
    return success(Object.fromEntries(ids.map((id) => [id, { success: true }])));
  });
  return { ...service, came, accepted, refusals };
}

describe('shards of one file on several machines', () => {
  it(
    'apply each record once and all finish, although they share a rate limit',
    SLOW,
    async ({ annotate }) => {
      const { came, accepted, refusals, env } = await startSharedService();
      let whenFirstEnded: readonly number[] | undefined;
      const machines = Array.from({ length: PROCESSES }, async (_, at) => {
        // A home of its own, because processes of one user share the state of rate limits.
        const machine = await newUser();
        await writeFile(join(machine.home, 'users.ndjson'), ndjsonUsers(USERS));
        const shard = `${at + 1}/${PROCESSES}`;
        const ended = await machine.svc([...ADD_USERS, '--shard', shard, '-q'], {
          env: { ...env, SVC_API_KEY: `machine-${at}` },
        });
        whenFirstEnded ??= [...accepted.values()];
        return ended;
      });
      const runs = await Promise.all(machines);
      expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
      const totals = runs.map(({ stdout }) => JSON.parse(stdout).succeeded as number);
      expect(totals.reduce((sum, total) => sum + total, 0)).toBe(USERS);
      expect([came.size, countRepeats(came)]).toEqual([USERS, 0]);
      await annotate(
        `requests when the first ended: ${whenFirstEnded}; refusals: ${[...refusals.values()]}`,
      );
      // How evenly they share the limit is only reported: one process can take most of a fixed
      // window.
      expect(refusals.size).toBeGreaterThan(0);
    },
  );
});
