import * as z from 'zod/mini';
import { quoteId } from '../kernel/id-text.ts';
import { defineOperation } from './define.ts';
import { documentId, id, organizationId } from './fields.ts';
import { SAMPLE_DOCUMENT, SAMPLE_ORG } from './sample-data.ts';

/** How `--wait` tracks a migration, which continues after the call that starts it. */
const wait = {
  status: 'documents.migration-status',
  inputFields: ['organizationId', 'migrationId'],
  state: 'status',
  succeeded: 'completed',
  failed: 'failed',
};

export const migrations = {
  'documents.migrate': defineOperation('documents.migrate', {
    summary: 'Migrate a document and its data to a new document ID',
    description: 'The migration runs in the background.',
    examples: {
      'svc documents migrate --org acme --document d1 --new-document d9 --wait --yes':
        'migrate a document and wait until it finishes',
    },
    path: '/v2/organizations/documents/migrate',
    effect: 'once',
    input: z.object({ organizationId, documentId, newDocumentId: id('new document ID') }),
    output: z.looseObject({ migrationId: z.string() }),
    message: 'Document migration started successfully.',
    confirm: ({ documentId, newDocumentId }) =>
      `Migrate document ${quoteId(documentId)} and its data to ${quoteId(newDocumentId)}?`,
    quietValue: ({ migrationId }) => migrationId,
    lookup: {
      operation: 'documents.list',
      inputFields: { organizationId: 'organizationId', documentIds: 'newDocumentId' },
      interpretation: 'if the new document exists, the migration was started',
    },
    wait,
    decision: 'a migration is pending, in_progress, then completed or failed',
    settings: { notSettings: 'a migration moves content once' },
    sample: () => ({ ...SAMPLE_DOCUMENT, newDocumentId: 'd9' }),
  }),
  'documents.migration-status': defineOperation('documents.migration-status', {
    summary: 'Show the status of a migration',
    path: '/v2/organizations/documents/migrate/status',
    effect: 'read',
    input: z.object({ organizationId, migrationId: id('migration ID') }),
    output: z.looseObject({ migrationId: z.string(), status: z.string() }),
    message: 'Migration status retrieved successfully.',
    quietValue: ({ status }) => status,
    wait,
    decision: 'a migration is pending, in_progress, then completed or failed',
    settings: 'read',
    sample: ({ last }) => ({ ...SAMPLE_ORG, migrationId: last('migrationId') }),
  }),
};
