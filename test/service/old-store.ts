import { sql } from 'kysely';
import type { Database } from '../../src/service/store/store.ts';

/** Removes what the migration to version 7 adds, so that a test can run it. */
export async function dropFailureColumns(database: Database): Promise<void> {
  await sql`alter table deliveries drop column reason`.execute(database);
  await sql`alter table deliveries drop column "retryPeriod"`.execute(database);
  await sql`alter table endpoints drop column "failingReason"`.execute(database);
}

/** Adds the API key `k`. */
export async function addKey(database: Database): Promise<void> {
  const owner = { ownerId: '', ownerName: '', ownerEmail: '', ownerAvatar: '' };
  await database
    .insertInto('workspaces')
    .values({ id: 'w', name: '', authToken: '', signingKey: '', ...owner })
    .execute();
  await database
    .insertInto('apiKeys')
    .values({ id: 'k', workspaceId: 'w', apiKeyName: '', type: '' })
    .execute();
}
