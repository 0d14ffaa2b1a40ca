import { prepareQuery } from '../store/prepared-query.ts';
import type { MemberLevel } from '../store/tables.ts';
import { prepareUpsert } from '../store/upsert.ts';

/** The organization, folder, or document that users are members of. Membership on one level does not imply another. */
export interface MembershipTarget {
  readonly organization: number;
  readonly level: MemberLevel;
  /** The document's or folder's ID; empty at the organization level. */
  readonly resourceId: string;
}

/** Adds or updates memberships. An update without a role keeps the old role. The expiry is always replaced. */
export const upsertMembers = prepareUpsert('members', ['organization', 'level', 'resourceId', 'userId'], {
  merged: ['accessRole'],
  replaced: ['expiresAt'],
});

/** Selects the users that are members of the target. */
export const selectMembers = prepareQuery(
  (database, filter: MembershipTarget & { readonly userIds: readonly string[] }) =>
    database
      .selectFrom('members')
      .select('userId')
      .where('organization', '=', filter.organization)
      .where('level', '=', filter.level)
      .where('resourceId', '=', filter.resourceId)
      .where('userId', 'in', filter.userIds),
);

/** Changes the role of the users that are members of the target. */
export const updateMemberRoles = prepareQuery(
  (database, update: MembershipTarget & { readonly accessRole: string; readonly userIds: readonly string[] }) =>
    database
      .updateTable('members')
      .set({ accessRole: update.accessRole })
      .where('organization', '=', update.organization)
      .where('level', '=', update.level)
      .where('resourceId', '=', update.resourceId)
      .where('userId', 'in', update.userIds),
);
