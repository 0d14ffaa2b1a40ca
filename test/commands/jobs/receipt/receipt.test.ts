import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitIntoIntervals } from '../../../../src/commands/jobs/receipt/read-receipt.ts';
import {
  renderReceipt,
  renderSparkline,
} from '../../../../src/commands/jobs/receipt/render-receipt.ts';
import { renderReport } from '../../../../src/commands/jobs/report/render-report.ts';
import { SLOW } from '../../../slow.ts';
import { RECEIPT } from './receipts.ts';

describe('the text receipt of a job', () => {
  it('says how many runs the time of a resumed job is from', async () => {
    const text = await renderReceipt({ ...RECEIPT, runs: 2 }, { plain: true });
    expect(text).toMatch(/^time +11 s of work in 2 runs, from 2026-01-31 09:45:00 UTC/m);
  });

  it('has one line per field, and a sparkline', async () => {
    expect(await renderReceipt(RECEIPT, { plain: false })).toBe(
      [
        'job            20260131-094500-5f3a9c (done)',
        'user           ada',
        'operation      users add to https://api.example.com (profile prod, API key key-1)',
        'input          users.csv (CSV, 61 kB)',
        `sha256         ${'ab'.repeat(32)}`,
        'records        1,000: 997 succeeded, 3 failed',
        'requests       12, 1 retry',
        'time           11 s, from 2026-01-31 09:45:00 UTC to 2026-01-31 09:45:10 UTC; 3.3 s waiting for rate limits',
        'latency        p50 40 ms, p90 80 ms, p99 1.3 s, max 1.3 s',
        'organizations  acme 995 of 998 · Acme Ltd 2 of 2',
        'speed          ▄██   ▄▄▆▄▄  95/s average, 200/s peak',
        'failures       3 failed: no such folder (not-found): u5 on line 6, …',
        'rejects        users.rejects.csv',
        '',
      ].join('\n'),
    );
  });

  it.each([40, 60, 80])(
    'wraps lines at %d columns between words, but never the sparkline',
    async (width) => {
      const text = await renderReceipt(RECEIPT, { plain: false, width });
      const lines = text.split('\n').filter((line) => !line.includes('ab'.repeat(32)));
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
      expect(text).toContain('▄██   ▄▄▆▄▄');
      const whole = await renderReceipt(RECEIPT, { plain: false });
      expect(text.split(/\s+/)).toEqual(whole.split(/\s+/));
    },
  );

  it('keeps the resume command on one line', async () => {
    const text = await renderReceipt({ ...RECEIPT, state: 'stopped' }, { plain: false, width: 40 });
    expect(text).toMatch(/\nresume\nsvc jobs resume 20260131-094500-5f3a9c\n$/);
  });

  it('never shows an average above the peak', SLOW, async () => {
    const point = fc.record({
      settled: fc.nat(900),
      failed: fc.constant(0),
      requests: fc.constant(1),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(point, { minLength: 5, maxLength: 90 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (made, within) => {
          const points = made.map((one) => ({ ...one, milliseconds: 1, inFlight: 1 }));
          const times = { ...RECEIPT.times, seconds: points.length - 1 + within };
          // The journal of a running or killed job counts more records than its last metrics.
          const receipt = {
            ...RECEIPT,
            times,
            series: { seconds: 1, points },
            counts: { ...RECEIPT.counts, succeeded: 99_999 },
          };
          for (const text of [
            await renderReceipt(receipt, { plain: false }),
            await renderReport(receipt),
          ]) {
            const [average, peak] = [
              /([\d,]+)\/s average|Average ([\d,]+)/,
              /([\d,]+)\/s peak|, peak ([\d,]+)/,
            ].map((pattern) => Number(pattern.exec(text)?.slice(1).join('').replaceAll(',', '')));
            expect(average).toBeLessThanOrEqual(peak ?? 0);
          }
        },
      ),
    );
  });

  it('uses numbers instead of sparklines in plain style', async () => {
    const text = await renderReceipt(RECEIPT, { plain: true });
    expect(text).toContain('95/s average; over time: 150, 100, 0, 100, 120');
    expect(text).not.toMatch(/[▁-█]/);
  });

  it('shows how to resume a stopped job, and omits unknown values', async () => {
    const stopped = await renderReceipt(
      {
        ...RECEIPT,
        state: 'stopped',
        counts: { total: 9, succeeded: 0, failed: 0, unknown: 2, skipped: 7, existing: 3 },
        latency: { p50: null, p90: null, p99: null, max: null },
        series: { seconds: 1, points: [] },
        reasons: { most: [], others: 0 },
      },
      { plain: false },
    );
    expect(stopped).toContain('0 succeeded, 2 unknown, 3 skipped, 4 not sent\n');
    expect(stopped).toContain('svc jobs resume 20260131-094500-5f3a9c\n');
    expect(stopped).not.toMatch(/answers|speed|failures|NaN|null/);
  });

  it('offers no resume without the input', async () => {
    const receipt = { ...RECEIPT, state: 'stopped', lostInput: '/data/users.csv' } as const;
    const text = await renderReceipt(receipt, { plain: true });
    expect(text).toContain('cannot be resumed without the original /data/users.csv');
    expect(text).not.toContain('svc jobs resume');
  });

  it('escapes control characters', async () => {
    const [reason] = RECEIPT.reasons.most;
    if (!reason) throw new Error('no reason');
    const text = await renderReceipt(
      {
        ...RECEIPT,
        reasons: { most: [{ ...reason, message: '\u001b[2J\u202eevil\n' }], others: 0 },
      },
      { plain: false },
    );
    expect(text).toContain('\\u001b[2J\\u202eevil\\n');
  });
});

describe('a sparkline', () => {
  it('has a full block for the maximum and a space for 0', () => {
    expect(renderSparkline([0, 1, 4, 8])).toBe(' ▁▄█');
    expect(renderSparkline([0, 0])).toBe('  ');
  });
});

describe('intervals', () => {
  it('cover all points with equal lengths except the last, within the limit', () => {
    const point = fc.record({
      settled: fc.nat(1000),
      failed: fc.nat(10),
      requests: fc.nat(10),
      milliseconds: fc.nat(1000),
      inFlight: fc.nat(32),
    });
    fc.assert(
      fc.property(
        fc.array(point, { maxLength: 600 }),
        fc.constantFrom(1, 2, 16),
        fc.integer({ min: 1, max: 80 }),
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        (points, seconds, most, share) => {
          const end = Math.max(0, points.length - 1) * seconds + share * seconds;
          const times = { ...RECEIPT.times, seconds: end };
          const intervals = splitIntoIntervals({ series: { seconds, points }, times }, most);
          expect(intervals.length).toBeLessThanOrEqual(most);
          const total = (values: readonly { readonly settled: number }[]) =>
            values.reduce((sum, { settled }) => sum + settled, 0);
          expect(total(intervals)).toBe(total(points));
          for (const [at, { from, to }] of intervals.entries()) {
            expect(from).toBe(intervals[at - 1]?.to ?? 0);
            expect(to).toBeGreaterThan(from);
          }
          if (points.length > 0) expect(intervals.at(-1)?.to).toBeCloseTo(end);
        },
      ),
    );
  });
});
