import * as z from 'zod';
import { defineOperation } from './define.ts';
import { documentId, id, organizationId } from './fields.ts';

/** A migration goes on after the call that started it. */
const wait = {
  status: 'documents.migration-status',
  by: ['organizationId', 'migrationId'],
  state: 'status',
  succeeded: 'completed',
  failed: 'failed',
};

const WAITING =
  'With --wait it stays until the end: the exit code is 0 when the migration completed, and 10 when it failed.';

export const migrations = {
  'documents.migrate': defineOperation({
    command: ['documents', 'migrate'],
    summary: 'Move everything of a document to a new id',
    description: `The service goes on moving after its reply. ${WAITING}`,
    examples: [
      {
        command: 'svc documents migrate --org acme --document d1 --new-document d9 --wait --yes',
        does: 'and wait for the end',
      },
    ],
    path: '/v2/organizations/documents/migrate',
    auth: 'key',
    effect: 'once',
    input: z.object({ organizationId, documentId, newDocumentId: id('id the document gets') }),
    output: z.looseObject({ migrationId: z.string() }),
    message: 'Document migration started successfully.',
    confirm: ({ documentId, newDocumentId }) => `Move everything of document ${documentId} to ${newDocumentId}?`,
    bare: ({ migrationId }) => migrationId,
    lookup: {
      operation: 'documents.list',
      by: { organizationId: 'organizationId', documentIds: 'newDocumentId' },
      tells: 'once the document is there, the migration was started',
    },
    wait,
  }),
  'documents.migration-status': defineOperation({
    command: ['documents', 'migration-status'],
    summary: 'Show how far a migration is',
    examples: [
      { command: 'svc documents migration-status --org acme --migration m1 --wait', does: 'wait for its end' },
    ],
    description: WAITING,
    path: '/v2/organizations/documents/migrate/status',
    auth: 'key',
    effect: 'read',
    input: z.object({ organizationId, migrationId: id('migration id') }),
    output: z.looseObject({ migrationId: z.string(), status: z.string() }),
    message: 'Migration status retrieved successfully.',
    bare: ({ status }) => status,
    wait,
  }),
};
