import { prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import { generateId, generateSigningKey, generateToken } from './secrets.ts';

export interface NewWorkspace {
  readonly name: string;
  readonly apiKeyName: string;
  readonly owner: {
    readonly id: string;
    readonly name: string;
    readonly email: string;
    readonly avatar: string;
  };
}

export interface WorkspaceCredentials {
  readonly apiKey: string;
  readonly authToken: string;
  readonly workspaceId: string;
  readonly workspaceAuthToken: string;
}

export const DEFAULT_TOKEN_NAME = 'Default Auth Token';

export async function createWorkspace(
  database: Database,
  { name, apiKeyName, owner }: NewWorkspace,
): Promise<WorkspaceCredentials> {
  const [apiKey, authToken] = [generateId(), generateToken()];
  const [workspaceId, workspaceAuthToken] = [generateId(), generateToken()];
  const columns = {
    ownerId: owner.id,
    ownerName: owner.name,
    ownerEmail: owner.email,
    ownerAvatar: owner.avatar,
  };
  await database
    .insertInto('workspaces')
    .values({
      id: workspaceId,
      name,
      authToken: workspaceAuthToken,
      signingKey: generateSigningKey(),
      ...columns,
    })
    .execute();
  await database
    .insertInto('apiKeys')
    .values({ id: apiKey, workspaceId, apiKeyName, type: 'testing' })
    .execute();
  await database
    .insertInto('authTokens')
    .values({ apiKey, token: authToken, name: DEFAULT_TOKEN_NAME, domains: '[]' })
    .execute();
  return { apiKey, authToken, workspaceId, workspaceAuthToken };
}

const selectKeys = prepareSelect('apiKeys', ['id', 'apiKeyName', 'type']);

export async function readWorkspaceRecord(database: Database, workspaceId: string) {
  const found = await database
    .selectFrom('workspaces')
    .selectAll()
    .where('id', '=', workspaceId)
    .executeTakeFirst();
  if (!found) throw new TypeError(`workspace ${workspaceId} does not exist`);
  const keys = await selectKeys(database, { workspaceId });
  const apiKeyList: Record<string, (typeof keys)[number]> = Object.create(null);
  for (const key of keys) apiKeyList[key.id] = key;
  return {
    id: found.id,
    name: found.name,
    owner: {
      email: found.ownerEmail,
      id: found.ownerId,
      name: found.ownerName,
      avatar: found.ownerAvatar,
    },
    authToken: found.authToken,
    apiKeyList,
  };
}
