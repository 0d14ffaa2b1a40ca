import { describe, expect, it } from 'vitest';
import { parseFaultFile } from '../../../src/catalog/faults.ts';

function problemsOf(value: unknown): readonly string[] {
  const parsed = parseFaultFile(value);
  return 'faults' in parsed
    ? []
    : parsed.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const on = 'users.add';
const status = 'UNAVAILABLE';
const rule = { on, status };

const REFUSED: readonly (readonly [unknown, string | RegExp])[] = [
  [
    { on: 'users.ad', status },
    "faults.0.on: unknown operation 'users.ad'; did you mean 'users.add'?",
  ],
  [{ on: 'USERS.ADD', status }, /did you mean 'users.add'/],
  [{ on: 'deliveries', status }, /did you mean 'delivery'/],
  [{ on: '', status }, /^faults.0.on: unknown operation ''; /],
  [{ on: 'qqqqqqqqqqqqq', status }, /known: \*, delivery, .*, …$/],
  [{ on: 5, status }, /^faults.0.on: /],
  [{ status }, 'faults.0.on: is required'],
  [{ on: null, status }, /^faults.0.on: /],
  [
    { on, status: 'UNAVAILABL' },
    "faults.0.status: unknown status 'UNAVAILABL'; did you mean 'UNAVAILABLE'?",
  ],
  [{ on, status: 'unavailable' }, /did you mean 'UNAVAILABLE'/],
  [{ on, status: 503 }, /^faults.0.status: /],
  [{ on }, 'faults.0: a rule needs an effect: status, delay, drop, cut, or items'],
  [{ on, share: 0.5 }, /^faults.0: a rule needs an effect/],
  [{ ...rule, share: 1.01 }, 'faults.0.share: expected at most 1, got 1.01'],
  [{ ...rule, share: -0.1 }, /^faults.0.share: /],
  [{ ...rule, share: '20%' }, /^faults.0.share: /],
  [{ ...rule, share: Number.NaN }, /^faults.0.share: /],
  [{ on, cut: 1.5 }, /^faults.0.cut: /],
  [{ on, items: 2 }, /^faults.0.items: /],
  [{ ...rule, nth: 0 }, /^faults.0.nth: /],
  [{ ...rule, nth: 1.5 }, /^faults.0.nth: /],
  [{ ...rule, every: -1 }, /^faults.0.every: /],
  [{ ...rule, times: '3' }, /^faults.0.times: /],
  [{ ...rule, nth: 1, every: 2 }, 'faults.0.every: nth and every cannot be combined'],
  [{ ...rule, share: 0.1, times: 2 }, 'faults.0.times: share and times cannot be combined'],
  [{ ...rule, drop: 'after' }, 'faults.0.drop: status and drop cannot be combined'],
  [{ on, drop: 'befor' }, "faults.0.drop: unknown drop 'befor'; did you mean 'before'?"],
  [{ on, drop: true }, /^faults.0.drop: /],
  [{ on, delay: { p50: 10 } }, /^faults.0.delay.p99: is required/],
  [{ on, delay: { p50: 100, p99: 10 } }, 'faults.0.delay.p99: p99 must be at least p50'],
  [
    { on, delay: { p50: 'soon', p99: '1s' } },
    'faults.0.delay.p50: expected a duration up to 1h, such as 200ms',
  ],
  [{ on, delay: { p50: 1, p99: '2h' } }, /^faults.0.delay.p99: /],
  [{ on, delay: 5 }, /^faults.0.delay: /],
  [
    { on, delay: { p50: 1, p90: 2, p99: 3 } },
    /^faults.0.delay.p90: unknown field; did you mean 'p50'/,
  ],
  [{ on, stattus: status }, "faults.0.stattus: unknown field; did you mean 'status'?"],
  [{ ...rule, organization: 'acme' }, /^faults.0.organization: unknown field/],
  [
    { on: 'delivery', cut: 0.5 },
    'faults.0.cut: deliveries do not support cut; use status, delay, or drop',
  ],
  [{ on: 'delivery', items: 0.5 }, /^faults.0.items: deliveries do not support items/],
  [
    { on: 'documents.list', items: 0.5 },
    'faults.0.items: documents.list does not accept a list of records',
  ],
  [{ ...rule, name: '' }, /^faults.0.name: /],
  ['users.add', /^faults.0: /],
  [null, /^faults.0: /],
];

describe('parseFaultFile', () => {
  it('accepts an operation in the words of its command', () => {
    const parsed = parseFaultFile({
      faults: [{ on: 'webhooks config get', status: 'UNAVAILABLE' }],
    });
    expect(parsed).toMatchObject({ faults: [{ on: 'webhooks.config.get' }] });
  });

  it.each(REFUSED)('refuses the rule %j', (refused, problem) => {
    const [first] = problemsOf({ faults: [refused] });
    if (typeof problem === 'string') expect(first).toBe(problem);
    else expect(first).toMatch(problem);
  });

  it('refuses files that are not a list of rules with a seed', () => {
    expect(problemsOf([rule])[0]).toMatch(/expected an object, got a list/);
    expect(problemsOf({ seed: 'x', faults: [] })[0]).toMatch(/^seed: expected/);
    expect(problemsOf({ seed: 1.5, faults: [] })[0]).toMatch(/^seed: expected a whole number/);
    expect(problemsOf({ fault: [rule] }).join()).toMatch(/did you mean 'faults'/);
    expect(problemsOf({})[0]).toBe('faults: is required');
    expect(problemsOf({ faults: Array(1_001).fill(rule) })).toEqual([
      'faults: more than 1,000 rules',
    ]);
  });

  it('accepts each effect and schedule, and numbers rules without a name', () => {
    const faults = [
      { on: '*', status },
      { on, delay: { p50: '200ms', p99: 1_500 } },
      { on, org: 'acme', drop: 'before', share: 1 },
      { name: 'cut', on, cut: 0, nth: 1 },
      { on, items: 0.5, every: 2 },
      { on: 'delivery', drop: 'after', times: 1 },
    ];
    const parsed = parseFaultFile({ seed: 42, faults }, 2);
    expect(parsed).toMatchObject({
      seed: 42,
      faults: [
        { name: 'fault-3' },
        { delay: { p50: 200, p99: 1_500 } },
        {},
        { name: 'cut' },
        {},
        {},
      ],
    });
    expect(parseFaultFile({ faults: [] })).toEqual({ seed: 1, faults: [] });
  });
});
