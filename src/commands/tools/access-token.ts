import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import { MAX_NESTING, nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { formatNounCount } from '../../kernel/plural.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A lifetime. Times are RFC 3339, or null if the token does not contain them. */
export type TokenLifetime = ReturnType<typeof toLifetime>;

export interface ResourceGrant extends TokenLifetime {
  readonly type: unknown;
  readonly id: unknown;
  readonly organizationId: unknown;
  readonly role: unknown;
}

export type AccessToken = ReturnType<typeof parseAccessToken>;

/** Parses a JSON Web Token. @throws SvcError `bad_data`. The message contains no part of the token. */
export function parseAccessToken(text: string, now: number) {
  const parts = text.trim().split('.');
  if (parts.length !== 3) {
    const hint = parts.length === 5 ? 'the token is encrypted, and only its recipient can read it' : TOKEN_FORMAT;
    throw new SvcError('bad_data', `not a signed token: it has ${formatNounCount(parts.length, 'part')} instead of 3`, {
      hint,
    });
  }
  const [header = '', payload = '', signature = ''] = parts;
  if (!BASE64URL.test(signature)) throw malformedTokenError('signature', 'not base64url');
  const claims = decodePart('payload', payload);
  return {
    verified: false,
    header: decodePart('header', header),
    claims,
    lifetime: { issuedAt: toRfc3339(claims['iat']), ...toLifetime(claims['exp'], now) },
    resources: resourcesOf(claims).map((resource) => toGrant(resource, now)),
  };
}

const TOKEN_FORMAT = 'an access token consists of three base64url parts, separated by dots';
const BASE64URL = /^[\w-]*$/;

function decodePart(name: string, part: string): Fields {
  if (part === '' || !BASE64URL.test(part)) throw malformedTokenError(name, 'not base64url');
  let value: unknown;
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    value = nestsDeeperThan(MAX_NESTING, json) ? undefined : JSON.parse(json);
  } catch (error) {
    throw malformedTokenError(name, 'not JSON', error);
  }
  if (value === undefined) throw malformedTokenError(name, `nested more than ${MAX_NESTING} levels deep`);
  if (!isObject(value)) throw malformedTokenError(name, 'not a JSON object');
  return value;
}

function malformedTokenError(part: string, why: string, cause?: unknown): SvcError {
  return new SvcError('bad_data', `not a token: its ${part} is ${why}`, { hint: TOKEN_FORMAT, cause });
}

function resourcesOf({ permissions }: Fields): readonly Fields[] {
  const resources = isObject(permissions) ? permissions['resources'] : undefined;
  return Array.isArray(resources) ? resources.filter(isObject) : [];
}

function toGrant({ type, id, organizationId, accessRole, expiresAt }: Fields, now: number): ResourceGrant {
  return {
    type: type ?? null,
    id: id ?? null,
    organizationId: organizationId ?? null,
    role: accessRole ?? DEFAULT_ACCESS_ROLE,
    ...toLifetime(expiresAt, now),
  };
}

/** @param end Unix seconds */
function toLifetime(end: unknown, now: number) {
  const expiresAt = toRfc3339(end);
  const secondsLeft = expiresAt === null ? null : Math.floor((Number(end) * 1000 - now) / 1000);
  return { expiresAt, secondsLeft, expired: secondsLeft !== null && secondsLeft <= 0 };
}

function toRfc3339(seconds: unknown): string | null {
  const time = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
