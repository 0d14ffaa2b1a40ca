import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  createSignatureHeaders,
  sign,
  TIMESTAMP_TOLERANCE,
  verifySignature,
} from '../../src/webhooks/signature.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { hasOpenssl, opensslSignature } from './openssl.ts';

const SECRET = `whsec_${randomBytes(24).toString('base64')}`;
const NOW = Math.floor(Date.now() / 1000);
const BODY = '{"event":"comment.add","data":{"text":"Grüße, 日本"}}';

/** A delivery that verifies, with optional changes. */
function delivery(
  change: { headers?: Record<string, string | string[] | undefined>; body?: Uint8Array } = {},
) {
  const id = 'msg_1';
  const body = Buffer.from(BODY);
  const headers = createSignatureHeaders(SECRET, { id, timestamp: NOW, body });
  return { headers: { ...headers, ...change.headers }, body: change.body ?? body };
}

const verify = (given: ReturnType<typeof delivery>, secrets = [SECRET], now = NOW * 1000) =>
  verifySignature(secrets, given, now);

describe('a signature', () => {
  it('matches the known vector', () => {
    const secret = 'whsec_plJ3nmyCDGBKInavdOK15jsl';
    const body = '{"event_type":"ping","data":{"success":true}}';
    const signature = 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=';
    expect(sign(secret, { id: 'msg_loFOjxBNrRLzqYUf', timestamp: 1731705121, body })).toBe(
      signature,
    );
    const headers = {
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': signature,
    };
    expect(verifySignature([secret], { headers, body: Buffer.from(body) }, 1731705121_000)).toEqual(
      {
        verified: true,
        form: 'advanced',
      },
    );
  });

  it.skipIf(!hasOpenssl())('matches that of OpenSSL', () => {
    for (const body of [BODY, '', 'x'.repeat(100_000)]) {
      const ours = sign(SECRET, { id: 'msg_2', timestamp: NOW, body });
      expect(ours).toBe(opensslSignature(SECRET, 'msg_2', NOW, Buffer.from(body)));
    }
  });

  it('matches that of the standardwebhooks package, and verifies there, for any content', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 80 }),
        fc.stringMatching(/^[\w-]{1,30}$/),
        fc.string({ unit: 'grapheme' }),
        (key, id, body) => {
          const secret = `whsec_${Buffer.from(key).toString('base64')}`;
          const package_ = new Webhook(secret);
          const headers = createSignatureHeaders(secret, { id, timestamp: NOW, body });
          expect(headers['webhook-signature']).toBe(package_.sign(id, new Date(NOW * 1000), body));
          package_.verify(body, { ...headers }, { jsonParse: false });
          expect(
            verifySignature([secret], { headers, body: Buffer.from(body) }, NOW * 1000).verified,
          ).toBe(true);
        },
      ),
    );
  });

  it('accepts a secret with or without its prefix', () => {
    const given = { id: 'a', timestamp: NOW, body: BODY };
    expect(sign(SECRET.slice('whsec_'.length), given)).toBe(sign(SECRET, given));
  });

  it.each(['', 'whsec_', 'whsec_@@', 'ordinary words', 'whsec_abc\n'])(
    "rejects '%s' as a secret",
    (secret) => {
      expect(() => sign(secret, { id: 'a', timestamp: NOW, body: '' })).toThrow(
        /followed by base64/,
      );
      expect(() => verify(delivery(), [SECRET, secret])).toThrow(/followed by base64/);
    },
  );
});

