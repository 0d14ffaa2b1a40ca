import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import { upsertMembers } from '../records/members.ts';
import { ensureOrganization } from '../records/organizations.ts';
import { ensureUser } from '../records/users.ts';
import type { HandlersOf } from './handler.ts';

/** An organization or user that is missing is created, as by adding users; a document or folder may follow later. */
export const permissions: HandlersOf<'permissions'> = {
  'permissions.add': async (call, { user: { userId }, permissions: { resources } }) => {
    const { database, now } = call;
    for (const { type, id, organizationId = id, accessRole = DEFAULT_ACCESS_ROLE, expiresAt } of resources) {
      const isOrganization = type === 'organization';
      const organization = await ensureOrganization(call, isOrganization ? id : organizationId);
      await ensureUser(database, { organization, userId });
      const place = { organization, level: type, resourceId: isOrganization ? '' : id };
      const until = expiresAt === undefined ? null : milliseconds(expiresAt);
      await upsertMembers(database, [{ ...place, userId, accessRole, expiresAt: until, addedAt: now }]);
    }
    return { data: undefined };
  },
};

/** Of seconds; a moment beyond what can be stored is as good as never. */
function milliseconds(seconds: number): number {
  return Math.min(Math.round(seconds * 1000), Number.MAX_SAFE_INTEGER);
}
