import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findJsonSecrets,
  isMasked,
  maskSecret,
  redactJsonText,
  redactRemembered,
  redactText,
  redactValue,
  rememberSecret,
} from '../../src/kernel/redact.ts';
import { codePoint } from '../code-point.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';

const FORMS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => Buffer.from(secret).toString('base64'),
  (secret) => Buffer.from(secret).toString('base64url'),
  encodeURIComponent,
  (secret) => new URLSearchParams({ s: secret }).toString().slice(2),
  (secret) => JSON.stringify(secret).slice(1, -1),
  (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  (secret) => JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  (secret) => encodeURIComponent(secret).replace(/%../g, (hex) => hex.toLowerCase()),
  (secret) => Array.from(secret, (one) => (/[\w-]/.test(one) ? one : unicodeEscape(one))).join(''),
  (secret) =>
    Array.from(Buffer.from(secret), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  (secret) => Buffer.from(secret).toString('hex'),
  (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
];

/** JSON as written by encoders that escape more than necessary. */
function unicodeEscape(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/**
 * Ordinary secrets, and secrets with special characters for each kind of escape. No asterisks,
 * because masks consist of them.
 */
const secret = fc
  .oneof(
    fc.string({ minLength: 4, maxLength: 60, unit: codePoint }),
    fc.string({ minLength: 4, maxLength: 30, unit: fc.constantFrom(...'ab/+="\\ %&é\n🔑') }),
  )
  .filter((text) => text.isWellFormed() && !text.includes('*'));
const filler = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('*'));

it.each([
  '****',
  '****abcd',
  'tok1****',
  '••••••••',
  '<hidden>',
  '[REDACTED]',
  'XXXXXXXX',
  '...1234',
])('isMasked finds the mask of a service: %s', (text) => expect(isMasked(text)).toBe(true));
it.each(['', 'tok_1a2b3c', 'a*b', 'xylophone', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'])(
  'isMasked takes a secret for what it is: %j',
  (text) => expect(isMasked(text)).toBe(false),
);

it('maskSecret shows only the last four characters of secrets with at least twenty', () => {
  expect(['', 'tail', `${'a'.repeat(15)}tail`, `${'a'.repeat(16)}tail`].map(maskSecret)).toEqual([
    '',
    '****',
    '****',
    '****tail',
  ]);
});

describe('redactText', () => {
  it('masks every form of a secret', SLOW, () => {
    const parts = fc.array(fc.tuple(filler, fc.nat(), fc.nat({ max: FORMS.length - 1 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.array(secret, { minLength: 1, maxLength: 4 }), parts, (secrets, layout) => {
        const write = ([text, which, form]: [string, number, number]) =>
          text + FORMS[form]?.(secrets[which % secrets.length] ?? '');
        const redacted = redactText(layout.map(write).join(''), secrets);
        for (const one of secrets)
          for (const form of FORMS) expect(redacted).not.toContain(form(one));
      }),
      { numRuns: repeats(200) },
    );
  });

  it('finds a secret in the middle of a longer encoded text', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 12, maxLength: 40 }),
        fc.string(),
        fc.string(),
        (hidden, before, after) => {
          fc.pre(!hidden.includes('*') && !`${before}${after}`.includes(hidden));
          for (const encoding of ['base64', 'base64url'] as const) {
            const redacted = redactText(Buffer.from(before + hidden + after).toString(encoding), [
              hidden,
            ]);
            expect(redacted).toContain('****');
            expect(Buffer.from(redacted.replaceAll('*', 'A'), encoding).toString()).not.toContain(
              hidden,
            );
          }
        },
      ),
    );
  });

  it('changes no other text', () => {
    const words = fc
      .array(fc.constantFrom('users', 'of', 'acme', '{"id":1}', '\n'))
      .map((list) => list.join(' '));
    fc.assert(
      fc.property(words, secret, words, (before, hidden, after) => {
        fc.pre(redactText(`${before} ${after}`, [hidden]) === `${before} ${after}`);
        expect(redactText(`${before}<${hidden}>${after}`, [hidden])).toBe(
          `${before}<${maskSecret(hidden)}>${after}`,
        );
      }),
    );
    expect(redactText('a to z', ['', 'a', 'to', ' z'])).toBe('a to z');
  });

  it('masks overlapping and nested secrets as one', () => {
    const long = 'abcdefghijklmnopqrstuvwxyz';
    expect(redactText(`<${long}>`, [long])).toBe('<****wxyz>');
    expect(redactText(`<${long}>`, [long, 'wxyz'])).toBe('<****>');
    expect(redactText('<abcdef>', ['abcd', 'cdef'])).toBe('<****>');
    expect(redactText(`<${long}0123>`, [long, 'wxyz0123'])).toBe('<****>');
    expect(redactText('secretsecret', ['secret'])).toBe('********');
  });
});