describe('a delivery', () => {
  it('verifies with any of several secrets and signatures', () => {
    const other = `whsec_${randomBytes(24).toString('base64')}`;
    expect(verify(delivery(), [other, SECRET]).verified).toBe(true);
    const signature = `v1a,AAAA v1,AAAA= ${delivery().headers['webhook-signature']} v2,x`;
    expect(verify(delivery({ headers: { 'webhook-signature': signature } })).verified).toBe(true);
    expect(verify(delivery(), [other]).verified).toBe(false);
    expect(verify(delivery(), []).verified).toBe(false);
  });

  it('verifies with header names in any case', () => {
    const upper = Object.fromEntries(
      Object.entries(delivery().headers).map(([name, v]) => [name.toUpperCase(), v]),
    );
    expect(verify({ headers: upper, body: Buffer.from(BODY) }).verified).toBe(true);
  });

  it.each([
    [-TIMESTAMP_TOLERANCE, true],
    [TIMESTAMP_TOLERANCE, true],
    [TIMESTAMP_TOLERANCE + 1, false],
    [-TIMESTAMP_TOLERANCE - 1, false],
  ])('verifies %i s after signing: %s', (seconds, verified) => {
    expect(verify(delivery(), [SECRET], (NOW + seconds) * 1000).verified).toBe(verified);
  });

  it.each([
    [{ 'webhook-id': undefined }, 'the header webhook-id is missing'],
    [{ 'webhook-timestamp': '' }, 'the header webhook-timestamp is missing'],
    [{ 'webhook-signature': undefined }, 'the header webhook-signature is missing'],
    [{ 'webhook-id': ['a', 'b'] }, 'the header webhook-id appears 2 times'],
    [{ 'WEBHOOK-ID': 'a' }, 'the header webhook-id appears 2 times'],
    [{ 'webhook-id': 'msg.1' }, 'webhook-id contains a period'],
    [{ 'webhook-timestamp': `${NOW}.5` }, 'webhook-timestamp is not a Unix timestamp in seconds'],
    [{ 'webhook-timestamp': `${NOW}x` }, 'webhook-timestamp is not a Unix timestamp in seconds'],
    [{ 'webhook-timestamp': '1e9' }, 'webhook-timestamp is not a Unix timestamp in seconds'],
    [{ 'webhook-timestamp': '-1' }, 'webhook-timestamp is not a Unix timestamp in seconds'],
    [
      { 'webhook-timestamp': String(NOW - 400) },
      'the timestamp is 400 s old; the maximum is 300 s',
    ],
    [
      { 'webhook-timestamp': String(NOW + 400) },
      'the timestamp is 400 s in the future; the maximum is 300 s',
    ],
    [{ 'webhook-timestamp': `0${NOW}` }, /^no signature matches/],
    [{ 'webhook-timestamp': String(NOW + 1) }, /^no signature matches/],
    [{ 'webhook-signature': 'v2,abc' }, 'webhook-signature contains no v1 signature'],
    [{ 'webhook-signature': 'v1,' }, /^no signature matches/],
  ] as const)('with %j is refused for it', (headers, reason) => {
    const verdict = verify(delivery({ headers: headers as Record<string, string> }));
    expect(verdict).toEqual({ verified: false, reason: expect.stringMatching(reason) });
  });

  it('is rejected if its body is not UTF-8, even if the signature matches', () => {
    const body = Buffer.from([0x7b, 0xff, 0x7d]);
    const headers = createSignatureHeaders(SECRET, { id: 'a', timestamp: NOW, body });
    expect(verify({ headers, body })).toMatchObject({ reason: 'the body is not valid UTF-8' });
  });

  it('never verifies after a change, in 1,000 forgeries', SLOW, () => {
    const whole = delivery();
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
    const flipped = (bytes: Uint8Array, bit: number) => {
      const copy = Buffer.from(bytes);
      const at = Math.floor(bit / 8) % copy.length;
      copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8));
      return copy;
    };
    const forgery = fc.oneof(
      fc.nat().map((bit) => delivery({ body: flipped(whole.body, bit) })),
      fc
        .nat({ max: whole.body.length - 1 })
        .map((end) => delivery({ body: whole.body.subarray(0, end) })),
      fc
        .uint8Array({ minLength: 1 })
        .map((more) => delivery({ body: Buffer.concat([whole.body, more]) })),
      fc.tuple(fc.constantFrom(...names), fc.nat()).map(([name, bit]) => {
        const text = flipped(Buffer.from(String(whole.headers[name])), bit).toString('latin1');
        return delivery({ headers: { [name]: text } });
      }),
      fc
        .tuple(fc.constantFrom(...names), fc.string())
        .map(([name, text]) => delivery({ headers: { [name]: text } })),
      fc.constantFrom(...names).map((name) => delivery({ headers: { [name]: undefined } })),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => {
        return delivery({
          headers: { 'webhook-signature': `v1,${Buffer.from(bytes).toString('base64')}` },
        });
      }),
      fc.integer({ min: 1, max: 280 }).map((later) => {
        return delivery({ headers: { 'webhook-timestamp': String(NOW + later) } });
      }),
    );
    fc.assert(
      fc.property(forgery, (forged) => {
        expect(verify(forged).verified).toBe(false);
      }),
      { numRuns: repeats(500) },
    );
  });
});
