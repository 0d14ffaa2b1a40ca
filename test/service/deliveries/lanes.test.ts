import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../src/service/deliveries/lanes.ts';

describe('lanes', () => {
  it('leave room for others, however many take what they get', () => {
    const lanes = new Lanes();
    const taken = Array.from({ length: 8 }, (_, n) => {
      const room = lanes.room(`lane ${n}`, undefined, 0);
      lanes.begin(`lane ${n}`, room, 0);
      return room;
    });
    expect(taken).toEqual([64, 32, 16, 8, 4, 2, 1, 1]);
    expect(lanes.underWay).toBe(128);
    expect(lanes.room('one more', undefined, 0)).toBe(0);
    expect(lanes.opensAt('one more')).toBe(Number.POSITIVE_INFINITY);
  });

  it('give a lane that does not answer less each time, and all of it again when it does', () => {
    const lanes = new Lanes();
    const rooms: number[] = [];
    for (const answered of [false, false, false, false, false, false, false, true, true, true]) {
      lanes.begin('lane', 1, 0);
      lanes.end('lane', answered);
      rooms.push(lanes.room('lane', undefined, 0));
    }
    expect(rooms).toEqual([32, 16, 8, 4, 2, 1, 1, 2, 4, 8]);
  });

  it('hold a rate limit in every second, whatever is asked when', () => {
    const lanes = new Lanes();
    const begun: number[] = [];
    for (let now = 0; now < 20_000; now += 1 + ((now * 7919) % 97)) {
      const count = Math.min(lanes.room('lane', 10, now), 1 + (now % 4));
      lanes.begin('lane', count, now);
      for (let n = 0; n < count; n++) {
        lanes.end('lane', true);
        begun.push(now);
      }
      if (count === 0) expect(lanes.opensAt('lane')).toBeGreaterThan(now);
    }
    const most = Math.max(...begun.map((start) => begun.filter((at) => at >= start && at <= start + 1_000).length));
    expect(most).toBe(10);
    expect(begun.length).toBeGreaterThan(180);
  });
});
