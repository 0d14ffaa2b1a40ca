import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lanes } from '../../../src/service/deliveries/lanes.ts';
import { RATE_WINDOW } from '../../../src/service/deliveries/starts.ts';

/** Duration after which a lane claims no more deliveries than it has slots, in milliseconds. */
const SLOW = 60_000;

function respond(lanes: Lanes, lane: string, duration: number): void {
  lanes.claim(lane, 1);
  lanes.start(lane);
  lanes.finish(lane, duration);
}

describe('lanes', () => {
  it('leave slots for other lanes, even if each lane takes all it can get', () => {
    const lanes = new Lanes();
    const capacities = Array.from({ length: 8 }, (_, n) => {
      const room = lanes.capacity(`lane ${n}`);
      lanes.claim(`lane ${n}`, room);
      return room;
    });
    expect(capacities).toEqual([64, 32, 16, 8, 4, 2, 1, 1]);
    for (const [n, room] of capacities.entries())
      for (let at = 0; at < room; at += 1) lanes.start(`lane ${n}`);
    expect(lanes.inFlight).toBe(128);
    expect(lanes.capacity('one more')).toBe(0);
    expect(lanes.availableAt('one more')).toBe(Number.POSITIVE_INFINITY);
  });

  it('halve the limit of an unresponsive lane each time, and double it again when it responds', () => {
    const lanes = new Lanes();
    const capacities: number[] = [];
    for (const answered of [false, false, false, false, false, false, false, true, true, true]) {
      lanes.claim('lane', 1);
      lanes.start('lane');
      lanes.finish('lane', answered ? SLOW : undefined);
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

  it('claim as many deliveries as a target is expected to accept within 250 ms', () => {
    const capacities = [5, 50, 250, 1_000, SLOW].map((duration) => {
      const lanes = new Lanes();
      respond(lanes, 'lane', duration);
      return lanes.capacity('lane');
    });
    expect(capacities).toEqual([64 + 448, 64 + 320, 64 + 64, 64 + 16, 64]);
  });

  it('claim no more deliveries than slots before a response and under a rate limit', () => {
    const lanes = new Lanes();
    expect(lanes.capacity('lane')).toBe(64);
    respond(lanes, 'lane', 1);
    expect(lanes.capacity('lane', { limit: 1_000, recentStarts: [] })).toBe(64);
    lanes.claim('lane', 1);
    lanes.start('lane');
    lanes.finish('lane', undefined);
    expect(lanes.capacity('lane')).toBe(32);
  });

  it('leave slots and claims for other lanes if a fast lane has many claims', () => {
    const lanes = new Lanes();
    const claim = (lane: string) => {
      respond(lanes, lane, 1);
      const capacity = lanes.capacity(lane);
      lanes.claim(lane, capacity);
      return capacity;
    };
    expect(['a', 'b', 'c', 'd'].map(claim)).toEqual([64 + 448, 32, 16, 8]);
    expect(lanes.canStart('d')).toBe(true);
  });

  it('count the same slots whatever claims, attempts, and responses come in which order', () => {
    const steps = fc.array(
      fc.record({ lane: fc.constantFrom('a', 'b', 'c'), step: fc.nat(4), duration: fc.nat(500) }),
    );
    fc.assert(
      fc.property(steps, (list) => {
        const lanes = new Lanes();
        const claims: Record<string, { waiting: number; inFlight: number }> = {};
        for (const { lane, step, duration } of list) {
          claims[lane] ??= { waiting: 0, inFlight: 0 };
          const own = claims[lane];
          if (step === 0) {
            const capacity = lanes.capacity(lane);
            lanes.claim(lane, capacity);
            own.waiting += capacity;
          } else if (step === 1 && own.waiting > 0) {
            lanes.unclaim(lane, 1);
            own.waiting -= 1;
          } else if (step < 4) {
            while (own.waiting > 0 && lanes.canStart(lane)) {
              lanes.start(lane);
              own.waiting -= 1;
              own.inFlight += 1;
            }
          } else if (own.inFlight > 0) {
            lanes.finish(lane, duration > 400 ? undefined : duration);
            own.inFlight -= 1;
          }
          const all = Object.values(claims);
          expect(lanes.inFlight).toBe(all.reduce((sum, { inFlight }) => sum + inFlight, 0));
          expect(lanes.inFlight).toBeLessThanOrEqual(128);
          expect(own.waiting + own.inFlight).toBeLessThanOrEqual(512);
        }
        for (const [lane, { waiting, inFlight }] of Object.entries(claims)) {
          lanes.unclaim(lane, waiting);
          for (let at = 0; at < inFlight; at += 1) lanes.finish(lane, SLOW);
          for (let at = 0; at < 10; at += 1) respond(lanes, lane, SLOW);
        }
        expect(lanes.capacity('another')).toBe(64);
      }),
    );
  });
});
