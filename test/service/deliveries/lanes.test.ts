import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../src/service/deliveries/lanes.ts';
import { RATE_WINDOW } from '../../../src/service/deliveries/starts.ts';

describe('lanes', () => {
  it('leave room for others, however many take what they get', () => {
    const lanes = new Lanes();
    const taken = Array.from({ length: 8 }, (_, n) => {
      const room = lanes.room(`lane ${n}`);
      lanes.begin(`lane ${n}`, room);
      return room;
    });
    expect(taken).toEqual([64, 32, 16, 8, 4, 2, 1, 1]);
    expect(lanes.underWay).toBe(128);
    expect(lanes.room('one more')).toBe(0);
    expect(lanes.opensAt('one more')).toBe(Number.POSITIVE_INFINITY);
  });

  it('give a lane that does not answer less each time, and all of it again when it does', () => {
    const lanes = new Lanes();
    const rooms: number[] = [];
    for (const answered of [false, false, false, false, false, false, false, true, true, true]) {
      lanes.begin('lane', 1);
      lanes.end('lane', answered);
      rooms.push(lanes.room('lane'));
    }
    expect(rooms).toEqual([32, 16, 8, 4, 2, 1, 1, 2, 4, 8]);
  });

  it('hold the rate limit that several have, and open when the window has passed', () => {
    const lanes = new Lanes();
    const begun = [
      { at: 100, count: 6 },
      { at: 400, count: 3 },
    ];
    expect(lanes.room('lane', { limit: 10, begun })).toBe(1);
    expect(lanes.opensAt('lane')).toBe(0);
    expect(lanes.room('lane', { limit: 9, begun })).toBe(0);
    expect(lanes.opensAt('lane')).toBe(100 + RATE_WINDOW);
  });
});
