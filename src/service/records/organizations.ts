import type { Insertable } from 'kysely';
import type { KeyCall } from '../call.ts';
import { invalidArgument } from '../refusal.ts';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';

const keyOfOrganization = prepared((database, given: { readonly apiKey: string; readonly organizationId: string }) =>
  database
    .selectFrom('organizations')
    .select('key')
    .where('apiKey', '=', given.apiKey)
    .where('organizationId', '=', given.organizationId),
);

/** Adds the organizations that do not exist yet, and tells which those are. */
export const insertOrganizations = prepared((database, rows: readonly Insertable<Tables['organizations']>[]) =>
  database
    .insertInto('organizations')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['apiKey', 'organizationId']).doNothing())
    .returning(['key', 'organizationId']),
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
  const [created] = await insertOrganizations(database, [{ apiKey, organizationId, createdAt: now }]);
  if (!created) throw new TypeError('an insertion gave no key');
  return created.key;
}

/** @throws Refusal INVALID_ARGUMENT where there is no such organization. */
export async function requireOrganization(call: KeyCall, organizationId: string): Promise<number> {
  const known = await findOrganization(call, organizationId);
  if (known === undefined) throw invalidArgument('Organization not found.');
  return known;
}
