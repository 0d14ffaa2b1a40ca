import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  inspectTokenCommand,
  parseAccessToken,
} from '../../../src/commands/tools/inspect-token.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { fakeContext } from '../fake-context.ts';

const NOW = Date.UTC(2030, 0, 1);
const issued = NOW / 1000 - 60;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (claims: unknown, header: unknown = { alg: 'HS256' }) =>
  `${encoded(header)}.${encoded(claims)}.c2ln`;

const claims = {
  iss: 'svc',
  sub: 'u1',
  name: 'Ada\u001b[2J',
  iat: issued,
  exp: issued + 172_800,
  permissions: {
    resources: [
      { type: 'organization', id: 'acme' },
      {
        type: 'document',
        id: 'd1',
        organizationId: 'acme',
        accessRole: 'viewer',
        expiresAt: NOW / 1000 - 90,
      },
    ],
  },
};

async function inspect(given: string, world: Parameters<typeof fakeContext>[0] = {}) {
  const context = {
    ...(await fakeContext(world)),
    clock: { now: () => NOW, sleep: async () => undefined },
  };
  await inspectTokenCommand(context, { arguments: [given], options: {} });
  return context;
}

describe('a parsed token', () => {
  it('has its claims, lifetime, and granted resources', () => {
    expect(parseAccessToken(tokenOf(claims), NOW)).toEqual({
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
          type: 'document',
          id: 'd1',
          organizationId: 'acme',
          role: 'viewer',
          expiresAt: '2029-12-31T23:58:30.000Z',
          secondsLeft: -90,
          expired: true,
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
  ])('can have unusual or missing claims: %j', (odd) => {
    expect(parseAccessToken(tokenOf(odd), NOW)).toMatchObject({
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
    { token: `${encoded({})}.${encoded([])}.`, message: /payload is not a JSON object/ },
    { token: `${encoded({})}.e30x.`, message: /payload is not JSON/ },
    { token: `_w.${encoded({})}.`, message: /header is not JSON/ },
  ])('is rejected if it is invalid: $token', ({ token, message }) => {
    expect(() => parseAccessToken(token, NOW)).toThrow(message);
  });

  it('is never part of an error, and every invalid input is rejected with an SvcError', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String().map((text) => `${text}.${text}.secret`),
        ),
        (text) => {
          try {
            parseAccessToken(text, NOW);
          } catch (error) {
            expect(error).toBeInstanceOf(SvcError);
            expect(error).toMatchObject({ failure: 'invalid_input' });
            expect((error as SvcError).message).not.toContain('secret');
          }
        },
      ),
    );
  });
});

describe('svc access-tokens inspect', () => {
  it('prints escaped tables, and warns that nothing is verified', async () => {
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
        'document      d1    acme          viewer  ended 2029-12-31T23:58:30.000Z, 1 min 30 s ago',
        '',
      ].join('\n'),
    );
    expect(context.stderr()).toBe(
      'warning: the signature is not verified: anyone can create such a token\n',
    );
  });

  it('reads a token from stdin, with its final newline', async () => {
    const context = await inspect('-', {
      stdin: `${tokenOf({ exp: 1 })}\n`,
      options: { output: 'json' },
    });
    expect(JSON.parse(context.stdout())).toMatchObject({
      verified: false,
      claims: { exp: 1 },
      lifetime: { expired: true },
    });
  });

  it('reports a token without resources', async () => {
    expect((await inspect(tokenOf({ sub: 'u1' }))).stdout()).toBe(
      'sub       u1\nissued    unknown\nlifetime  never ends\n\nThe token grants access to no resources.\n',
    );
  });
});
