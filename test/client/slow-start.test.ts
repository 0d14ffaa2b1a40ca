import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlowStart } from '../../src/client/slow-start.ts';

const settled = () => new Promise(setImmediate);

/** Lets all requests that may leave do so, answers those under way, and gives how many there were in each round. */
async function rounds(slowStart: SlowStart, requests: number): Promise<number[]> {
  let underWay = 0;
  const entered = Array.from({ length: requests }, () => slowStart.enter(undefined).then(() => (underWay += 1)));
  const sizes: number[] = [];
  for (let done = 0; done < requests; done += sizes.at(-1) ?? 0) {
    await settled();
    sizes.push(underWay);
    const round = underWay;
    underWay = 0;
    for (let left = 0; left < round; left += 1) slowStart.leave(true);
  }
  await Promise.all(entered);
  return sizes;
}

describe('slow start', () => {
  it('holds nothing back before there was a pause', async () => {
    expect(await rounds(new SlowStart(), 500)).toEqual([500]);
  });

  it('lets one through after it, then twice as many each round, then all', async () => {
    const slowStart = new SlowStart();
    slowStart.begin();
    expect(await rounds(slowStart, 300)).toEqual([1, 2, 4, 8, 16, 32, 64, 173]);
  });

  it('does not speed up by what the service did not take', async () => {
    const slowStart = new SlowStart();
    slowStart.begin();
    for (let request = 0; request < 5; request += 1) {
      await slowStart.enter(undefined);
      slowStart.leave(false);
    }
    await slowStart.enter(undefined);
    const second = slowStart.enter(AbortSignal.timeout(5));
    await expect(second).rejects.toThrow(/timeout/);
  });

  it('is left at once when the signal aborts, and the place goes to the next', async () => {
    const slowStart = new SlowStart();
    slowStart.begin();
    await slowStart.enter(undefined);
    const controller = new AbortController();
    const impatient = slowStart.enter(controller.signal);
    const patient = slowStart.enter(undefined);
    controller.abort(new Error('stopped by a test'));
    await expect(impatient).rejects.toThrow('stopped by a test');
    slowStart.leave(false);
    await patient;
    await expect(slowStart.enter(controller.signal)).rejects.toThrow('stopped by a test');
  });

  it('lets everyone through in the end, and never more than it allows', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('answered', 'failed', 'limited'), { maxLength: 60 }), async (ends) => {
        const slowStart = new SlowStart();
        slowStart.begin();
        let [underWay, answered, through] = [0, 0, 0];
        await Promise.all(
          ends.map(async (end) => {
            await slowStart.enter(undefined);
            underWay += 1;
            expect(underWay).toBeLessThanOrEqual(1 + answered);
            await settled();
            underWay -= 1;
            if (end === 'answered') answered += 1;
            slowStart.leave(end === 'answered');
            through += 1;
          }),
        );
        expect(through).toBe(ends.length);
      }),
    );
  });
});
