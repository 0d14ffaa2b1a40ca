import { upperFirst } from '../../kernel/first-letter.ts';
import { generateId } from '../records/secrets.ts';
import { createWorkspace, readWorkspaceRecord } from '../records/workspaces.ts';
import { Refusal } from '../store/refusal.ts';
import { prepareSelect } from '../store/statements.ts';
import type { HandlersOf } from './handler.ts';

const selectWorkspaces = prepareSelect('workspaces', ['id']);

export const workspace: HandlersOf<'workspace'> = {
  'workspace.get': async ({ database, workspaceId }) => ({
    data: await readWorkspaceRecord(database, workspaceId),
  }),

  'workspace.create': async (
    { database },
    { ownerEmail, name = ownerEmail, workspaceName, avatar = '' },
  ) => {
    if ((await selectWorkspaces(database, { ownerEmail })).length > 0)
      throw new Refusal('ALREADY_EXISTS', 'A workspace already exists for this email address');
    const { workspaceId } = await createWorkspace(database, {
      name: workspaceName || `${name} workspace`,
      apiKeyName: `${upperFirst(localPartOf(ownerEmail))} Test API Key`,
      owner: { id: generateId(), name, email: ownerEmail, avatar },
    });
    return { data: await readWorkspaceRecord(database, workspaceId) };
  },
};

/** Returns the part of an email address before the `@`. */
function localPartOf(email: string): string {
  return email.split('@', 1)[0] ?? '';
}
