import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Sink } from '../../src/kernel/io.ts';
import { createCountdown } from '../../src/output/countdown.ts';
import type { ProgressStyle } from '../../src/output/progress.ts';

const ERASE = '\r\u001b[2K';

function watched(style: ProgressStyle, columns = 80) {
  const written: string[] = [];
  let now = 0;
  const wakes: (() => void)[] = [];
  const sink: Sink = {
    isTerminal: style === 'bar',
    columns,
    stream: new Writable(),
    write: async (text) => void written.push(String(text)),
  };
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      wakes.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  /** Lets time pass, and whoever sleeps wake up. */
  const pass = async (milliseconds: number) => {
    now += milliseconds;
    for (const wake of wakes.splice(0)) wake();
    await new Promise(setImmediate);
  };
  return { written, pass, countdown: createCountdown(sink, { now: () => now, sleep }, style) };
}

describe('a countdown', () => {
  it('is one line of a terminal that is redrawn each second and goes when the time is over', async () => {
    const { written, pass, countdown } = watched('bar');
    countdown.start(2_500, 'the limit');
    await pass(0);
    await pass(500);
    await pass(1_000);
    expect(countdown.erasure()).toBe(ERASE);
    await pass(1_000);
    expect(written).toEqual([
      `${ERASE}waiting 3 s for the limit …`,
      `${ERASE}waiting 2 s for the limit …`,
      `${ERASE}waiting 1 s for the limit …`,
      ERASE,
    ]);
    expect(countdown.erasure()).toBe('');
  });

  it('goes at once when it is ended, and nothing comes after', async () => {
    const { written, pass, countdown } = watched('bar');
    countdown.start(60_000, 'the limit');
    await pass(0);
    await countdown.end();
    expect(written).toEqual([`${ERASE}waiting 60 s for the limit …`, ERASE]);
    await pass(90_000);
    expect(written).toHaveLength(2);
  });

  it('follows a moment that is put off', async () => {
    const { written, pass, countdown } = watched('bar');
    countdown.start(10_000, 'the limit');
    await pass(0);
    countdown.start(30_000, 'the limit');
    await pass(1_000);
    expect(written.at(-1)).toBe(`${ERASE}waiting 29 s for the limit …`);
    await countdown.end();
  });

  it('never wraps', async () => {
    const { written, countdown, pass } = watched('bar', 20);
    countdown.start(5_000, 'the limit');
    await pass(0);
    expect(written[0]).toBe(`${ERASE}waiting 5 s for the`);
    await countdown.end();
  });

  it('is a line that stays without a terminal, and nothing where nothing is wanted', async () => {
    const [plain, quiet] = [watched('lines'), watched('none')];
    for (const { countdown, pass } of [plain, quiet]) {
      countdown.start(42_000, 'the limit');
      await pass(10_000);
      await countdown.end();
    }
    expect([plain.written, quiet.written]).toEqual([['waiting 42 s for the limit …\n'], []]);
  });
});
