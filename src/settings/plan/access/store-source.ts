import type { AccessMembership } from '../../../catalog/local/access.ts';
import { readAccessContent, readMembers } from '../../../service/records/access-content.ts';
import { findOrganization } from '../../../service/records/organizations.ts';
import type { Database } from '../../../service/store/store.ts';
import { levelKey } from '../../memberships.ts';
import { toTreeFolder } from './folder-tree.ts';
import type { AccessSource } from './organization-places.ts';

/** Creates a source that reads a store, in which everything is known. */
export function createStoreSource(database: Database, apiKey: string): AccessSource {
  const find = (organizationId: string) => findOrganization({ database, apiKey }, organizationId);
  return {
    readContent: async (organizationId) => {
      const organization = await find(organizationId);
      if (organization === undefined) return undefined;
      const { folders, documents } = await readAccessContent(database, organization);
      const tree = new Map(folders.map((folder) => [folder.folderId, toTreeFolder({ ...folder })]));
      return { organizationId, folders: tree, documents };
    },
    readMembers: async (organizationId, isWanted) => {
      const organization = await find(organizationId);
      const members = new Map<string, Map<string, AccessMembership>>();
      const interned = new Map<string, AccessMembership>();
      const chunks = organization === undefined ? [] : readMembers(database, organization);
      for await (const chunk of chunks) {
        for (const { userId, level, id, role, expiresAt } of chunk) {
          const membership = { level, id, role, expiresAt };
          if (!isWanted(userId, membership)) continue;
          const text = JSON.stringify(membership);
          const shared = interned.get(text) ?? membership;
          interned.set(text, shared);
          const own = members.get(userId) ?? new Map<string, AccessMembership>();
          members.set(userId, own.set(levelKey(shared), shared));
        }
      }
      return members;
    },
    isComplete: () => true,
    listUnknown: async () => [],
  };
}
