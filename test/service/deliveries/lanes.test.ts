import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../src/service/deliveries/lanes.ts';
import { RATE_WINDOW } from '../../../src/service/deliveries/starts.ts';

describe('lanes', () => {
  it('leave slots for other lanes, even if each lane takes all it can get', () => {
    const lanes = new Lanes();
    const capacities = Array.from({ length: 8 }, (_, n) => {
      const room = lanes.capacity(`lane ${n}`);
      lanes.start(`lane ${n}`, room);
      return room;
    });
    expect(capacities).toEqual([64, 32, 16, 8, 4, 2, 1, 1]);
    expect(lanes.inFlight).toBe(128);
    expect(lanes.capacity('one more')).toBe(0);
    expect(lanes.availableAt('one more')).toBe(Number.POSITIVE_INFINITY);
  });

  it('halve the limit of an unresponsive lane each time, and double it again when it responds', () => {
    const lanes = new Lanes();
    const capacities: number[] = [];
    for (const answered of [false, false, false, false, false, false, false, true, true, true]) {
      lanes.start('lane', 1);
      lanes.finish('lane', answered);
      capacities.push(lanes.capacity('lane'));
    }
    expect(capacities).toEqual([32, 16, 8, 4, 2, 1, 1, 2, 4, 8]);
  });

  it('keep a shared rate limit, and are available again after the window', () => {
    const lanes = new Lanes();
    const recentStarts = [
      { at: 100, count: 6 },
      { at: 400, count: 3 },
    ];
    expect(lanes.capacity('lane', { limit: 10, recentStarts: recentStarts })).toBe(1);
    expect(lanes.availableAt('lane')).toBe(0);
    expect(lanes.capacity('lane', { limit: 9, recentStarts: recentStarts })).toBe(0);
    expect(lanes.availableAt('lane')).toBe(100 + RATE_WINDOW);
  });
});
