import { DEFAULT_ACCESS_ROLE } from '../../../catalog/access-roles.ts';
import { toEpochSeconds, toExpiry } from '../../../kernel/timestamp.ts';
import type { ExpiringGrant } from '../../access-preview.ts';
import type { Declared } from '../../settings.ts';
import type { Membership } from '../sent.ts';
import { formatEnd } from './access.ts';

/**
 * Finds declared grants that end soon, the earliest first.
 * @param now Unix milliseconds
 * @param within milliseconds from now
 */
export function findExpiring(
  { users = [] }: Declared,
  now: number,
  within: number,
): readonly ExpiringGrant[] {
  const found = ('from' in users ? [] : users).flatMap((record) => {
    const { organizationId, userId: user, memberships = [] } = record;
    return (memberships as readonly Membership[]).flatMap(
      ({ type, id, accessRole: role = DEFAULT_ACCESS_ROLE, expiresAt }) => {
        const end = expiresAt === undefined ? Number.NaN : toExpiry(toEpochSeconds(expiresAt));
        if (!(end > now && end <= now + within)) return [];
        const resource = { type, id, organizationId: String(organizationId) };
        return [{ end, user: String(user), resource, role, expiresAt: formatEnd(end) }];
      },
    );
  });
  return found.toSorted((a, b) => a.end - b.end).map(({ end: _end, ...grant }) => grant);
}
