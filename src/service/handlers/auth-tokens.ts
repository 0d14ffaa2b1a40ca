import type { WorkspaceCall } from '../calls/call.ts';
import { generateToken } from '../records/secrets.ts';
import { DEFAULT_TOKEN_NAME } from '../records/workspaces.ts';
import { Refusal } from '../store/refusal.ts';
import { prepareDelete, prepareInsert, prepareSelect } from '../store/statements.ts';
import { forgetCached } from '../store/transaction-cache.ts';
import type { HandlersOf } from './handler.ts';

const selectTokens = prepareSelect('authTokens', ['token', 'name', 'domains']);
const insertTokens = prepareInsert('authTokens');
const deleteTokens = prepareDelete('authTokens');
const selectApiKeys = prepareSelect('apiKeys', ['id']);

export const authTokens: HandlersOf<'auth-tokens'> = {
  'auth-tokens.reset': async (call, { apiKey }) => {
    await requireApiKey(call, apiKey);
    const { database } = call;
    const newAuthToken = { token: generateToken(), name: DEFAULT_TOKEN_NAME, domains: [] };
    await deleteTokens(database, { apiKey });
    await insertTokens(database, [
      { ...newAuthToken, apiKey, domains: JSON.stringify(newAuthToken.domains) },
    ]);
    forgetCached(database);
    return { data: { apiKey, newAuthToken } };
  },

  'auth-tokens.list': async (call, { apiKey }) => {
    await requireApiKey(call, apiKey);
    const rows = await selectTokens(call.database, { apiKey });
    return {
      data: {
        apiKey,
        authTokens: rows.map((row) => ({ ...row, domains: JSON.parse(row.domains) })),
      },
    };
  },
};

/** @throws Refusal NOT_FOUND if the workspace does not have this API key */
async function requireApiKey(
  { database, workspaceId }: WorkspaceCall,
  apiKey: string,
): Promise<void> {
  const [key] = await selectApiKeys(database, { id: apiKey, workspaceId });
  if (!key) throw new Refusal('NOT_FOUND', 'API key not found.');
}
