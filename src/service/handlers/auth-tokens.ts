import { ServiceError } from '../errors.ts';
import { newToken } from '../secrets.ts';
import type { HandlersOf } from './handler.ts';

export const authTokens: HandlersOf<'auth-tokens'> = {
  'auth-tokens.reset': async ({ database, workspaceId }, { apiKey }) => {
    const key = await database
      .selectFrom('apiKeys')
      .select('id')
      .where('id', '=', apiKey)
      .where('workspaceId', '=', workspaceId)
      .executeTakeFirst();
    if (!key) throw new ServiceError('NOT_FOUND', 'API key not found.');
    const newAuthToken = { token: newToken(), name: 'Default Auth Token', domains: [] };
    await database.deleteFrom('authTokens').where('apiKey', '=', apiKey).execute();
    await database
      .insertInto('authTokens')
      .values({ ...newAuthToken, apiKey, domains: JSON.stringify(newAuthToken.domains) })
      .execute();
    return { data: { apiKey, newAuthToken } };
  },
};
