import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactRemembered } from '../../src/kernel/redact.ts';
import { redactUrls } from '../../src/kernel/redact-urls.ts';
import { repeats } from '../repeats.ts';

const NAMES = [
  'token',
  'access_token',
  'authToken',
  'key',
  'api_key',
  'apiKey',
  'signature',
  'sig',
  'X-Amz-Signature',
];
const OTHERS = ['client_secret', 'password', 'jwt', 'id_token', 'AUTH'];

/** Secrets that occur in no other part of the URLs below. */
const secret = fc.string({
  minLength: 6,
  maxLength: 30,
  unit: fc.constantFrom(...'QWZqwz017-_.~'),
});
const url = fc.record({
  scheme: fc.constantFrom('http', 'https', 'HTTPS', 'wss'),
  user: fc.option(fc.tuple(secret, fc.option(secret))),
  path: fc.constantFrom('', '/', '/hook', '/a/b@c'),
  parameters: fc.array(fc.tuple(fc.constantFrom('plain', 'page', ...NAMES, ...OTHERS), secret), {
    maxLength: 4,
  }),
  fragment: fc.constantFrom('', '#there'),
});
type Parts = typeof url extends fc.Arbitrary<infer Value> ? Value : never;

function written({ scheme, user, path, parameters, fragment }: Parts): string {
  const info = user ? `${user.filter((part) => part !== null).join(':')}@` : '';
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${scheme}://${info}example.com${path}${query && '?'}${query}${fragment}`;
}

const secretsOf = ({ user, parameters }: Parts) => [
  ...(user ?? []).flatMap((part) => part ?? []),
  ...parameters.filter(([name]) => name !== 'plain' && name !== 'page').map(([, value]) => value),
];

/** Contexts of a URL in a text. */
const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `cannot reach ${text}: refused`,
  (text) => `<${text}> and '${text}'`,
  (text) => JSON.stringify({ url: text, other: 'x' }),
  (text) => JSON.stringify({ url: text }).replaceAll('/', '\\/').replaceAll('&', '\\u0026'),
  (text) => JSON.stringify(JSON.stringify({ url: text })),
  (text) => text.replaceAll('&', '&amp;'),
];

describe('redactUrls', () => {
  it('masks user information and secret query parameters in any context', () => {
    fc.assert(
      fc.property(url, fc.constantFrom(...AROUND), (parts, around) => {
        const shown = redactUrls(around(written(parts)));
        const kept = parts.parameters
          .filter(([name]) => name === 'plain' || name === 'page')
          .map(([, value]) => value);
        for (const hidden of secretsOf(parts)) {
          if (kept.every((value) => !value.includes(hidden))) expect(shown).not.toContain(hidden);
        }
        expect(shown).toContain('example.com');
        for (const value of kept) expect(shown).toContain(value);
      }),
      { numRuns: repeats(500) },
    );
  });

  it.each([
    ['https://user:pass@host/x', 'https://****@host/x'],
    ['https://user:p@ss@host', 'https://****@host'],
    ['postgres://ada@db/svc', 'postgres://ada@db/svc'],
    ['postgres://ada:secret@db/svc', 'postgres://ada:****@db/svc'],
    ['/v2/x?token=abc&limit=5', '/v2/x?token=****&limit=5'],
    ['http://127.0.0.1:8080/#token=shown', 'http://127.0.0.1:8080/#token=shown'],
    ['mail ada@example.com?', 'mail ada@example.com?'],
  ])('redacts %s to %s', (text, shown) => {
    expect(redactUrls(text)).toBe(shown);
    expect(redactRemembered(text)).toBe(shown);
    expect(redactUrls(shown)).toBe(shown);
  });

  it('takes linear time', () => {
    for (const text of [
      'https://'.repeat(100_000),
      'a.'.repeat(300_000),
      '?a'.repeat(300_000),
      `https://${'a:'.repeat(300_000)}`,
      '&token'.repeat(100_000),
    ]) {
      expect(redactUrls(`${text} ada@example.com`)).toContain('ada@example.com');
    }
  });
});
