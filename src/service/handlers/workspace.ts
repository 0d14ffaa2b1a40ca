import { prepared } from '../store/prepared.ts';
import type { HandlersOf } from './handler.ts';

const selectWorkspace = prepared((database, { workspaceId }: { readonly workspaceId: string }) =>
  database.selectFrom('workspaces').selectAll().where('id', '=', workspaceId),
);

const selectKeys = prepared((database, { workspaceId }: { readonly workspaceId: string }) =>
  database.selectFrom('apiKeys').select(['id', 'apiKeyName', 'type']).where('workspaceId', '=', workspaceId),
);

export const workspace: HandlersOf<'workspace'> = {
  'workspace.get': async ({ database, workspaceId }) => {
    const [found] = await selectWorkspace(database, { workspaceId });
    if (!found) throw new TypeError('the workspace of an authenticated call is gone');
    const keys = await selectKeys(database, { workspaceId });
    const apiKeyList: Record<string, (typeof keys)[number]> = Object.create(null);
    for (const key of keys) apiKeyList[key.id] = key;
    return {
      data: {
        id: found.id,
        name: found.name,
        owner: { email: found.ownerEmail, id: found.ownerId, name: found.ownerName, avatar: found.ownerAvatar },
        authToken: found.authToken,
        apiKeyList,
      },
    };
  },
};
