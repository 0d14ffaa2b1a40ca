import type { Database, Store } from '../store/store.ts';
import { createWorkspace, type WorkspaceCredentials } from './workspaces.ts';

export type LocalCredentials = WorkspaceCredentials;

const LOCAL = {
  name: 'Local workspace',
  apiKeyName: 'Local API key',
  owner: { id: 'local', name: 'Local', email: 'local@localhost', avatar: '' },
};

export async function ensureLocalCredentials(store: Store): Promise<LocalCredentials> {
  const known = await store.read(findCredentials);
  return (
    known ??
    store.write(
      async (database) => (await findCredentials(database)) ?? createWorkspace(database, LOCAL),
    )
  );
}

function findCredentials(database: Database): Promise<LocalCredentials | undefined> {
  return database
    .selectFrom('workspaces')
    .innerJoin('apiKeys', 'apiKeys.workspaceId', 'workspaces.id')
    .innerJoin('authTokens', 'authTokens.apiKey', 'apiKeys.id')
    .select([
      'apiKeys.id as apiKey',
      'authTokens.token as authToken',
      'workspaces.id as workspaceId',
      'workspaces.authToken as workspaceAuthToken',
    ])
    .orderBy('workspaces.key')
    .limit(1)
    .executeTakeFirst();
}
