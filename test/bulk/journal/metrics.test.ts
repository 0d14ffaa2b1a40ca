import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../src/bulk/journal/histogram.ts';
import { Metrics } from '../../../src/bulk/journal/metrics.ts';
import { Series } from '../../../src/bulk/journal/time-series.ts';

describe('the histogram', () => {
  it('returns quantiles to within an eighth, also after saving and loading', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 3_000_000, noNaN: true }), { minLength: 1 }),
        (values) => {
          const first = new Histogram();
          const half = Math.floor(values.length / 2);
          for (const value of values.slice(0, half)) first.add(value);
          const histogram = new Histogram(JSON.parse(JSON.stringify(first)));
          for (const value of values.slice(half)) histogram.add(value);
          const sorted = values.toSorted((a, b) => a - b);
          for (const share of [0.5, 0.9, 0.99, 1]) {
            const exact = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
            const told = histogram.quantile(share) ?? 0;
            expect(told).toBeGreaterThanOrEqual(exact * 0.999);
            expect(told).toBeLessThanOrEqual(exact * 1.1);
          }
          expect(histogram.most).toBe(sorted.at(-1));
        },
      ),
    );
    expect(new Histogram().quantile(0.5)).toBeNull();
  });
});

describe('the time series', () => {
  it('keeps all counts in at most 600 points, for a job of any length', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true })), (seconds) => {
        const series = new Series();
        for (const second of seconds.toSorted((a, b) => a - b)) {
          series.add(second, {
            settled: 100,
            failed: 1,
            requests: 2,
            milliseconds: 5,
            inFlight: 1,
          });
        }
        const { points, seconds: interval } = series;
        expect(points.length).toBeLessThanOrEqual(600);
        expect(points.length * interval).toBeLessThanOrEqual(2e6);
        expect(points.reduce((sum, { settled }) => sum + settled, 0)).toBe(seconds.length * 100);
      }),
    );
  });
});

describe('the metrics of a job', () => {
  it('add up over its runs', () => {
    const first = new Metrics(1_000);
    first.recordRequest(2_000, { milliseconds: 80, retries: 1, waits: 1, waited: 500 }, 4);
    first.recordSettled(2_000, 100, 3);
    const saved = JSON.parse(JSON.stringify(first.save(5_000)));
    const second = new Metrics(1_000_000, saved);
    second.recordSettled(1_001_000, 50, 0);
    expect(second.seconds(1_002_000)).toBe(6);
    expect(second.save(1_002_000)).toMatchObject({ waits: 1, waitedMilliseconds: 500 });
    expect(second.series.points).toEqual([
      { settled: 0, failed: 0, requests: 0, milliseconds: 0, inFlight: 0 },
      { settled: 100, failed: 3, requests: 2, milliseconds: 80, inFlight: 4 },
      ...Array(3).fill({ settled: 0, failed: 0, requests: 0, milliseconds: 0, inFlight: 0 }),
      { settled: 50, failed: 0, requests: 0, milliseconds: 0, inFlight: 0 },
    ]);
  });
});
