import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Sink } from '../../src/kernel/io.ts';
import { createProgress, type ProgressStyle } from '../../src/output/progress.ts';

function watched(style: ProgressStyle, columns = 80) {
  const written: string[] = [];
  let now = 0;
  const sink: Sink = {
    isTerminal: style === 'bar',
    columns,
    stream: new Writable(),
    write: async (text) => void written.push(String(text)),
  };
  const clock = { now: () => now, sleep: async () => undefined };
  const progress = createProgress(sink, clock, style, 'users');
  const at = (time: number, done: number, failed = 0) => {
    now = time;
    return progress.update({ done, total: 5000, failed });
  };
  return { written, progress, at };
}

describe('progress', () => {
  it('is a bar on a terminal, drawn at most ten times a second and taken off at the end', async () => {
    const { written, progress, at } = watched('bar');
    await at(1000, 1250, 3);
    await at(1050, 1300, 3);
    await at(1100, 2500, 3);
    await progress.end();
    expect(written).toEqual([
      '\r\u001b[2K██████░░░░░░░░░░░░░░░░░░ 1,250 of 5,000 users, 3 failed, 1,250/s, 3 s left',
      '\r\u001b[2K████████████░░░░░░░░░░░░ 2,500 of 5,000 users, 3 failed, 2,273/s, 2 s left',
      '\r\u001b[2K',
    ]);
  });

  it('never wraps', async () => {
    const { written, at } = watched('bar', 30);
    await at(1000, 1250);
    expect(written[0]).toBe('\r\u001b[2K1,250 of 5,000 users, 1,250/s');
  });

  it('is a plain line every ten seconds elsewhere', async () => {
    const { written, progress, at } = watched('lines');
    for (const seconds of [1, 9, 10, 12, 19, 20]) await at(seconds * 1000, seconds * 10);
    await progress.end();
    expect(written).toEqual([
      '100 of 5,000 users, 10/s, 8 min 10 s left\n',
      '200 of 5,000 users, 10/s, 8 min 0 s left\n',
    ]);
  });

  it('is nothing when quiet, and never fails', async () => {
    const silent = watched('none');
    await silent.at(60_000, 100);
    await silent.progress.end();
    expect(silent.written).toEqual([]);
    const sink: Sink = {
      isTerminal: true,
      columns: 80,
      stream: new Writable(),
      write: () => Promise.reject(new Error('gone')),
    };
    const broken = createProgress(sink, { now: () => 0, sleep: async () => undefined }, 'bar', 'users');
    await expect(broken.update({ done: 1, total: 2, failed: 0 })).resolves.toBeUndefined();
  });
});
