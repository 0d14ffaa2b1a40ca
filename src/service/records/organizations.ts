import { invalidArgument } from '../errors.ts';
import type { KeyCall } from '../handlers/handler.ts';
import { prepared } from '../store/prepared.ts';

const keyOfOrganization = prepared((database, given: { readonly apiKey: string; readonly organizationId: string }) =>
  database
    .selectFrom('organizations')
    .select('key')
    .where('apiKey', '=', given.apiKey)
    .where('organizationId', '=', given.organizationId),
);

/** The surrogate key of an organization of the caller's, or `undefined` where there is none. */
export async function findOrganization(call: KeyCall, organizationId: string): Promise<number | undefined> {
  const [found] = await keyOfOrganization(call.database, { apiKey: call.apiKey, organizationId });
  return found?.key;
}

/** As `findOrganization`; one that is missing is created. */
export async function ensureOrganization(call: KeyCall, organizationId: string): Promise<number> {
  const known = await findOrganization(call, organizationId);
  if (known !== undefined) return known;
  const { database, apiKey, now } = call;
  const created = await database
    .insertInto('organizations')
    .values({ apiKey, organizationId, createdAt: now })
    .returning('key')
    .executeTakeFirstOrThrow();
  return created.key;
}

/** @throws ServiceError INVALID_ARGUMENT where there is no such organization. */
export async function requireOrganization(call: KeyCall, organizationId: string): Promise<number> {
  const known = await findOrganization(call, organizationId);
  if (known === undefined) throw invalidArgument('Organization not found.');
  return known;
}
