import type { Insertable } from 'kysely';
import { invalidArgument } from '../refusal.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** Adds the groups that do not exist yet, and tells which those are. */
export const insertGroups = prepared((database, rows: readonly Insertable<Tables['userGroups']>[]) =>
  database
    .insertInto('userGroups')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['organization', 'groupId']).doNothing())
    .returning('groupId'),
);

/** Adds users to groups; who is in one already stays there. */
export const insertGroupMembers = prepared((database, rows: readonly Insertable<Tables['userGroupMembers']>[]) =>
  database
    .insertInto('userGroupMembers')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
);

const selectGroup = prepared((database, given: { readonly organization: number; readonly groupId: string }) =>
  database
    .selectFrom('userGroups')
    .select('groupId')
    .where('organization', '=', given.organization)
    .where('groupId', '=', given.groupId),
);

/** @throws Refusal INVALID_ARGUMENT where the organization has no such group. */
export async function requireGroup(database: Database, organization: number, groupId: string): Promise<void> {
  const [found] = await selectGroup(database, { organization, groupId });
  if (!found) throw invalidArgument('Organization user group not found.');
}
