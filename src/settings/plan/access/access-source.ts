import type { AccessMembership } from '../../../catalog/local/access.ts';
import type { Memberships } from '../../memberships.ts';
import type { OrganizationContent } from './organization-places.ts';

/** The known access to organizations before a plan. */
export interface AccessSource {
  /**
   * Returns the folders and documents of an organization, as far as they are known; undefined if it
   * does not exist.
   */
  readonly readContent: (organizationId: string) => Promise<OrganizationContent | undefined>;
  /** Returns the known memberships of users; without those that are not wanted. */
  readonly readMembers: (
    organizationId: string,
    isWanted: (userId: string, membership: AccessMembership) => boolean,
  ) => Promise<ReadonlyMap<string, Memberships>>;
  /** Whether all members of the organization are known. */
  readonly isComplete: (organizationId: string) => boolean;
  /** Lists the documents in folders whose members are not known. */
  readonly listUnknown: (
    organizationId: string,
    folderIds: readonly string[],
  ) => Promise<readonly string[]>;
}
