import { errors, jwtVerify } from 'jose';
import type { Store } from '../store/store.ts';
import { selectSigningKey } from './access-tokens.ts';

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
