import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import { toExpiry } from '../../kernel/timestamp.ts';
import { upsertMembers } from '../records/members.ts';
import { ensureOrganization } from '../records/organizations.ts';
import { ensureUser } from '../records/users.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';

/**
 * Adds memberships. Creates missing organizations and users. Documents and folders do not have to
 * exist.
 */
export const permissions: HandlersOf<'permissions'> = {
  'permissions.add': lockingOnlyRows(async (call, { user, permissions: { resources } }) => {
    const { database, now } = call;
    const { userId } = user;
    for (const {
      type,
      id,
      organizationId = id,
      accessRole = DEFAULT_ACCESS_ROLE,
      expiresAt,
    } of resources) {
      const isOrganization = type === 'organization';
      const organization = await ensureOrganization(call, isOrganization ? id : organizationId);
      await ensureUser(database, { organization, userId });
      const target = { organization, level: type, resourceId: isOrganization ? '' : id };
      const expiry = expiresAt === undefined ? null : toExpiry(expiresAt);
      await upsertMembers(database, [
        { ...target, userId, accessRole, expiresAt: expiry, addedAt: now },
      ]);
    }
    return { data: undefined };
  }),
};
