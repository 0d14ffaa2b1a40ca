import { newId, newToken } from './secrets.ts';
import type { Database, Store } from './store/store.ts';

/** What one needs to call the service as the store's own workspace. */
export interface LocalCredentials {
  readonly apiKey: string;
  readonly authToken: string;
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
}

/** The credentials of a store's first workspace, which is made with an API key and random tokens when there is none. */
export async function localCredentials(store: Store): Promise<LocalCredentials> {
  const known = await store.read(findCredentials);
  return known ?? store.write(async (database) => (await findCredentials(database)) ?? createWorkspace(database));
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

async function createWorkspace(database: Database): Promise<LocalCredentials> {
  const credentials: LocalCredentials = {
    apiKey: newId(),
    authToken: newToken(),
    workspaceId: newId(),
    workspaceAuthToken: newToken(),
  };
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = credentials;
  const owner = { ownerId: 'local', ownerName: 'Local', ownerEmail: 'local@localhost', ownerAvatar: '' };
  await database
    .insertInto('workspaces')
    .values({
      id: workspaceId,
      name: 'Local workspace',
      authToken: workspaceAuthToken,
      signingKey: newToken(),
      ...owner,
    })
    .execute();
  await database
    .insertInto('apiKeys')
    .values({ id: apiKey, workspaceId, apiKeyName: 'Local API key', type: 'testing' })
    .execute();
  await database
    .insertInto('authTokens')
    .values({ apiKey, token: authToken, name: 'Default Auth Token', domains: '[]' })
    .execute();
  return credentials;
}
