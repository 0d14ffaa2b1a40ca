import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Sink } from '../../src/kernel/io.ts';
import { ASCII_GLYPHS } from '../../src/output/glyphs.ts';
import {
  createProgress,
  createRateEstimator,
  type ProgressStyle,
} from '../../src/output/progress.ts';
import {
  type ProgressState,
  renderBarLine,
  renderPlainLine,
  renderSpinnerLine,
} from '../../src/output/progress-text.ts';

const ERASE = '\r\u001b[2K';

function watched(style: ProgressStyle, columns = 80, isInLine?: () => boolean) {
  const written: string[] = [];
  let now = 0;
  let wakes: { at: number; wake: () => void }[] = [];
  const sink: Sink = {
    isTerminal: style === 'bar',
    columns,
    stream: new Writable(),
    write: async (text) => void written.push(String(text)),
  };
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      wakes.push({ at: now + milliseconds, wake: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  /** Advances the clock in steps, so that waits end. */
  const pass = async (milliseconds: number) => {
    const end = now + milliseconds;
    for (;;) {
      await new Promise(setImmediate);
      const next = wakes.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > end) break;
      now = Math.max(now, next.at);
      wakes = wakes.filter((other) => other !== next);
      next.wake();
    }
    now = end;
  };
  return {
    written,
    sink,
    pass,
    progress: createProgress(sink, { now: () => now, sleep }, style, { isInLine }),
  };
}

const users = (done: number, beside: Partial<ProgressState> = {}): ProgressState => ({
  phase: 'sending',
  unit: 'users',
  done,
  total: 5000,
  ...beside,
});

describe('progress', () => {
  it('is a bar on a terminal, drawn ten times a second and removed at the end', async () => {
    const { written, progress, pass } = watched('bar');
    let done = 0;
    const end = progress.track(() => users(done));
    await pass(200);
    expect(written).toEqual([]);
    done = 1000;
    await pass(150);
    expect(written).toEqual([
      `${ERASE}sending  ████░░░░░░░░░░░░░░░░░░░░  20%  1,000 of 5,000 users  3,367/s  2 s left`,
    ]);
    await pass(1000);
    expect(written).toHaveLength(11);
    await end();
    expect(written.at(-1)).toBe(ERASE);
    await pass(60_000);
    expect(written).toHaveLength(12);
  });

  it('shows nothing for a short task', async () => {
    const { written, progress, pass } = watched('bar');
    const end = progress.track(() => users(1));
    await pass(100);
    await end();
    expect(written).toEqual([]);
  });

  it('is a plain line every ten seconds otherwise, the first one after ten', async () => {
    const { written, progress, pass } = watched('lines');
    let done = 0;
    const end = progress.track(() => users(done, { failed: 3, unknown: 1, inFlight: 8 }));
    await pass(9_999);
    expect(written).toEqual([]);
    done = 100;
    await pass(20_001);
    await end();
    expect(written).toEqual([
      'sending: 100 of 5,000 users (2%), 96 ok, 3 failed, 1 unknown, 10/s, 8 min 10 s left, 8 in flight\n',
      expect.stringMatching(/^sending: 100 of 5,000 users/),
      expect.stringMatching(/^sending: 100 of 5,000 users/),
    ]);
  });

  it('prints messages and a countdown around its own line', async () => {
    const { written, progress, pass } = watched('bar');
    const end = progress.track(() => users(1000));
    await pass(300);
    await progress.print('retrying\n');
    expect(written.at(-1)).toBe(
      `${ERASE}retrying\nsending  ████░░░░░░░░░░░░░░░░░░░░  20%  1,000 of 5,000 users`,
    );
    progress.countDown(10_000, "the service's rate limit");
    await pass(1_000);
    expect(written.at(-1)).toBe(
      `${ERASE}█░░░░░░░  20%  1,000 of 5,000 users  waiting 9 s for the service's rate limit`,
    );
    await pass(9_000);
    expect(written.at(-1)).not.toContain('waiting');
    await end();
    expect(written.at(-1)).toBe(ERASE);
  });

  it('prints nothing when quiet, and never fails', async () => {
    const silent = watched('none');
    const end = silent.progress.track(() => users(1));
    silent.progress.countDown(50_000, 'the limit');
    await silent.pass(60_000);
    await end();
    expect(silent.written).toEqual([]);
    const write = () => Promise.reject(new Error('gone'));
    const sink: Sink = { isTerminal: true, columns: 80, stream: new Writable(), write };
    const broken = createProgress(sink, { now: () => 0, sleep: async () => undefined }, 'lines');
    await expect(broken.print('a\n')).resolves.toBeUndefined();
  });
});

describe('a spinner', () => {
  it('is animated on a terminal, shows the elapsed time after a while, and is removed', async () => {
    const { written, progress, pass } = watched('bar');
    const end = progress.showActivity('agents list: waiting for example.com');
    await pass(150);
    const shown = ['⠋', '⠙'].map(
      (frame) => `${ERASE}${frame} agents list: waiting for example.com`,
    );
    expect(written).toEqual(shown);
    await pass(3_900);
    expect(written.at(-1)).toBe(`${ERASE}⠋ agents list: waiting for example.com  4 s`);
    await end();
    expect(written.at(-1)).toBe(ERASE);
    const lines = written.length;
    await pass(10_000);
    expect(written).toHaveLength(lines);
  });

  it('stays below messages, and gives way to a bar and a countdown', async () => {
    const { written, progress, pass } = watched('bar', 40);
    const end = progress.showActivity('agents list: waiting for example.com');
    const inner = progress.showActivity('nobody sees this one');
    await pass(0);
    await progress.print('POST 200\n');
    expect(written.at(-1)).toBe(`${ERASE}POST 200\n⠋ agents list: waiting for example.com`);
    await inner();
    progress.countDown(2_000, 'the limit');
    await pass(100);
    expect(written.at(-1)).toBe(`${ERASE}waiting 2 s for the limit …`);
    await pass(2_000);
    const endBar = progress.track(() => users(1000));
    await pass(300);
    expect(written.at(-1)).toMatch(/20%/);
    await endBar();
    expect(written.at(-1)).toBe(`${ERASE}⠼ agents list: waiting for example.com`);
    await end();
    expect(written.at(-1)).toBe(ERASE);
  });

  it('is one permanent line in line style, and nothing when quiet', async () => {
    const { written, progress, pass } = watched('lines');
    for (const text of ['m1: pending', 'm1: pending', 'm1: \u001b[2J'])
      await progress.showActivity(text)();
    await pass(60_000);
    expect(written).toEqual(['m1: pending\n', 'm1: \\u001b[2J\n']);
    const quiet = watched('none');
    quiet.progress.showActivity('m1: pending');
    await quiet.pass(1_000);
    expect(quiet.written).toEqual([]);
  });
});

describe('results on the same terminal', () => {
  it('are printed above the redrawn line, in order', async () => {
    const { written, sink, progress, pass } = watched('bar');
    const end = progress.showActivity('waiting');
    await pass(0);
    await progress.writeAlongside(sink, 'a result\n');
    expect(written.slice(-3)).toEqual([ERASE, 'a result\n', `${ERASE}⠋ waiting`]);
    await end();
  });

  it('are not overwritten before their line ends', async () => {
    let inLine = false;
    const { written, sink, progress, pass } = watched('bar', 80, () => inLine);
    const end = progress.showActivity('waiting');
    await pass(0);
    inLine = true;
    await progress.writeAlongside(sink, '[1');
    await pass(5_000);
    expect(written.slice(1)).toEqual([ERASE, '[1', '']);
    inLine = false;
    await progress.writeAlongside(sink, ']\n');
    await pass(200);
    expect(written.at(-1)).toMatch(/waiting {2}5 s$/);
    await end();
  });
});

describe('a countdown', () => {
  it('is one line of a terminal that is redrawn each second and disappears at the end', async () => {
    const { written, progress, pass } = watched('bar');
    progress.countDown(2_500, 'the limit');
    await pass(3_000);
    const shown = [3, 2, 1].map((seconds) => `${ERASE}waiting ${seconds} s for the limit …`);
    expect(written).toEqual([...shown, ERASE]);
  });

  it('disappears at once when stopped, and follows a later deadline', async () => {
    const { written, progress, pass } = watched('bar');
    progress.countDown(10_000, 'the limit');
    await pass(0);
    progress.countDown(30_000, 'the limit');
    await pass(1_000);
    expect(written.at(-1)).toBe(`${ERASE}waiting 29 s for the limit …`);
    await progress.stop();
    expect(written.at(-1)).toBe(ERASE);
    const lines = written.length;
    await pass(90_000);
    expect(written).toHaveLength(lines);
  });

  it('is a permanent line without a terminal', async () => {
    const { written, progress, pass } = watched('lines');
    progress.countDown(42_000, 'the limit');
    await pass(50_000);
    await progress.stop();
    expect(written).toEqual(['waiting 42 s for the limit …\n']);
  });
});

describe('a line of progress', () => {
  const snapshot = {
    state: users(420_000, { total: 1_000_000, failed: 3, inFlight: 8 }),
    rate: 12_345,
    waiting: undefined,
  };

  it('drops less important parts if space is short', () => {
    expect([119, 79, 39].map((room) => renderBarLine(snapshot, room))).toEqual([
      'sending  ██████░░░░░░░░░░  42%  420,000 of 1,000,000 users  419,997 ok  3 failed  12,345/s  47 s left  8 in flight',
      '█████░░░░░░░  42%  420,000 of 1,000,000 users  3 failed  12,345/s  47 s left',
      '█████░░░░░░░  42%  3 failed  47 s left',
    ]);
    expect(renderBarLine(snapshot, 10)).toBe('42%');
  });

  it('is drawn in ASCII if the terminal supports nothing else', () => {
    expect(renderBarLine(snapshot, 39, ASCII_GLYPHS)).toBe(
      '#####.......  42%  3 failed  47 s left',
    );
    const frames = [0, 100, 200, 300, 400].map((at) =>
      renderSpinnerLine('waiting', at, 40, ASCII_GLYPHS),
    );
    expect(frames.join(',')).toBe('| waiting,/ waiting,- waiting,\\ waiting,| waiting');
  });

  it('shows bytes in larger units, and no percentage of an unknown total', () => {
    const checking = { phase: 'checking', unit: 'bytes', done: 60_000_000, total: 120_000_000 };
    expect(renderPlainLine({ state: checking, rate: 8_100_000, waiting: undefined })).toBe(
      'checking: 60 MB of 120 MB (50%), 8.1 MB/s, 8 s left',
    );
    const pipe = { state: { ...checking, total: undefined }, rate: 0, waiting: undefined };
    expect([renderPlainLine(pipe), renderBarLine(pipe, 79)]).toEqual([
      'checking: 60 MB',
      'checking  60 MB',
    ]);
  });

  it('fits every width, and shows 100% only when complete', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.nat(1e9),
        fc.integer({ min: 1, max: 1e9 }),
        fc.nat(200),
        (failed, done, total, room) => {
          const state = users(Math.min(done, total), { total, failed });
          const line = renderBarLine({ state, rate: failed, waiting: undefined }, room);
          expect(line.length).toBeLessThanOrEqual(room);
          if (line.includes('100%')) expect(state.done).toBe(total);
        },
      ),
    );
  });
});

describe('the rate', () => {
  it('follows the current rate, and is stable over one slow moment', () => {
    const estimateRate = createRateEstimator(0, 500);
    for (let second = 1; second <= 60; second += 1) estimateRate(second * 1000, 500 + second * 100);
    expect(estimateRate(60_000, 6_500)).toBeCloseTo(100);
    expect(estimateRate(61_000, 6_500)).toBeGreaterThan(80);
    for (let second = 62; second <= 122; second += 1)
      estimateRate(second * 1000, 6_500 + (second - 61) * 10);
    expect(Math.round(estimateRate(122_000, 7_110))).toBe(10);
  });
});
