import type { Insertable } from 'kysely';
import type { KeyCall } from '../call.ts';
import { invalidArgument } from '../refusal.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Tables } from '../store/tables.ts';

const selectOrganizationKey = prepareQuery(
  (database, filter: { readonly apiKey: string; readonly organizationId: string }) =>
    database
      .selectFrom('organizations')
      .select('key')
      .where('apiKey', '=', filter.apiKey)
      .where('organizationId', '=', filter.organizationId),
);

/** Adds organizations that do not exist, and returns their keys and IDs. */
export const insertOrganizations = prepareQuery((database, rows: readonly Insertable<Tables['organizations']>[]) =>
  database
    .insertInto('organizations')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['apiKey', 'organizationId']).doNothing())
    .returning(['key', 'organizationId']),
);

/** Returns the surrogate key of an organization. Returns `undefined` if the organization does not exist. */
export async function findOrganization(call: KeyCall, organizationId: string): Promise<number | undefined> {
  const [found] = await selectOrganizationKey(call.database, { apiKey: call.apiKey, organizationId });
  return found?.key;
}

/** Returns the surrogate key of an organization. Creates the organization if it does not exist. */
export async function ensureOrganization(call: KeyCall, organizationId: string): Promise<number> {
  const existing = await findOrganization(call, organizationId);
  if (existing !== undefined) return existing;
  const { database, apiKey, now } = call;
  const [created] = await insertOrganizations(database, [{ apiKey, organizationId, createdAt: now }]);
  if (!created) throw new TypeError('the insert returned no key');
  return created.key;
}

/** @throws Refusal INVALID_ARGUMENT if the organization does not exist */
export async function requireOrganization(call: KeyCall, organizationId: string): Promise<number> {
  const existing = await findOrganization(call, organizationId);
  if (existing === undefined) throw invalidArgument('Organization not found.');
  return existing;
}
