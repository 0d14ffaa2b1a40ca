import { errors, jwtVerify, SignJWT } from 'jose';
import { sql } from 'kysely';
import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import { ACCESS_TOKEN_SECONDS } from '../../catalog/access-tokens.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database, Store } from '../store/store.ts';
import type { HandlersOf } from './handler.ts';

export const selectSigningKey = prepareQuery(
  (_, { apiKey }: { readonly apiKey: string }) => sql<{ signingKey: string }>`
    select "signingKey" from "apiKeys" join workspaces on workspaces.id = "workspaceId" where "apiKeys".id = ${apiKey}`,
);

/** Counts a token until it expires, so that advancing the clock can report it. */
async function countToken(
  database: Database,
  { expiresAt, now }: { readonly expiresAt: number; readonly now: number },
) {
  const added = database.insertInto('issuedTokens').values({ expiresAt, count: 1 });
  const count = sql<number>`${sql.ref('issuedTokens.count')} + 1`;
  await added
    .onConflict((conflict) => conflict.column('expiresAt').doUpdateSet({ count }))
    .execute();
  await database.deleteFrom('issuedTokens').where('expiresAt', '<=', now).execute();
}

export const accessTokens: HandlersOf<'access-tokens'> = {
  'access-tokens.generate': async (
    { database, apiKey, now, after },
    { userId, userProperties, permissions },
  ) => {
    const [key] = await selectSigningKey(database, { apiKey });
    if (!key) throw new TypeError(`no workspace for API key ${apiKey}`);
    const { name, email, isAdmin = false } = userProperties;
    const resources = permissions.resources.map((resource) => ({
      accessRole: DEFAULT_ACCESS_ROLE,
      ...resource,
    }));
    const issuedAt = Math.floor(now / 1000);
    const token = await new SignJWT({ name, email, isAdmin, permissions: { resources } })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer('svc')
      .setSubject(userId)
      .setAudience(apiKey)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
      .sign(Buffer.from(key.signingKey, 'base64url'));
    const expiresAt = (issuedAt + ACCESS_TOKEN_SECONDS) * 1_000;
    after((store) => store.writeRelaxed((relaxed) => countToken(relaxed, { expiresAt, now })));
    return { data: { token } };
  },
};

/** Returns the reason why the service rejects an access token. Undefined for a valid token. */
export async function verifyAccessToken(
  store: Store,
  { apiKey, now }: { readonly apiKey: string; readonly now: number },
  token: string,
): Promise<string | undefined> {
  const [key] = await store.read((database) => selectSigningKey(database, { apiKey }));
  const options = {
    issuer: 'svc',
    audience: apiKey,
    algorithms: ['HS256'],
    currentDate: new Date(now),
  };
  try {
    await jwtVerify(token, Buffer.from(key?.signingKey ?? '', 'base64url'), options);
    return undefined;
  } catch (error) {
    if (error instanceof errors.JWTExpired)
      return `it expired at ${new Date(Number(error.payload.exp) * 1_000).toISOString()}`;
    if (error instanceof errors.JOSEError) return 'it was not issued by this service';
    throw error;
  }
}
