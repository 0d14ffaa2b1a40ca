import type { WorkspaceCall } from '../call.ts';
import { DEFAULT_TOKEN_NAME } from '../records/workspaces.ts';
import { Refusal } from '../refusal.ts';
import { generateToken } from '../secrets.ts';
import type { HandlersOf } from './handler.ts';

export const authTokens: HandlersOf<'auth-tokens'> = {
  'auth-tokens.reset': async (call, { apiKey }) => {
    await requireApiKey(call, apiKey);
    const { database } = call;
    const newAuthToken = { token: generateToken(), name: DEFAULT_TOKEN_NAME, domains: [] };
    await database.deleteFrom('authTokens').where('apiKey', '=', apiKey).execute();
    await database
      .insertInto('authTokens')
      .values({ ...newAuthToken, apiKey, domains: JSON.stringify(newAuthToken.domains) })
      .execute();
    return { data: { apiKey, newAuthToken } };
  },

  'auth-tokens.list': async (call, { apiKey }) => {
    await requireApiKey(call, apiKey);
    const rows = await call.database
      .selectFrom('authTokens')
      .select(['token', 'name', 'domains'])
      .where('apiKey', '=', apiKey)
      .execute();
    return { data: { apiKey, authTokens: rows.map((row) => ({ ...row, domains: JSON.parse(row.domains) })) } };
  },
};

/** @throws Refusal NOT_FOUND if the workspace does not have this API key */
async function requireApiKey({ database, workspaceId }: WorkspaceCall, apiKey: string): Promise<void> {
  const key = await database
    .selectFrom('apiKeys')
    .select('id')
    .where('id', '=', apiKey)
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst();
  if (!key) throw new Refusal('NOT_FOUND', 'API key not found.');
}
