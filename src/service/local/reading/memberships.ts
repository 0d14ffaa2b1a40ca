import type { StoredRecord } from '../../../catalog/local/answers.ts';
import { findOrganization } from '../../records/organizations.ts';
import type { Store } from '../../store/store.ts';
import { STORED_KINDS, type StoredKind, toRecord } from './kinds.ts';
import { selectRows } from './list.ts';

interface MembershipQuery {
  readonly apiKey: string;
  /** Time of the service's clock, which decides whether a membership has expired. */
  readonly now: number;
  readonly organizationId: string;
  readonly userId: string;
}

/** Reads the profile, the memberships, and the groups of a user in an organization. */
export function readMembershipsOf(
  store: Store,
  { apiKey, now, organizationId, userId }: MembershipQuery,
) {
  return store.read(async (database) => {
    const scope = { database, apiKey };
    const organization = await findOrganization(scope, organizationId);
    const read = async (kind: StoredKind): Promise<readonly StoredRecord[]> => {
      if (organization === undefined) return [];
      const query = { equals: { userId }, limit: Number.MAX_SAFE_INTEGER };
      const rows = await selectRows(scope, kind, query, organization);
      return rows.map((row) => (kind.toRecord ?? toRecord)(row, now));
    };
    return {
      profile: await read(STORED_KINDS.users),
      memberships: await read(STORED_KINDS.permissions),
      groups: await read(STORED_KINDS['group-members']),
      presence: await read(STORED_KINDS.presence),
    };
  });
}
