import { describe, expect, it } from 'vitest';
import { createSerialQueue } from '../../src/service/store/file-queue.ts';

describe('a serial queue', () => {
  it('keeps the order, and continues after a failure', async () => {
    const enqueue = createSerialQueue();
    const log: string[] = [];
    const step = (name: string) => async () => {
      log.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name} ends`);
      if (name === 'a') throw new Error('no');
    };
    await Promise.allSettled([enqueue(step('a')), enqueue(step('b'))]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });
});
