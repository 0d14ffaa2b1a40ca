import { createWorkspace, readWorkspaceRecord } from '../records/workspaces.ts';
import { Refusal } from '../refusal.ts';
import { generateId } from '../secrets.ts';
import type { Database } from '../store/store.ts';
import type { HandlersOf } from './handler.ts';

export const workspace: HandlersOf<'workspace'> = {
  'workspace.get': async ({ database, workspaceId }) => ({ data: await readWorkspaceRecord(database, workspaceId) }),

  'workspace.create': async ({ database }, { ownerEmail, name = '', workspaceName, avatar = '' }) => {
    if (await hasWorkspace(database, ownerEmail)) {
      throw new Refusal('ALREADY_EXISTS', 'A workspace already exists for this email address');
    }
    const { workspaceId } = await createWorkspace(database, {
      name: workspaceName ?? (name || ownerEmail),
      apiKeyName: 'Default API key',
      owner: { id: generateId(), name, email: ownerEmail, avatar },
    });
    return { data: await readWorkspaceRecord(database, workspaceId) };
  },
};

async function hasWorkspace(database: Database, ownerEmail: string): Promise<boolean> {
  const existing = await database
    .selectFrom('workspaces')
    .select('id')
    .where('ownerEmail', '=', ownerEmail)
    .executeTakeFirst();
  return existing !== undefined;
}
