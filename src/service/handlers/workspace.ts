import type { HandlersOf } from './handler.ts';

export const workspace: HandlersOf<'workspace'> = {
  'workspace.get': async ({ database, workspaceId }) => {
    const found = await database
      .selectFrom('workspaces')
      .selectAll()
      .where('id', '=', workspaceId)
      .executeTakeFirstOrThrow();
    const keys = await database
      .selectFrom('apiKeys')
      .select(['id', 'apiKeyName', 'type'])
      .where('workspaceId', '=', workspaceId)
      .execute();
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
