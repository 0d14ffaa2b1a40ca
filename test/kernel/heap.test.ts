import { expect, it, onTestFinished, vi } from 'vitest';
import {
  limitHeapGrowth,
  limitYoungGeneration,
  startWithSmallHeap,
} from '../../src/kernel/heap.ts';

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

it('keeps the heap of an idle process small until the first work', () => {
  const calls: string[] = [];
  const heap = {
    youngGenerationSize: () => 0,
    setFlag: (flag: string) => calls.push(flag),
    collectGarbage: () => calls.push('collect'),
  };
  const startup = startWithSmallHeap(heap);
  startup.trim();
  expect(calls.splice(0)).toEqual([
    '--no-opt',
    '--no-maglev',
    '--semi-space-growth-factor=1',
    'collect',
  ]);
  startup.resumeOptimizing();
  startup.resumeOptimizing();
  startup.trim();
  expect(calls).toEqual(['--opt', '--maglev', '--semi-space-growth-factor=2']);
});
