import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { RECEIVER_CASES } from '../../../src/webhooks/grading/cases.ts';
import { EXPECTATIONS } from '../../../src/webhooks/grading/expectations.ts';
import { gradeObservation } from '../../../src/webhooks/grading/observation.ts';
import { createDeliveryFactory } from '../../../src/webhooks/grading/test-delivery.ts';
import type { PostResult } from '../../../src/webhooks/post.ts';
import { newSecret } from '../listener-fixture.ts';

const answer = (status: number, milliseconds = 1): PostResult => ({
  status,
  body: '',
  milliseconds,
  describeBody: () => null,
});
const silence = (timedOut: boolean): PostResult => ({
  status: null,
  error: 'nothing',
  timedOut,
  milliseconds: 1,
});

const make = createDeliveryFactory({ form: 'advanced', secret: newSecret() }, systemClock);

function seen(name: string, results: readonly PostResult[]) {
  const found = RECEIVER_CASES.find((one) => one.name === name);
  if (!found) throw new Error(`there is no case ${name}`);
  return { case: found, deliveries: found.send(make), results, isUnresponsive: false };
}

describe('the expectations', () => {
  it.each([
    ['accepted', [200, 204, 299], [199, 301, 400, 500]],
    ['accepted or ignored', [200], [404]],
    ['rejected', [400, 401, 403], [200, 404, 500, 302]],
    ['aborted', [400, 408, 500], [200]],
    ['too large', [413, 400], [200, 500, 302]],
    ['not allowed', [405, 404, 501, 403], [200, 500, 301]],
  ] as const)('%s', (expected, right, wrong) => {
    const { isMet: holds } = EXPECTATIONS[expected];
    expect(right.filter((status) => !holds(answer(status)))).toEqual([]);
    expect(wrong.filter((status) => holds(answer(status)))).toEqual([]);
  });

  it('accept a closed connection for truncated and oversized deliveries, but not a timeout', () => {
    for (const expected of ['aborted', 'too large'] as const) {
      expect(EXPECTATIONS[expected].isMet(silence(false))).toBe(true);
      expect(EXPECTATIONS[expected].isMet(silence(true))).toBe(false);
    }
    for (const expected of ['accepted', 'rejected', 'not allowed'] as const) {
      expect(EXPECTATIONS[expected].isMet(silence(false))).toBe(false);
    }
  });
});

describe('the fix', () => {
  it.each([
    ['valid', 413, /body to 10 MB/],
    ['valid', 404, /path of the URL/],
    ['valid', 500, /log of the receiver/],
    ['valid', 401, /same secret or token/],
    ['stale', 200, /5 minutes old/],
    ['stale', 404, /5 minutes old/],
  ])('of %s after %i', (name, status, fix) => {
    expect(gradeObservation(seen(name, [answer(status)]))).toMatchObject({
      verdict: 'fail',
      fix: expect.stringMatching(fix),
    });
  });
});

describe('the grade', () => {
  it('is a warning for a late response, and a failure for a late wrong one', () => {
    expect(gradeObservation(seen('valid', [answer(200, 5_000)]))).toMatchObject({
      verdict: 'ok',
      did: '200 (5 s)',
    });
    expect(gradeObservation(seen('valid', [answer(200, 5_001)]))).toMatchObject({
      verdict: 'warn',
      milliseconds: 5_001,
    });
    expect(gradeObservation(seen('valid', [answer(500, 6_000)]))).toMatchObject({
      verdict: 'fail',
      status: 500,
    });
  });

  it('covers every response', () => {
    const first = gradeObservation(seen('duplicate', [answer(500), answer(200)]));
    expect(first).toMatchObject({ verdict: 'fail', status: 200, did: '500, then 200 (1 ms)' });
  });

  it('considers the effects of a delivery if they are known', () => {
    const duplicate = seen('duplicate', [answer(200), answer(200)]);
    const [{ id = '' } = {}] = duplicate.deliveries;
    const applied = (...effects: readonly { id: string; event?: string }[]) =>
      gradeObservation(duplicate, effects).did;
    expect(gradeObservation(duplicate, [{ id }, { id: 'msg_other' }])).toMatchObject({
      verdict: 'ok',
      expected: '2xx, applied once',
    });
    expect(applied()).toContain('; not applied');
    expect(applied({ id }, { id })).toContain('; applied 2 times');
    expect(applied({ id, event: 'x' })).toContain("; applied as 'x' instead of 'comment.add'");
    const forged = seen('wrong-signature', [answer(401)]);
    const [shipment] = forged.deliveries;
    expect(gradeObservation(forged, [{ id: shipment?.id ?? '' }])).toMatchObject({
      verdict: 'fail',
    });
    expect(gradeObservation(seen('unknown-event', [answer(200)]), [])).toMatchObject({
      verdict: 'ok',
      expected: '2xx',
    });
  });

  it('is a failure if the receiver went down, whatever it responded', () => {
    const gone = { ...seen('large', [silence(false)]), isUnresponsive: true };
    expect(gradeObservation(gone)).toMatchObject({
      verdict: 'fail',
      did: 'nothing (1 ms); the receiver has not responded since',
    });
  });
});
