import { describe, expect, it } from 'vitest';
import { MAX_TIMER, systemClock } from '../../src/kernel/clock.ts';

describe('systemClock', () => {
  it('sleeps for the given time', async () => {
    const before = performance.now();
    await systemClock.sleep(20);
    expect(performance.now() - before).toBeGreaterThanOrEqual(18);
  });

  it('sleeps longer than the longest timer', async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(MAX_TIMER + 1, controller.signal).then(
      () => 'awake',
      () => 'stopped',
    );
    await systemClock.sleep(50);
    controller.abort();
    expect(await sleeping).toBe('stopped');
  });

  it('stops sleeping with the reason of the signal, before or during the sleep', async () => {
    const reason = new Error('stop');
    await expect(systemClock.sleep(3_600_000, AbortSignal.abort(reason))).rejects.toBe(reason);
    const controller = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
  });
});
