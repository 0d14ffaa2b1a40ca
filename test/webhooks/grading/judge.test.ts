import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { CASES } from '../../../src/webhooks/grading/cases.ts';
import { EXPECTATIONS } from '../../../src/webhooks/grading/expectations.ts';
import { verdictOn } from '../../../src/webhooks/grading/judge.ts';
import { createKit } from '../../../src/webhooks/grading/kit.ts';
import type { Receipt } from '../../../src/webhooks/post.ts';
import { newSecret } from '../world.ts';

const answer = (status: number, milliseconds = 1): Receipt => ({ status, body: '', milliseconds });
const silence = (timedOut: boolean): Receipt => ({ status: null, error: 'nothing', timedOut, milliseconds: 1 });

const make = createKit({ form: 'advanced', secret: newSecret() }, systemClock);

function seen(name: string, receipts: readonly Receipt[]) {
  const found = CASES.find((one) => one.name === name);
  if (!found) throw new Error(`there is no case ${name}`);
  return { case: found, shipments: found.send(make), receipts, isGone: false };
}

describe('what a receiver should do', () => {
  it.each([
    ['taken', [200, 204, 299], [199, 301, 400, 500]],
    ['let pass', [200], [404]],
    ['refused', [400, 401, 403], [200, 404, 500, 302]],
    ['given up', [400, 408, 500], [200]],
    ['too long', [413, 400], [200, 500, 302]],
    ['not allowed', [405, 404, 501, 403], [200, 500, 301]],
  ] as const)('%s', (expected, right, wrong) => {
    const { holds } = EXPECTATIONS[expected];
    expect(right.filter((status) => !holds(answer(status)))).toEqual([]);
    expect(wrong.filter((status) => holds(answer(status)))).toEqual([]);
  });

  it('and hanging up is an answer to what is cut or too long, where hanging is none', () => {
    for (const expected of ['given up', 'too long'] as const) {
      expect(EXPECTATIONS[expected].holds(silence(false))).toBe(true);
      expect(EXPECTATIONS[expected].holds(silence(true))).toBe(false);
    }
    for (const expected of ['taken', 'refused', 'not allowed'] as const) {
      expect(EXPECTATIONS[expected].holds(silence(false))).toBe(false);
    }
  });
});

describe('the verdict', () => {
  it('warns of an answer that comes late, and is not better for a late wrong one', () => {
    expect(verdictOn(seen('valid', [answer(200, 5_000)]))).toMatchObject({ verdict: 'ok', did: '200 (5.0 s)' });
    expect(verdictOn(seen('valid', [answer(200, 5_001)]))).toMatchObject({ verdict: 'warn', milliseconds: 5_001 });
    expect(verdictOn(seen('valid', [answer(500, 6_000)]))).toMatchObject({ verdict: 'fail', status: 500 });
  });

  it('is on every answer', () => {
    const first = verdictOn(seen('duplicate', [answer(500), answer(200)]));
    expect(first).toMatchObject({ verdict: 'fail', status: 200, did: '500, then 200 (1 ms)' });
  });

  it('heeds what came of a delivery where that can be seen', () => {
    const duplicate = seen('duplicate', [answer(200), answer(200)]);
    const [{ id = '' } = {}] = duplicate.shipments;
    const applied = (...effects: readonly { id: string; event?: string }[]) => verdictOn(duplicate, effects).did;
    expect(verdictOn(duplicate, [{ id }, { id: 'msg_other' }])).toMatchObject({
      verdict: 'ok',
      expected: '2xx, applied once',
    });
    expect(applied()).toContain('it was not applied');
    expect(applied({ id }, { id })).toContain('it was applied 2 times');
    expect(applied({ id, event: 'x' })).toContain("it was applied as 'x' instead of 'comment.add'");
    const forged = seen('wrong-signature', [answer(401)]);
    const [shipment] = forged.shipments;
    expect(verdictOn(forged, [{ id: shipment?.id ?? '' }])).toMatchObject({ verdict: 'fail' });
    expect(verdictOn(seen('unknown-event', [answer(200)]), [])).toMatchObject({ verdict: 'ok', expected: '2xx' });
  });

  it('fails what brought the receiver down, whatever it said', () => {
    const gone = { ...seen('large', [silence(false)]), isGone: true };
    expect(verdictOn(gone)).toMatchObject({ verdict: 'fail', did: 'nothing (1 ms); nothing answers since' });
  });
});
