import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';

describe('the clock of this machine', () => {
  it('sleeps', async () => {
    const before = performance.now();
    await systemClock.sleep(20);
    expect(performance.now() - before).toBeGreaterThanOrEqual(18);
  });

  it('wakes with the reason of the signal, whenever it aborts', async () => {
    const reason = new Error('stop');
    await expect(systemClock.sleep(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });
});
