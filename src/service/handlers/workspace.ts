import { createWorkspace, workspaceRecord } from '../records/workspaces.ts';
import { Refusal } from '../refusal.ts';
import { newId } from '../secrets.ts';
import type { Database } from '../store/store.ts';
import type { HandlersOf } from './handler.ts';

export const workspace: HandlersOf<'workspace'> = {
  'workspace.get': async ({ database, workspaceId }) => ({ data: await workspaceRecord(database, workspaceId) }),

  'workspace.create': async ({ database }, { ownerEmail, name = '', workspaceName, avatar = '' }) => {
    if (await isOwner(database, ownerEmail)) {
      throw new Refusal('ALREADY_EXISTS', 'A workspace already exists for this email address');
    }
    const { workspaceId } = await createWorkspace(database, {
      name: workspaceName ?? (name || ownerEmail),
      apiKeyName: 'Default API key',
      owner: { id: newId(), name, email: ownerEmail, avatar },
    });
    return { data: await workspaceRecord(database, workspaceId) };
  },
};

async function isOwner(database: Database, ownerEmail: string): Promise<boolean> {
  const known = await database
    .selectFrom('workspaces')
    .select('id')
    .where('ownerEmail', '=', ownerEmail)
    .executeTakeFirst();
  return known !== undefined;
}