it.each([
  ['plain', '<abcabcabc>', '<****>'],
  ['with escapes', '%<abcabcabc>', '%<****>'],
])('redactText masks occurrences of a secret that overlap: %s', (_, text, masked) => {
  expect(redactText(text, ['abcabc'])).toBe(masked);
});

it('redactText masks a secret at the start of a text, and one with a plus for each space', () => {
  expect(redactText('secret=', ['secret'])).toBe('****=');
  expect(redactText('q=my+secret', ['my secret'])).toBe('q=****');
});

describe('redactRemembered', () => {
  it('masks every secret that the process has received', () => {
    const text = 'TypeError: invalid header value met-secret-8c1f';
    expect(redactRemembered(text)).toBe(text);
    expect(rememberSecret('met-secret-8c1f')).toBe('met-secret-8c1f');
    expect(rememberSecret(undefined)).toBe(undefined);
    expect(redactRemembered(text)).toBe('TypeError: invalid header value ****');
  });
});

describe('redactJsonText', () => {
  it.each([
    ['{"authToken":"abc"}', '{"authToken":"****"}'],
    ['{"token" : "abc","x":1}', '{"token" : "****","x":1}'],
    ['{"secret":"whsec_0123456789abcdef"}', '{"secret":"****cdef"}'],
    ['{"workspaceAuthToken":"a\\"b","y":"z"}', '{"workspaceAuthToken":"****","y":"z"}'],
    ['{"newAuthToken":{"token":"cut sho', '{"newAuthToken":{"token":"****'],
    [
      '{"body":"{\\"token\\":\\"abc\\",\\"x\\":1}"}',
      '{"body":"{\\"token\\":\\"****\\",\\"x\\":1}"}',
    ],
    ['{"emailServiceConfig":{"apiKey":"mail"}}', '{"emailServiceConfig":{"apiKey":"****"}}'],
    ['{"token":""}', '{"token":""}'],
    [
      '{"pageToken":"p","nextPageToken":"n","tokens":"t"}',
      '{"pageToken":"p","nextPageToken":"n","tokens":"t"}',
    ],
    ['{"token":null,"secret":12}', '{"token":null,"secret":12}'],
  ])('%s', (text, redacted) => {
    expect(redactJsonText(text, [])).toBe(redacted);
  });

  it('masks secret fields at any depth, and repetitions of their values', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 40 }), fc.jsonValue(), (hidden, other) => {
        fc.pre(!hidden.includes('*') && hidden.trim() !== '');
        const text = JSON.stringify({ other, list: [{ secret: hidden }], again: hidden });
        const redacted = redactJsonText(text, findJsonSecrets(text));
        expect(redacted).not.toContain(JSON.stringify(hidden).slice(1, -1));
      }),
    );
  });

  it('handles a hostile text quickly', () => {
    for (const text of [
      `{"token":"${'\\n'.repeat(2e6)}`,
      `"token${'\\'.repeat(2e6)}`,
      '"token":"'.repeat(2e5),
    ]) {
      expect(redactJsonText(text, []).length).toBeLessThanOrEqual(text.length * 2);
    }
  });
});

describe('redactValue', () => {
  it('masks fields and values, and preserves everything else, including keys like __proto__', () => {
    const value = JSON.parse(
      '{"__proto__":{"token":"abc"},"list":["s3cret","s3cret!",null,1.5],"emailServiceConfig":{"apiKey":"m"},"apiKey":"id"}',
    );
    expect(JSON.stringify(redactValue(value, ['s3cret']))).toBe(
      '{"__proto__":{"token":"****"},"list":["****","****!",null,1.5],"emailServiceConfig":{"apiKey":"****"},"apiKey":"id"}',
    );
    expect(value.list[0]).toBe('s3cret');
  });

  it('preserves a value without secrets', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(redactValue(value, [])).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

it('findJsonSecrets skips values that could be ordinary words', () => {
  expect(findJsonSecrets('{"token":"7 chars","secret":"8 chars!"}')).toEqual(['8 chars!']);
});
