import { describe, expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../../src/service/deliveries/claim.ts';
import { Dispatcher } from '../../../src/service/deliveries/dispatcher.ts';
import type { AttemptResult } from '../../../src/service/deliveries/http-sender.ts';

const CLAIMED_AT = 1_000_000;
const OVERDUE_AT = CLAIMED_AT + 5_001;

function createWorld() {
  const attempts: { readonly id: string; readonly end: (result: AttemptResult) => void }[] = [];
  const outcomes: string[] = [];
  const dispatcher = new Dispatcher({
    attempt: ({ id }) => {
      const { promise, resolve } = Promise.withResolvers<AttemptResult>();
      attempts.push({ id, end: resolve });
      return promise;
    },
    onOutcome: ({ delivery }) => outcomes.push(delivery.id),
    now: () => 0,
  });
  const add = (lane: string, count: number) => {
    const claimed = Array.from(
      { length: count },
      (_, at) => ({ id: `${lane}${at}`, lane, claimedAt: CLAIMED_AT }) as ClaimedDelivery,
    );
    dispatcher.lanes.claim(lane, count);
    dispatcher.add(claimed);
    return claimed.map(({ id }) => id);
  };
  const respond = async (from: number, to: number) => {
    for (const { end } of attempts.slice(from, to)) end(DELIVERED);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  };
  return { dispatcher, attempts, outcomes, add, respond };
}

const DELIVERED: AttemptResult = {
  status: 200,
  error: null,
  reason: null,
  milliseconds: 1,
  body: null,
};

describe('dispatching claimed deliveries', () => {
  it('attempts each once, in order, with at most 64 attempts of a lane at once', async () => {
    const { dispatcher, attempts, outcomes, add, respond } = createWorld();
    const ids = add('a', 200);
    expect(attempts.map(({ id }) => id)).toEqual(ids.slice(0, 64));
    for (let ended = 0; ended < 200; ended += 40) {
      await respond(ended, ended + 40);
      expect(dispatcher.lanes.inFlight).toBe(Math.min(64, 160 - ended));
    }
    expect(attempts.map(({ id }) => id)).toEqual(ids);
    expect(outcomes).toEqual(ids);
  });

  it('starts those of another lane while one lane waits for a slow target', async () => {
    const { attempts, add } = createWorld();
    add('slow', 500);
    const others = add('fast', 10);
    expect(attempts.slice(64).map(({ id }) => id)).toEqual(others);
  });

  it('gives up the ones that waited too long, and never attempts them', async () => {
    const { dispatcher, attempts, add, respond } = createWorld();
    const ids = add('a', 100);
    expect(dispatcher.removeOverdue(OVERDUE_AT - 1)).toEqual([]);
    expect(dispatcher.removeOverdue(OVERDUE_AT).map(({ id }) => id)).toEqual(ids.slice(64));
    await respond(0, 64);
    expect(attempts).toHaveLength(64);
    expect(dispatcher.lanes.inFlight).toBe(0);
    expect(dispatcher.lanes.capacity('another')).toBe(64);
  });

  it('gives up the ones that wait if the clock was set back', () => {
    const { dispatcher, add } = createWorld();
    add('a', 65);
    expect(dispatcher.removeOverdue(CLAIMED_AT - 1)).toHaveLength(1);
  });
});
