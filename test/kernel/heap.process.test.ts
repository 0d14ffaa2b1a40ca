import { expect, it } from 'vitest';
import { run } from '../acceptance/svc.ts';
import { SLOW } from '../slow.ts';

/**
 * Creates objects that live for a while, as a stream does, and prints the final size of the young
 * generation.
 */
const STREAMING = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { limitYoungGeneration } from './src/kernel/heap.ts';
  if (process.argv[1] === 'limited') limitYoungGeneration(8);
  const kept = [];
  for (let n = 0; n < 150; n++) {
    for (let at = 0; at < 20_000; at++) kept[at % 5_000] = { at, text: String(at).repeat(4) };
    await new Promise((resolve) => setTimeout(resolve, n % 10 === 0 ? 1 : 0));
  }
  console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size / 1024 / 1024);
`;

it('limits the young generation of a real process', SLOW, async () => {
  const sizeOf = async (mode: string) =>
    Number((await run(['--input-type=module', '-e', STREAMING, mode], {})).stdout);
  const [limited, unlimited] = await Promise.all([sizeOf('limited'), sizeOf('unlimited')]);
  expect(limited).toBeGreaterThan(0);
  expect(limited).toBeLessThanOrEqual(16);
  expect(unlimited).toBeGreaterThan(limited);
});
