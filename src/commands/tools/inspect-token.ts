import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import type { Column } from '../../catalog/define.ts';
import { SvcError } from '../../kernel/errors.ts';
import { type Fields, isObject } from '../../kernel/json.ts';
import { MAX_NESTING, nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatDuration } from '../../output/quantities.ts';
import type { View } from '../../output/renderer.ts';
import { readArgument } from '../call/data-argument.ts';
import { withStore } from '../connection/embedded-store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';

export async function inspectTokenCommand(
  context: Context,
  { arguments: [given = ''] }: Invocation,
): Promise<void> {
  const { text } = given === '-' ? await readArgument(context, given) : { text: given };
  const token = context.options.local
    ? await verifyToken(context, text.trim())
    : parseAccessToken(text, context.clock.now());
  const printer = await context.printer();
  await printer.value(token, { renderText: (view) => renderToken(token, view) });
  if (!token.verified)
    await context.warn('the signature is not verified: anyone can create such a token');
}

/** @throws SvcError `unauthenticated` if the embedded service rejects the token */
async function verifyToken(context: Context, text: string) {
  const { verifyAccessToken } = await import('../../service/handlers/access-tokens.ts');
  const { token, problem } = await withStore(context, 'read', async (store, apiKey, { time }) => ({
    token: parseAccessToken(text, time.now()),
    problem: await verifyAccessToken(store, { apiKey, now: time.now() }, text),
  }));
  if (problem)
    throw new SvcError('unauthenticated', `the embedded service rejects the token: ${problem}`);
  return { ...token, verified: true };
}

const SHOWN_SEPARATELY = new Set(['iat', 'exp', 'permissions']);

const COLUMNS: readonly Column[] = [
  { header: 'TYPE', field: 'type' },
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'ORGANIZATION', field: 'organizationId', kind: 'whole' },
  { header: 'ROLE', field: 'role' },
  { header: 'ACCESS ENDS', field: 'ends' },
];

async function renderToken(
  { claims, lifetime, resources }: AccessToken,
  view: View,
): Promise<string> {
  const { createTableRenderer, renderTable } = await import('../../output/table.ts');
  const otherClaims = Object.entries(claims).filter(([name]) => !SHOWN_SEPARATELY.has(name));
  const fields = {
    ...Object.fromEntries(otherClaims),
    issued: lifetime.issuedAt ?? 'unknown',
    lifetime: describeLifetime(lifetime),
  };
  const head = await (await createTableRenderer(view)).value(fields);
  if (resources.length === 0) return `${head}\nThe token grants access to no resources.\n`;
  const rows = resources.map((resource) => ({
    ...resource,
    ends: resource.expiresAt === null ? 'with the token' : describeLifetime(resource),
  }));
  return `${head}\n${await renderTable(rows, { ...view, columns: COLUMNS })}`;
}

function describeLifetime({ expiresAt, secondsLeft, expired }: TokenLifetime): string {
  if (expiresAt === null || secondsLeft === null) return 'never ends';
  return expired
    ? `ended ${expiresAt}, ${formatDuration(-secondsLeft)} ago`
    : `ends ${expiresAt}, in ${formatDuration(secondsLeft)}`;
}

/** A lifetime. Times are RFC 3339, or null if the token does not contain them. */
type TokenLifetime = ReturnType<typeof toLifetime>;
type AccessToken = ReturnType<typeof parseAccessToken>;

/**
 * Parses a JSON Web Token.
 * @throws SvcError `invalid_input`. The message contains no part of the token.
 */
export function parseAccessToken(text: string, now: number) {
  const parts = text.trim().split('.');
  if (parts.length !== 3) {
    const hint =
      parts.length === 5
        ? 'the token is encrypted, and only its recipient can read it'
        : TOKEN_FORMAT;
    const problem = `it has ${formatNounCount(parts.length, 'part')} instead of 3`;
    throw new SvcError('invalid_input', `not a signed token: ${problem}`, { hint });
  }
  const [header = '', payload = '', signature = ''] = parts;
  if (!BASE64URL.test(signature)) throw createMalformedTokenError('signature', 'not base64url');
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
  if (part === '' || !BASE64URL.test(part)) throw createMalformedTokenError(name, 'not base64url');
  let value: unknown;
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    value = nestsDeeperThan(MAX_NESTING, json) ? undefined : JSON.parse(json);
  } catch (error) {
    throw createMalformedTokenError(name, 'not JSON', error);
  }
  if (value === undefined)
    throw createMalformedTokenError(name, `nested more than ${MAX_NESTING} levels deep`);
  if (!isObject(value)) throw createMalformedTokenError(name, 'not a JSON object');
  return value;
}

function createMalformedTokenError(part: string, why: string, cause?: unknown): SvcError {
  return new SvcError('invalid_input', `not a token: its ${part} is ${why}`, {
    hint: TOKEN_FORMAT,
    cause,
  });
}

function resourcesOf({ permissions }: Fields): readonly Fields[] {
  const resources = isObject(permissions) ? permissions['resources'] : undefined;
  return Array.isArray(resources) ? resources.filter(isObject) : [];
}

function toGrant({ type, id, organizationId, accessRole, expiresAt }: Fields, now: number) {
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
