import { prepareQuery } from '../store/prepared-query.ts';
import type { MemberLevel } from '../store/tables.ts';
import { prepareUpsert } from '../store/upsert.ts';

/** An organization, folder, or document that users are members of. Membership on one level does not imply another. */
export interface MembershipTarget {
  readonly organization: number;
  readonly level: MemberLevel;
  /** ID of the folder or document. Empty for the organization. */
  readonly resourceId: string;
}

/** Adds or updates memberships. Without a new role, keeps the old one. Always replaces the expiry. */
export const upsertMembers = prepareUpsert('members', ['organization', 'level', 'resourceId', 'userId'], {
  merged: ['accessRole'],
  replaced: ['expiresAt'],
});

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

/** Changes the role of members. */
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
