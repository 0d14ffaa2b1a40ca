import { fieldRefusal } from '../calls/validate.ts';
import { finishMigration, isUnfinished, selectMigrations } from '../records/migrations.ts';
import { generateId } from '../records/secrets.ts';
import { Refusal } from '../store/refusal.ts';
import type { HandlersOf } from './handler.ts';

export const migrations: HandlersOf<'migrations'> = {
  'documents.migrate': async (call, { organizationId, documentId, newDocumentId }) => {
    if (documentId === newDocumentId)
      throw fieldRefusal(['newDocumentId'], 'must differ from documentId');
    const { database, apiKey, now, after } = call;
    const migrationId = generateId();
    await database
      .insertInto('documentMigrations')
      .values({
        migrationId,
        apiKey,
        organizationId,
        documentId,
        newDocumentId,
        status: 'pending',
        createdAt: now,
      })
      .execute();
    after((store) => finishMigration(store, migrationId));
    return { data: { migrationId } };
  },

  'documents.migration-status': async (call, { organizationId, migrationId }) => {
    const { database, apiKey, after } = call;
    const [found] = await selectMigrations(database, { apiKey, organizationId, migrationId });
    if (!found) throw new Refusal('NOT_FOUND', 'Migration not found.');
    // Restarts the migration in case its process was killed.
    if (isUnfinished(found)) after((store) => finishMigration(store, migrationId));
    return { data: { migrationId, status: found.status } };
  },
};
