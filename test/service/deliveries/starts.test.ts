import { describe, expect, it } from 'vitest';
import { claimLane, LEASE, pendingLanes } from '../../../src/service/deliveries/claim.ts';
import { Lanes } from '../../../src/service/deliveries/lanes.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { deliveringWorld } from './delivering.ts';

describe('the rate limit of an endpoint', () => {
  it('holds in every second for all who deliver, whoever asks when', async () => {
    const { path, store, endpoint, comment } = await deliveringWorld();
    await endpoint({ url: 'https://a.example', rateLimit: 10 });
    await comment(300);
    const other = await openStore(path);
    const both = [store, other].map((own, at) => ({ store: own, owner: `${at}`, lanes: new Lanes() }));
    const begun: number[] = [];
    const start = Date.now();
    for (let passed = 0; passed < 12_000; passed += 1 + ((passed * 7919) % 97)) {
      const now = start + passed;
      const claims = both.map(({ store: own, owner, lanes }) =>
        own.writeRelaxed(async (database) => {
          const [lane] = await pendingLanes(database);
          if (!lane) throw new Error('nothing is pending');
          const most = 1 + (now % 4);
          const room = (rate?: Parameters<Lanes['room']>[1]) => Math.min(lanes.room(lane.lane, rate), most);
          return claimLane(database, lane, { owner, now, until: now + LEASE }, room);
        }),
      );
      for (const claimed of await Promise.all(claims)) begun.push(...claimed.map(() => now));
    }
    await other.close();
    const most = Math.max(...begun.map((from) => begun.filter((at) => at >= from && at <= from + 1_000).length));
    expect(most).toBe(10);
    expect(begun.length).toBeGreaterThan(100);
  });
});
