import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FaultFileInput } from '../../../src/catalog/fault-rules.ts';
import { parseFaultFile } from '../../../src/catalog/faults.ts';
import {
  chooseFault,
  drawNumber,
  sampleDelay,
  selectFailing,
} from '../../../src/service/local/faults/apply-fault.ts';
import { SLOW } from '../../slow.ts';

function decide(
  file: FaultFileInput,
  requests: readonly { operation: string; org?: string; hasRecords?: boolean }[],
) {
  const parsed = parseFaultFile(file);
  if (!('faults' in parsed)) throw new Error(JSON.stringify(parsed));
  const counts: number[] = [];
  const count = (rule: number) => {
    counts[rule] = (counts[rule] ?? 0) + 1;
    return counts[rule];
  };
  return requests.map(
    (request) => chooseFault(parsed, { hasRecords: true, ...request }, count)?.rule.name,
  );
}

const repeat = (operation: string, times: number) =>
  Array.from({ length: times }, () => ({ operation }));
const status = 'UNAVAILABLE';

describe('chooseFault', () => {
  it('applies schedules: always, nth, every, times', () => {
    const on = 'users.add';
    const positions = (schedule: object) =>
      decide({ faults: [{ on, status, ...schedule }] }, repeat(on, 7)).flatMap((name, at) =>
        name ? [at + 1] : [],
      );
    expect(positions({})).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(positions({ nth: 3 })).toEqual([3]);
    expect(positions({ every: 3 })).toEqual([3, 6]);
    expect(positions({ times: 2 })).toEqual([1, 2]);
    expect(positions({ share: 0 })).toEqual([]);
    expect(positions({ share: 1 })).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('matches operations and organizations, and the first rule that applies wins', () => {
    const faults = [
      { name: 'first', on: 'users.add', org: 'acme', nth: 2, status },
      { name: 'any', on: '*', status },
      { name: 'late', on: 'delivery', status },
    ] as const;
    const requests = [
      { operation: 'users.add', org: 'acme' },
      { operation: 'users.add', org: 'other' },
      { operation: 'users.add', org: 'acme' },
      { operation: 'delivery' },
    ];
    expect(decide({ faults: [...faults] }, requests)).toEqual(['any', 'any', 'first', 'late']);
  });

  it('applies failing records only to operations with records', () => {
    const faults = [{ on: '*', items: 1 }] as const;
    expect(
      decide({ faults: [...faults] }, [{ operation: 'documents.list', hasRecords: false }]),
    ).toEqual([undefined]);
    expect(decide({ faults: [...faults] }, [{ operation: 'users.add' }])).toEqual(['fault-1']);
  });

  it('decides the same for the same seed, whatever other rules do', () => {
    const input = fc.record({
      seed: fc.integer(),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        input,
        fc.array(fc.constantFrom('users.add', 'folders.list'), { maxLength: 50 }),
        ({ seed, share }, names) => {
          const file: FaultFileInput = { seed, faults: [{ on: 'users.add', share, status }] };
          const requests = names.map((operation) => ({ operation }));
          const decided = decide(file, requests);
          expect(decide(file, requests)).toEqual(decided);
          const onlyUsers = requests.filter(({ operation }) => operation === 'users.add');
          expect(decide(file, onlyUsers)).toEqual(
            decided.filter((_, at) => names[at] === 'users.add'),
          );
        },
      ),
    );
  });

  it('reaches its share, with different decisions for different seeds', SLOW, () => {
    const decideWith = (seed: number) =>
      decide(
        { seed, faults: [{ on: 'users.add', share: 0.2, status }] },
        repeat('users.add', 5_000),
      );
    const runs = Array.from({ length: 10 }, (_, seed) => decideWith(seed));
    for (const run of runs) expect(run.filter(Boolean).length / run.length).toBeCloseTo(0.2, 1);
    expect(new Set(runs.map((run) => run.join())).size).toBe(runs.length);
  });
});

describe('drawNumber', () => {
  it('returns numbers from 0 to below 1 that are spread evenly', SLOW, () => {
    const buckets = new Array<number>(10).fill(0);
    for (let value = 0; value < 20_000; value += 1) {
      const drawn = drawNumber(1, 0, value);
      expect(drawn >= 0 && drawn < 1).toBe(true);
      const bucket = Math.floor(drawn * 10);
      buckets[bucket] = (buckets[bucket] ?? 0) + 1;
    }
    for (const size of buckets) expect(Math.abs(size - 2_000)).toBeLessThan(250);
  });
});

describe('sampleDelay', () => {
  it('has the percentiles of the rule', () => {
    const delays = Array.from({ length: 20_000 }, (_, at) =>
      sampleDelay({ p50: 100, p99: 900 }, (index) => drawNumber(7, at, index)),
    ).toSorted((a, b) => a - b);
    const [median = 0, late = 0] = [delays[10_000], delays[19_800]];
    expect(median / 100).toBeCloseTo(1, 1);
    expect(late / 900).toBeGreaterThan(0.8);
    expect(late / 900).toBeLessThan(1.2);
  });

  it('is never negative, and has no spread if both percentiles are equal', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer({ min: 0, max: 1e6 }),
        fc.integer(),
        (p50, more, seed) => {
          const draw = (index: number) => drawNumber(seed, index);
          const delay = sampleDelay({ p50, p99: p50 + more }, draw);
          expect(delay >= 0 && Number.isFinite(delay)).toBe(true);
          if (more === 0) expect(delay).toBeCloseTo(p50);
        },
      ),
    );
  });
});

describe('selectFailing', () => {
  it('selects the share of the records, rounded up or down', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, fc.nat({ max: 300 }), fc.integer(), (part, records, seed) => {
        const failing = selectFailing(part, records, (index) => drawNumber(seed, index));
        expect([Math.floor(part * records), Math.ceil(part * records)]).toContain(failing.size);
        for (const at of failing) expect(at < records).toBe(true);
      }),
    );
    expect(selectFailing(0.3, 10, (index) => drawNumber(1, index)).size).toBe(3);
  });
});
