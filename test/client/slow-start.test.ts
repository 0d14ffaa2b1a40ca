import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlowStart } from '../../src/client/slow-start.ts';

const settled = () => new Promise(setImmediate);

/** Sends all admitted requests, completes them, and returns their number for each round. */
async function rounds(slowStart: SlowStart, requests: number): Promise<number[]> {
  let underWay = 0;
  const entered = Array.from({ length: requests }, () =>
    slowStart.acquire(undefined).then(() => (underWay += 1)),
  );
  const sizes: number[] = [];
  for (let done = 0; done < requests; done += sizes.at(-1) ?? 0) {
    await settled();
    sizes.push(underWay);
    const round = underWay;
    underWay = 0;
    for (let left = 0; left < round; left += 1) slowStart.release(true);
  }
  await Promise.all(entered);
  return sizes;
}

describe('slow start', () => {
  it('does not limit requests before a pause', async () => {
    expect(await rounds(new SlowStart(), 500)).toEqual([500]);
  });

  it('admits one request after a pause, then twice as many each round, then all', async () => {
    const slowStart = new SlowStart();
    slowStart.begin();
    expect(await rounds(slowStart, 300)).toEqual([1, 2, 4, 8, 16, 32, 64, 173]);
  });

  it('does not speed up after requests that the service did not process', async () => {
    const slowStart = new SlowStart();
    slowStart.begin();
    for (let request = 0; request < 5; request += 1) {
      await slowStart.acquire(undefined);
      slowStart.release(false);
    }
    await slowStart.acquire(undefined);
    const second = slowStart.acquire(AbortSignal.timeout(5));
    await expect(second).rejects.toThrow(/timeout/);
  });

  it('passes the slot on when a waiting request is aborted', async () => {
    const slowStart = new SlowStart();
    slowStart.begin();
    await slowStart.acquire(undefined);
    const controller = new AbortController();
    const impatient = slowStart.acquire(controller.signal);
    const patient = slowStart.acquire(undefined);
    controller.abort(new Error('stopped by a test'));
    await expect(impatient).rejects.toThrow('stopped by a test');
    slowStart.release(false);
    await patient;
    await expect(slowStart.acquire(controller.signal)).rejects.toThrow('stopped by a test');
  });

  it('admits every request eventually, and never more than allowed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('answered', 'failed', 'limited'), { maxLength: 60 }),
        async (ends) => {
          const slowStart = new SlowStart();
          slowStart.begin();
          let [underWay, answered, through] = [0, 0, 0];
          await Promise.all(
            ends.map(async (end) => {
              await slowStart.acquire(undefined);
              underWay += 1;
              expect(underWay).toBeLessThanOrEqual(1 + answered);
              await settled();
              underWay -= 1;
              if (end === 'answered') answered += 1;
              slowStart.release(end === 'answered');
              through += 1;
            }),
          );
          expect(through).toBe(ends.length);
        },
      ),
    );
  });
});
