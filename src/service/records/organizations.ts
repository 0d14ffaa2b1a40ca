import type { KeyCall, KeyScope } from '../calls/call.ts';
import { invalidArgument } from '../store/refusal.ts';
import { prepareInsert, prepareSelect } from '../store/statements.ts';
import { loadOnce } from '../store/transaction-cache.ts';

const selectOrganizationKey = prepareSelect('organizations', ['key']);
export const insertOrganizations = prepareInsert(
  'organizations',
  ['apiKey', 'organizationId'],
  ['key', 'organizationId'],
);

export async function findOrganization(
  { database, apiKey }: KeyScope,
  organizationId: string,
): Promise<number | undefined> {
  return loadOnce(database, `organization ${organizationId} of ${apiKey}`, async () => {
    const [found] = await selectOrganizationKey(database, { apiKey, organizationId });
    return found?.key;
  });
}

export async function ensureOrganization(call: KeyCall, organizationId: string): Promise<number> {
  const existing = await findOrganization(call, organizationId);
  if (existing !== undefined) return existing;
  const { database, apiKey, now } = call;
  const [created] = await insertOrganizations(database, [
    { apiKey, organizationId, createdAt: now },
  ]);
  if (created) return created.key;
  // Another call has just created the organization.
  const found = await findOrganization(call, organizationId);
  if (found === undefined) throw new TypeError('the insert returned no key');
  return found;
}

/** @throws Refusal INVALID_ARGUMENT if the organization does not exist */
export async function requireOrganization(call: KeyCall, organizationId: string): Promise<number> {
  const existing = await findOrganization(call, organizationId);
  if (existing === undefined) throw invalidArgument('Organization not found.');
  return existing;
}
