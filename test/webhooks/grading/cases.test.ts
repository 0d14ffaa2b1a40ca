import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { CASES } from '../../../src/webhooks/grading/cases.ts';
import { EXPECTATIONS } from '../../../src/webhooks/grading/expectations.ts';
import { createKit } from '../../../src/webhooks/grading/kit.ts';
import { headersByName } from '../../../src/webhooks/headers.ts';
import { unpackBody } from '../../../src/webhooks/payload.ts';
import { verifyDelivery } from '../../../src/webhooks/verification.ts';
import { opensslKeys } from '../openssl.ts';
import { newSecret } from '../world.ts';

const { publicKeys, privateKeys } = opensslKeys();
const secret = newSecret();
const authToken = randomBytes(16).toString('hex');
const MEANS = {
  advanced: { form: 'advanced', secret, encryptFor: publicKeys.spki },
  basic: { form: 'basic', authToken, encryptFor: publicKeys.spki },
} as const;

const FORGED = ['refused', 'not allowed'];

describe('the cases', () => {
  it('have names of their own, and a reason', () => {
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
    expect(CASES.filter(({ name, why }) => !/^[a-z-]+$/.test(name) || why.length < 10)).toEqual([]);
  });

  it.each(['advanced', 'basic'] as const)('send what verifies where it is to be taken, and only there: %s', (form) => {
    const make = createKit(MEANS[form], systemClock);
    const proofs = form === 'advanced' ? { secrets: [secret] } : { secrets: [], authToken };
    for (const one of CASES.filter(({ forms }) => forms.includes(form))) {
      for (const { headers, body } of one.send(make)) {
        const delivery = { headers: headersByName(headers), body: Buffer.from(body) };
        const { verified } = verifyDelivery(proofs, delivery, Date.now());
        expect({ case: one.name, verified }).toEqual({ case: one.name, verified: !FORGED.includes(one.expects) });
      }
    }
  });

  it('agree with the package of the standard', () => {
    const make = createKit(MEANS.advanced, systemClock);
    const standard = new Webhook(secret);
    for (const one of CASES.filter(({ expects, forms }) => !FORGED.includes(expects) && forms.includes('advanced'))) {
      for (const { headers, body } of one.send(make)) {
        expect(() => standard.verify(body.toString(), Object.fromEntries(headers)), one.name).not.toThrow();
      }
    }
    for (const one of CASES.filter(({ expects, forms }) => expects === 'refused' && forms.includes('advanced'))) {
      for (const { headers, body } of one.send(make)) {
        expect(() => standard.verify(body.toString(), Object.fromEntries(headers)), one.name).toThrow();
      }
    }
  });

  it('send payloads that can be read, of the event and with the id that they say', () => {
    const make = createKit(MEANS.basic, systemClock);
    for (const one of CASES.filter(({ expects }) => EXPECTATIONS[expects].applied === 1)) {
      for (const { body, id } of one.send(make)) {
        expect(unpackBody(body.toString(), privateKeys.pkcs8), one.name).toMatchObject({ payload: { webhookId: id } });
      }
    }
  });
});
