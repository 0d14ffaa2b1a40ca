import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packBody, unpackBody } from '../../src/webhooks/payload.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { hasOpenssl, opensslDecrypt, opensslEncrypt, opensslKeys } from './openssl.ts';

const JSON_TEXT =
  '{"event":"comment.add","data":{"text":"Grüße, 日本"},"big":1e400,"long":12345678901234567890,"one":1.0}';

/** Strips the PEM lines, as in settings. */
const bare = (pem: string) => pem.replaceAll(/-----.*-----|\n/g, '');

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

function newKeys() {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
}
const KEYS = newKeys();

describe('a body', () => {
  it('that is plain stays unchanged', () => {
    expect(packBody(JSON_TEXT, { encode: false })).toBe(JSON_TEXT);
    const { kind, payload } = unpackBody(JSON_TEXT) as { kind: string; payload: unknown };
    expect([kind, JSON.stringify(payload)]).toEqual(['plain', JSON_TEXT]);
  });

  it('that is encoded is the base64 of the text', () => {
    const body = packBody(JSON_TEXT, { encode: true });
    expect(JSON.parse(body)).toEqual({ encodedPayload: Buffer.from(JSON_TEXT).toString('base64') });
    expect(unpackBody(body)).toMatchObject({ kind: 'decoded', json: JSON_TEXT });
  });

  it('that is encrypted can be read only with the private key', () => {
    const body = packBody(JSON_TEXT, { encode: true, encryptFor: KEYS.publicKey });
    expect(Object.keys(JSON.parse(body))).toEqual(['encryptedData', 'encryptedKey', 'iv']);
    expect(unpackBody(body, KEYS.privateKey)).toMatchObject({ kind: 'decrypted', json: JSON_TEXT });
    expect(unpackBody(body)).toMatchObject({
      reason: 'the body is encrypted, but no private key was given',
    });
    expect(unpackBody(body, newKeys().privateKey)).toMatchObject({
      reason: expect.stringMatching('another key'),
    });
    expect(packBody(JSON_TEXT, { encode: false, encryptFor: KEYS.publicKey })).not.toBe(body);
  });

  it('that is both encoded and encrypted can be read', () => {
    const body = packBody(packBody(JSON_TEXT, { encode: true }), {
      encode: false,
      encryptFor: KEYS.publicKey,
    });
    expect(unpackBody(body, KEYS.privateKey)).toMatchObject({ kind: 'decrypted', json: JSON_TEXT });
  });

  it('survives a round trip with any content and packing', () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), fc.boolean(), (json, encode, encrypt) => {
        const body = packBody(json, { encode, encryptFor: encrypt ? KEYS.publicKey : undefined });
        expect(unpackBody(body, KEYS.privateKey)).toMatchObject({ json });
      }),
      { numRuns: repeats(30) },
    );
  });

  it('is never read as other content after a bit flip in its key', () => {
    const sealed: Record<string, string> = JSON.parse(
      packBody(JSON_TEXT, { encode: false, encryptFor: KEYS.publicKey }),
    );
    const flip = fc.nat().map((bit) => {
      const bytes = Buffer.from(sealed['encryptedKey'] ?? '', 'base64');
      const at = Math.floor(bit / 8) % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
      return JSON.stringify({ ...sealed, encryptedKey: bytes.toString('base64') });
    });
    fc.assert(
      fc.property(flip, (body) => {
        expect(unpackBody(body, KEYS.privateKey).kind).toBe('undecryptable');
      }),
      { numRuns: repeats(20) },
    );
  });

  it.each([
    ['', 'the body is not JSON'],
    ['<html>', 'the body is not JSON'],
    ['{"encodedPayload":"%%"}', 'encodedPayload is not base64'],
    ['{"encodedPayload":"PGh0bWw+"}', 'the decoded payload is not JSON'],
    ['{"encodedPayload":"/////w=="}', 'the decoded payload is not JSON'],
    [deep(101), 'the body is nested more than 100 levels deep'],
    [deep(10_000), 'the body is nested more than 100 levels deep'],
    [
      packBody(deep(101), { encode: true }),
      'the decoded payload is nested more than 100 levels deep',
    ],
    [
      packBody(deep(101), { encode: false, encryptFor: KEYS.publicKey }),
      'the decrypted payload is nested more than 100 levels deep',
    ],
  ])('%.80j is unreadable', (body, reason) => {
    expect(unpackBody(body, KEYS.privateKey)).toEqual({ kind: 'unreadable', reason });
  });

  it('is plain if it only resembles an encoded one', () => {
    for (const body of [
      '{"encodedPayload":1}',
      '{"encodedPayload":"e30=","more":1}',
      '[]',
      'null',
      '"text"',
    ]) {
      expect(unpackBody(body)).toMatchObject({ kind: 'plain', json: body });
    }
  });
});

describe('a key', () => {
  it.each(['', 'nonsense', 'MIIB'])("'%s' is rejected without repeating it", (text) => {
    expect(() => packBody('{}', { encode: false, encryptFor: text || '-' })).toThrow(
      'not a valid RSA public key',
    );
    const sealed = packBody('{}', { encode: false, encryptFor: KEYS.publicKey });
    expect(() => unpackBody(sealed, text || '-')).toThrow('not a valid RSA private key');
  });

  it('of another algorithm is rejected', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(() => packBody('{}', { encode: false, encryptFor: pem })).toThrow(
      'not a valid RSA public key',
    );
  });

  it('that is protected by a passphrase is rejected with a hint', () => {
    const privateKeyEncoding = {
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    } as const;
    const publicKeyEncoding = { type: 'spki', format: 'pem' } as const;
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding,
      privateKeyEncoding,
    });
    const sealed = packBody('{}', { encode: false, encryptFor: keys.publicKey });
    expect(() => unpackBody(sealed, keys.privateKey)).toThrow('protected by a passphrase');
  });
});

describe.skipIf(!hasOpenssl())('with OpenSSL as the peer', () => {
  it(
    'decrypts its output, and produces output that it decrypts, with keys in every format',
    SLOW,
    () => {
      const { publicKeys, privateKeys } = opensslKeys();
      const encrypted = opensslEncrypt(JSON_TEXT, publicKeys.spki);
      for (const key of Object.values(privateKeys).flatMap((pem) => [
        pem,
        bare(pem),
        pem.replaceAll('\n', '\\n'),
      ])) {
        expect(unpackBody(encrypted, key)).toMatchObject({ kind: 'decrypted', json: JSON_TEXT });
      }
      for (const key of Object.values(publicKeys).flatMap((pem) => [
        pem,
        bare(pem),
        pem.replaceAll('\n', '\r\n'),
      ])) {
        const body = packBody(JSON_TEXT, { encode: false, encryptFor: key });
        expect(opensslDecrypt(body, privateKeys.pkcs8)).toBe(JSON_TEXT);
      }
    },
  );
});
