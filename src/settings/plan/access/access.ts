import { ACCESS_ROLES, DEFAULT_ACCESS_ROLE } from '../../../catalog/access-roles.ts';
import type { AccessMembership } from '../../../catalog/local/access.ts';
import { toEpochSeconds, toExpiry } from '../../../kernel/timestamp.ts';
import type { Access, ExpiringGrant } from '../../access-preview.ts';
import type { Declared } from '../../settings.ts';
import type { Membership } from '../sent.ts';

export interface GrantedAccess {
  readonly access: Access;
  readonly through: AccessMembership;
}

/**
 * Summarizes the memberships that grant access: the strongest role, when it ends, and what remains
 * then.
 */
export function summarizeAccess(via: readonly AccessMembership[]): GrantedAccess | undefined {
  let granted: (GrantedAccess & { readonly end: number }) | undefined;
  // From the weakest role to the strongest, each of which hides what ends before it.
  for (const role of ACCESS_ROLES) {
    const own = via.filter((membership) => membership.role === role);
    const [first, ...others] = own;
    if (!first) continue;
    const through = others.reduce(
      (latest, membership) => (endOf(membership) > endOf(latest) ? membership : latest),
      first,
    );
    const end = endOf(through);
    const access = {
      role,
      expiresAt: Number.isFinite(end) ? formatEnd(end) : null,
      ...(granted && granted.end > end && { afterward: granted.access }),
    };
    granted = { access, through, end };
  }
  return granted;
}

function endOf({ expiresAt }: AccessMembership): number {
  return expiresAt ?? Number.POSITIVE_INFINITY;
}

/** Latest time that a `Date` can hold. */
const MAX_TIME = 8.64e15;

function formatEnd(milliseconds: number): string {
  return new Date(Math.min(milliseconds, MAX_TIME)).toISOString();
}

export function isSameAccess(left: Access | undefined, right: Access | undefined): boolean {
  if (!left || !right) return left === right;
  return (
    left.role === right.role &&
    left.expiresAt === right.expiresAt &&
    isSameAccess(left.afterward, right.afterward)
  );
}

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
