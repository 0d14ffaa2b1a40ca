import { expect, it, onTestFinished, vi } from 'vitest';
import { limitHeapGrowth, limitYoungGeneration } from '../../src/kernel/heap.ts';

it('lets the young generation grow to the limit, then sets the growth factor once', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const flags: string[] = [];
  let megabytes = 1;
  limitYoungGeneration(16, {
    youngGenerationSize: () => megabytes * 1024 * 1024,
    setFlag: (flag) => flags.push(flag),
  });
  await vi.advanceTimersByTimeAsync(100);
  megabytes = 15;
  await vi.advanceTimersByTimeAsync(100);
  expect(flags).toEqual([]);
  megabytes = 16;
  await vi.advanceTimersByTimeAsync(100);
  expect(flags).toEqual(['--semi-space-growth-factor=1']);
});

it('checks the young generation at once, because a long computation may follow', () => {
  const flags: string[] = [];
  limitYoungGeneration(16, {
    youngGenerationSize: () => 16 * 1024 * 1024,
    setFlag: (flag) => flags.push(flag),
  });
  expect(flags).toEqual(['--semi-space-growth-factor=1']);
});

it('limits the growth of both the old and the young generation', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const flags: string[] = [];
  limitHeapGrowth({
    youngGenerationSize: () => 16 * 1024 * 1024,
    setFlag: (flag) => flags.push(flag),
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(flags).toEqual(['--heap-growing-percent=100', '--semi-space-growth-factor=1']);
});
