import type { Insertable } from 'kysely';
import { invalidArgument } from '../refusal.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** Adds groups that do not exist, and returns their IDs. */
export const insertGroups = prepareQuery((database, rows: readonly Insertable<Tables['userGroups']>[]) =>
  database
    .insertInto('userGroups')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['organization', 'groupId']).doNothing())
    .returning('groupId'),
);

/** Adds users to groups. Ignores existing members. */
export const insertGroupMembers = prepareQuery((database, rows: readonly Insertable<Tables['userGroupMembers']>[]) =>
  database
    .insertInto('userGroupMembers')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
);

const selectGroup = prepareQuery((database, filter: { readonly organization: number; readonly groupId: string }) =>
  database
    .selectFrom('userGroups')
    .select('groupId')
    .where('organization', '=', filter.organization)
    .where('groupId', '=', filter.groupId),
);

/** @throws Refusal INVALID_ARGUMENT if the group does not exist in the organization */
export async function requireGroup(database: Database, organization: number, groupId: string): Promise<void> {
  const [found] = await selectGroup(database, { organization, groupId });
  if (!found) throw invalidArgument('Organization user group not found.');
}
