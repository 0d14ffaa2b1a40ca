import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAccessToken } from '../../../src/commands/tools/access-token.ts';
import { inspectTokenCommand } from '../../../src/commands/tools/inspect-token.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { fakeContext } from '../fake-context.ts';

const NOW = Date.UTC(2030, 0, 1);
const issued = NOW / 1000 - 60;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (claims: unknown, header: unknown = { alg: 'HS256' }) => `${encoded(header)}.${encoded(claims)}.c2ln`;

const claims = {
  iss: 'svc',
  sub: 'u1',
  name: 'Ada\u001b[2J',
  iat: issued,
  exp: issued + 172_800,
  permissions: {
    resources: [
      { type: 'organization', id: 'acme' },
      { type: 'document', id: 'd1', organizationId: 'acme', accessRole: 'viewer', expiresAt: NOW / 1000 - 90 },
    ],
  },
};

async function inspect(given: string, world: Parameters<typeof fakeContext>[0] = {}) {
  const context = { ...(await fakeContext(world)), clock: { now: () => NOW, sleep: async () => undefined } };
  await inspectTokenCommand(context, { arguments: [given], options: {} });
  return context;
}

describe('what a token says', () => {
  it('is its claims, how long it lasts and what it gives access to', () => {
    expect(readAccessToken(tokenOf(claims), NOW)).toEqual({
      verified: false,
      header: { alg: 'HS256' },
      claims,
      lifetime: {
        issuedAt: '2029-12-31T23:59:00.000Z',
        expiresAt: '2030-01-02T23:59:00.000Z',
        secondsLeft: 172_740,
        expired: false,
      },
      resources: [
        {
          type: 'organization',
          id: 'acme',
          organizationId: null,
          role: 'editor',
          expiresAt: null,
          secondsLeft: null,
          expired: false,
        },
        {
          ...{ type: 'document', id: 'd1', organizationId: 'acme', role: 'viewer' },
          ...{ expiresAt: '2029-12-31T23:58:30.000Z', secondsLeft: -90, expired: true },
        },
      ],
    });
  });

  it.each([
    { iat: 'soon', exp: null },
    { exp: 1e300 },
    { permissions: 'all' },
    { permissions: { resources: ['d1', null] } },
    {},
  ])('may be odd or little: %j', (odd) => {
    expect(readAccessToken(tokenOf(odd), NOW)).toMatchObject({
      lifetime: { issuedAt: null, expiresAt: null, secondsLeft: null, expired: false },
      resources: [],
    });
  });

  it.each([
    { token: '', message: /1 part instead of 3/ },
    { token: 'not a token', message: /1 part instead of 3/ },
    { token: 'a.b.c.d.e', message: /5 parts instead of 3/ },
    { token: `${encoded({})}.${encoded({})}.=`, message: /signature is not base64url/ },
    { token: `${encoded({})}..`, message: /payload is not base64url/ },
    { token: `${encoded({})}.${encoded([])}.`, message: /payload is no JSON object/ },
    { token: `${encoded({})}.e30x.`, message: /payload is not JSON/ },
    { token: `_w.${encoded({})}.`, message: /header is not JSON/ },
  ])('is refused where it is no token: $token', ({ token, message }) => {
    expect(() => readAccessToken(token, NOW)).toThrow(message);
  });

  it('is never repeated, nor is anything but a refusal thrown, whatever is read', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `${text}.${text}.secret`),
        ),
        (text) => {
          try {
            readAccessToken(text, NOW);
          } catch (error) {
            expect(error).toBeInstanceOf(SvcError);
            expect(error).toMatchObject({ failure: 'bad_data' });
            expect((error as SvcError).message).not.toContain('secret');
          }
        },
      ),
    );
  });
});

describe('svc access-tokens inspect', () => {
  it('shows it in tables, safely, and says that nothing is verified', async () => {
    const context = await inspect(tokenOf(claims));
    expect(context.stdout()).toBe(
      [
        'iss       svc',
        'sub       u1',
        'name      Ada\\u001b[2J',
        'issued    2029-12-31T23:59:00.000Z',
        'lifetime  ends 2030-01-02T23:59:00.000Z, in 47 h 59 min',
        '',
        'TYPE          ID    ORGANIZATION  ROLE    ACCESS ENDS',
        'organization  acme                editor  with the token',
        'document      d1    acme          viewer  ended 2029-12-31T23:58:30.000Z, 1 min ago',
        '',
      ].join('\n'),
    );
    expect(context.stderr()).toBe('warning: the signature is not verified: anyone can write such a token\n');
  });

  it('reads it from stdin, with the line break that ends it', async () => {
    const context = await inspect('-', { stdin: `${tokenOf({ exp: 1 })}\n`, options: { output: 'json' } });
    expect(JSON.parse(context.stdout())).toMatchObject({
      verified: false,
      claims: { exp: 1 },
      lifetime: { expired: true },
    });
  });

  it('says where it gives access to nothing', async () => {
    expect((await inspect(tokenOf({ sub: 'u1' }))).stdout()).toBe(
      'sub       u1\nissued    not said\nlifetime  never ends\n\nIt gives access to no resource.\n',
    );
  });
});
