import { newId, newSigningKey, newToken } from '../secrets.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';

export interface NewWorkspace {
  readonly name: string;
  readonly apiKeyName: string;
  readonly owner: { readonly id: string; readonly name: string; readonly email: string; readonly avatar: string };
}

/** What one needs to call the service as a workspace, and with its API key. */
export interface Credentials {
  readonly apiKey: string;
  readonly authToken: string;
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
}

/** What an API key's one token is called, here and after a reset. */
export const DEFAULT_TOKEN_NAME = 'Default Auth Token';

/** Makes a workspace with an API key and random tokens. */
export async function createWorkspace(
  database: Database,
  { name, apiKeyName, owner }: NewWorkspace,
): Promise<Credentials> {
  const credentials = {
    apiKey: newId(),
    authToken: newToken(),
    workspaceId: newId(),
    workspaceAuthToken: newToken(),
  };
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = credentials;
  const columns = { ownerId: owner.id, ownerName: owner.name, ownerEmail: owner.email, ownerAvatar: owner.avatar };
  await database
    .insertInto('workspaces')
    .values({ id: workspaceId, name, authToken: workspaceAuthToken, signingKey: newSigningKey(), ...columns })
    .execute();
  await database.insertInto('apiKeys').values({ id: apiKey, workspaceId, apiKeyName, type: 'testing' }).execute();
  await database
    .insertInto('authTokens')
    .values({ apiKey, token: authToken, name: DEFAULT_TOKEN_NAME, domains: '[]' })
    .execute();
  return credentials;
}

const selectWorkspace = prepared((database, { workspaceId }: { readonly workspaceId: string }) =>
  database.selectFrom('workspaces').selectAll().where('id', '=', workspaceId),
);

const selectKeys = prepared((database, { workspaceId }: { readonly workspaceId: string }) =>
  database.selectFrom('apiKeys').select(['id', 'apiKeyName', 'type']).where('workspaceId', '=', workspaceId),
);

/** A workspace that is known to exist, with its API keys under their ids. */
export async function workspaceRecord(database: Database, workspaceId: string) {
  const [found] = await selectWorkspace(database, { workspaceId });
  if (!found) throw new TypeError('a workspace that was there is gone');
  const keys = await selectKeys(database, { workspaceId });
  const apiKeyList: Record<string, (typeof keys)[number]> = Object.create(null);
  for (const key of keys) apiKeyList[key.id] = key;
  return {
    id: found.id,
    name: found.name,
    owner: { email: found.ownerEmail, id: found.ownerId, name: found.ownerName, avatar: found.ownerAvatar },
    authToken: found.authToken,
    apiKeyList,
  };
}
