import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { RECEIVER_CASES } from '../../../src/webhooks/grading/cases.ts';
import { EXPECTATIONS } from '../../../src/webhooks/grading/expectations.ts';
import { createDeliveryFactory } from '../../../src/webhooks/grading/test-delivery.ts';
import { groupHeaders } from '../../../src/webhooks/headers.ts';
import { unpackBody } from '../../../src/webhooks/payload.ts';
import { verifyDelivery } from '../../../src/webhooks/signature.ts';
import { newSecret } from '../listener-fixture.ts';
import { opensslKeys } from '../openssl.ts';

const { publicKeys, privateKeys } = opensslKeys();
const secret = newSecret();
const authToken = randomBytes(16).toString('hex');
const MEANS = {
  advanced: { form: 'advanced', secret, encryptFor: publicKeys.spki },
  basic: { form: 'basic', authToken, encryptFor: publicKeys.spki },
} as const;

const FORGED = ['rejected', 'not allowed'];

describe('the cases', () => {
  it('have unique names and a reason', () => {
    expect(new Set(RECEIVER_CASES.map(({ name }) => name)).size).toBe(RECEIVER_CASES.length);
    expect(
      RECEIVER_CASES.filter(({ name, why }) => !/^[a-z-]+$/.test(name) || why.length < 10),
    ).toEqual([]);
  });

  it.each(['advanced', 'basic'] as const)(
    'send deliveries that verify only if they must be accepted: %s',
    (form) => {
      const make = createDeliveryFactory(MEANS[form], systemClock);
      const proofs = form === 'advanced' ? { secrets: [secret] } : { secrets: [], authToken };
      for (const one of RECEIVER_CASES.filter((each) => [undefined, form].includes(each.form))) {
        for (const { headers, body } of one.send(make)) {
          const delivery = { headers: groupHeaders(headers), body: Buffer.from(body) };
          const { verified } = verifyDelivery(proofs, delivery, Date.now());
          expect({ case: one.name, verified }).toEqual({
            case: one.name,
            verified: !FORGED.includes(one.expects),
          });
        }
      }
    },
  );

  it('agree with the standardwebhooks package', () => {
    const make = createDeliveryFactory(MEANS.advanced, systemClock);
    const standard = new Webhook(secret);
    for (const one of RECEIVER_CASES.filter(
      ({ expects, form }) => !FORGED.includes(expects) && form !== 'basic',
    )) {
      for (const { headers, body } of one.send(make)) {
        expect(
          () => standard.verify(body.toString(), Object.fromEntries(headers)),
          one.name,
        ).not.toThrow();
      }
    }
    for (const one of RECEIVER_CASES.filter(
      ({ expects, form }) => expects === 'rejected' && form !== 'basic',
    )) {
      for (const { headers, body } of one.send(make)) {
        expect(
          () => standard.verify(body.toString(), Object.fromEntries(headers)),
          one.name,
        ).toThrow();
      }
    }
  });

  it('send readable payloads with the stated event and ID', () => {
    const make = createDeliveryFactory(MEANS.basic, systemClock);
    for (const one of RECEIVER_CASES.filter(({ expects }) => EXPECTATIONS[expects].applied === 1)) {
      for (const { body, id } of one.send(make)) {
        expect(unpackBody(body.toString(), privateKeys.pkcs8), one.name).toMatchObject({
          payload: { webhookId: id },
        });
      }
    }
  });
});
