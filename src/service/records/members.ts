import { prepareSelect, prepareUpdate, prepareUpsert } from '../store/statements.ts';
import type { MemberLevel } from '../store/tables.ts';

/**
 * An organization, folder, or document that users are members of. Membership on one level does not
 * imply another.
 */
export interface MembershipTarget {
  readonly organization: number;
  readonly level: MemberLevel;
  readonly resourceId: string;
}

/**
 * Adds or updates memberships. Without a new role, keeps the old one. Always replaces the expiry.
 */
export const upsertMembers = prepareUpsert(
  'members',
  ['organization', 'level', 'resourceId', 'userId'],
  {
    merged: ['accessRole'],
    replaced: ['expiresAt'],
  },
);

export const selectMembers = prepareSelect('members', ['userId']);
export const updateMembers = prepareUpdate('members');
