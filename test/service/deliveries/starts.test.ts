import { describe, expect, it } from 'vitest';
import {
  CLAIM_DURATION,
  claimLane,
  selectPendingLanes,
} from '../../../src/service/deliveries/claim.ts';
import { Lanes } from '../../../src/service/deliveries/lanes.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { SLOW } from '../../slow.ts';
import { deliveringWorld } from './delivering.ts';

describe('the rate limit of an endpoint', () => {
  it('is kept in every second across processes', SLOW, async () => {
    const { path, store, endpoint, comment } = await deliveringWorld();
    await endpoint({ url: 'https://a.example', rateLimit: 10 });
    await comment(300);
    const other = await openStore(path);
    const processes = [store, other].map((own, at) => ({
      store: own,
      owner: `${at}`,
      lanes: new Lanes(),
    }));
    const starts: number[] = [];
    const start = Date.now();
    for (let passed = 0; passed < 12_000; passed += 1 + ((passed * 7919) % 97)) {
      const now = start + passed;
      const claims = processes.map(({ store: own, owner, lanes }) =>
        own.writeRelaxed(async (database) => {
          const [lane] = await selectPendingLanes(database);
          if (!lane) throw new Error('nothing is pending');
          const most = 1 + (now % 4);
          const capacityFor = (rate?: Parameters<Lanes['capacity']>[1]) =>
            Math.min(lanes.capacity(lane.lane, rate), most);
          return claimLane(
            database,
            lane,
            { owner, now, until: now + CLAIM_DURATION },
            capacityFor,
          );
        }),
      );
      for (const claimed of await Promise.all(claims)) starts.push(...claimed.map(() => now));
    }
    await other.close();
    const most = Math.max(
      ...starts.map((from) => starts.filter((at) => at >= from && at <= from + 1_000).length),
    );
    expect(most).toBe(10);
    expect(starts.length).toBeGreaterThan(100);
  });
});
