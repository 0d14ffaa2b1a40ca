import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import { MOST_NESTING, nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { amount } from '../../kernel/plural.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How long something lasts: times as RFC 3339, null where the token says none. */
export interface Lifetime {
  readonly expiresAt: string | null;
  /** Negative once it is over. */
  readonly secondsLeft: number | null;
  readonly expired: boolean;
}

/** Access to one resource, as a token grants it. */
export interface Grant extends Lifetime {
  readonly type: unknown;
  readonly id: unknown;
  readonly organizationId: unknown;
  readonly role: unknown;
}

/** What an access token says. Nothing of it is verified. */
export interface AccessToken {
  readonly verified: false;
  readonly header: Fields;
  readonly claims: Fields;
  readonly lifetime: Lifetime & { readonly issuedAt: string | null };
  readonly resources: readonly Grant[];
}

/** Reads a JSON Web Token. @throws SvcError `bad_data` that says what is wrong, and repeats nothing of it. */
export function readAccessToken(text: string, now: number): AccessToken {
  const parts = text.trim().split('.');
  if (parts.length !== 3) {
    const hint = parts.length === 5 ? 'it is encrypted, and only its receiver can read it' : AN_ACCESS_TOKEN;
    throw new SvcError('bad_data', `not a signed token: it has ${amount(parts.length, 'part')} instead of 3`, { hint });
  }
  const [header = '', payload = '', signature = ''] = parts;
  if (!BASE64URL.test(signature)) throw malformed('signature', 'not base64url');
  const claims = decoded('payload', payload);
  return {
    verified: false,
    header: decoded('header', header),
    claims,
    lifetime: { issuedAt: timeOf(claims['iat']), ...lifetime(claims['exp'], now) },
    resources: resourcesOf(claims).map((resource) => grant(resource, now)),
  };
}

const AN_ACCESS_TOKEN = 'an access token is three base64url texts with dots between them';
const BASE64URL = /^[\w-]*$/;

function decoded(name: string, part: string): Fields {
  if (part === '' || !BASE64URL.test(part)) throw malformed(name, 'not base64url');
  let value: unknown;
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    value = nestsDeeperThan(MOST_NESTING, json) ? undefined : JSON.parse(json);
  } catch (error) {
    throw malformed(name, 'not JSON', error);
  }
  if (value === undefined) throw malformed(name, `nested more than ${MOST_NESTING} levels deep`);
  if (!isObject(value)) throw malformed(name, 'no JSON object');
  return value;
}

function malformed(part: string, why: string, cause?: unknown): SvcError {
  return new SvcError('bad_data', `not a token: its ${part} is ${why}`, { hint: AN_ACCESS_TOKEN, cause });
}

function resourcesOf({ permissions }: Fields): readonly Fields[] {
  const resources = isObject(permissions) ? permissions['resources'] : undefined;
  return Array.isArray(resources) ? resources.filter(isObject) : [];
}

function grant({ type, id, organizationId, accessRole, expiresAt }: Fields, now: number): Grant {
  return {
    type: type ?? null,
    id: id ?? null,
    organizationId: organizationId ?? null,
    role: accessRole ?? DEFAULT_ACCESS_ROLE,
    ...lifetime(expiresAt, now),
  };
}

/** @param end Unix seconds */
function lifetime(end: unknown, now: number): Lifetime {
  const expiresAt = timeOf(end);
  const secondsLeft = expiresAt === null ? null : Math.floor((Number(end) * 1000 - now) / 1000);
  return { expiresAt, secondsLeft, expired: secondsLeft !== null && secondsLeft <= 0 };
}

function timeOf(seconds: unknown): string | null {
  const time = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
