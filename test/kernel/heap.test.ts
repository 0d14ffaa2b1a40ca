import { expect, it, onTestFinished, vi } from 'vitest';
import { limitHeapGrowth, limitYoungGeneration, startWithSmallHeap } from '../../src/kernel/heap.ts';
import { run } from '../acceptance/svc.ts';

it('lets the young generation grow to the limit, then sets the growth factor once', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const flags: string[] = [];
  let megabytes = 1;
  limitYoungGeneration(16, { youngGenerationSize: () => megabytes * 1024 * 1024, setFlag: (flag) => flags.push(flag) });
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
  limitHeapGrowth({ youngGenerationSize: () => 16 * 1024 * 1024, setFlag: (flag) => flags.push(flag) });
  await vi.advanceTimersByTimeAsync(100);
  expect(flags).toEqual(['--heap-growing-percent=100', '--semi-space-growth-factor=1']);
});

/** Creates objects that live for a while, as a stream does, and prints the final size of the young generation. */
const STREAMING = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { limitYoungGeneration } from './src/kernel/heap.ts';
  if (process.argv[1] === 'limited') limitYoungGeneration(8);
  const kept = [];
  for (let n = 0; n < 300; n++) {
    for (let at = 0; at < 20_000; at++) kept[at % 5_000] = { at, text: String(at).repeat(4) };
    await new Promise((resolve) => setTimeout(resolve, n % 10 === 0 ? 1 : 0));
  }
  console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 1024 / 1024);
`;

it('limits the young generation of a real process', async () => {
  const sizeOf = async (mode: string) => Number((await run(['--input-type=module', '-e', STREAMING, mode], {})).stdout);
  const [limited, unlimited] = await Promise.all([sizeOf('limited'), sizeOf('unlimited')]);
  expect(limited).toBeGreaterThan(0);
  expect(limited).toBeLessThanOrEqual(16);
  expect(unlimited).toBeGreaterThan(limited);
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
  expect(calls.splice(0)).toEqual(['--no-opt', '--no-maglev', '--semi-space-growth-factor=1', 'collect']);
  startup.resumeOptimizing();
  startup.resumeOptimizing();
  startup.trim();
  expect(calls).toEqual(['--opt', '--maglev', '--semi-space-growth-factor=2']);
});
