import { expect, it, onTestFinished, vi } from 'vitest';
import { keepHeapSmall, limitYoungSpace, startSmall } from '../../src/kernel/heap.ts';
import { run } from '../acceptance/svc.ts';

it('the space for young objects is left to grow up to the limit, and is told once to stay there', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const flags: string[] = [];
  let megabytes = 1;
  limitYoungSpace(16, { youngSpace: () => megabytes * 1024 * 1024, setFlag: (flag) => flags.push(flag) });
  await vi.advanceTimersByTimeAsync(100);
  megabytes = 15;
  await vi.advanceTimersByTimeAsync(100);
  expect(flags).toEqual([]);
  megabytes = 16;
  await vi.advanceTimersByTimeAsync(100);
  expect(flags).toEqual(['--semi-space-growth-factor=1']);
});

it('the heap of a stream is kept small in both its parts', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const flags: string[] = [];
  keepHeapSmall({ youngSpace: () => 16 * 1024 * 1024, setFlag: (flag) => flags.push(flag) });
  await vi.advanceTimersByTimeAsync(100);
  expect(flags).toEqual(['--heap-growing-percent=100', '--semi-space-growth-factor=1']);
});

/** Makes objects that live for a while, as a stream does, and prints how large the space for young ones became. */
const STREAMING = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { limitYoungSpace, startSmall } from './src/kernel/heap.ts';
  if (process.argv[1] === 'limited') limitYoungSpace(8);
  const kept = [];
  for (let n = 0; n < 300; n++) {
    for (let at = 0; at < 20_000; at++) kept[at % 5_000] = { at, text: String(at).repeat(4) };
    await new Promise((resolve) => setTimeout(resolve, n % 10 === 0 ? 1 : 0));
  }
  console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 1024 / 1024);
`;

it('V8 heeds it', async () => {
  const sizeOf = async (how: string) => Number((await run(['--input-type=module', '-e', STREAMING, how], {})).stdout);
  const [limited, left] = await Promise.all([sizeOf('limited'), sizeOf('left alone')]);
  expect(limited).toBeGreaterThan(0);
  expect(limited).toBeLessThanOrEqual(16);
  expect(left).toBeGreaterThan(limited);
});

it('a process that waits is kept small until there is work, once', () => {
  const told: string[] = [];
  const heap = { youngSpace: () => 0, setFlag: (flag: string) => told.push(flag), giveBack: () => told.push('give') };
  const waiting = startSmall(heap);
  waiting.ready();
  expect(told.splice(0)).toEqual(['--no-opt', '--no-maglev', '--semi-space-growth-factor=1', 'give']);
  waiting.work();
  waiting.work();
  waiting.ready();
  expect(told).toEqual(['--opt', '--maglev', '--semi-space-growth-factor=2']);
});
