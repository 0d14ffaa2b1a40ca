import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { createsOrganization, flag, id, itemResults, organizationId, records } from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_ORG } from './sample-data.ts';

const document = z.looseObject({
  id: z.string(),
  documentName: z.optional(z.string()),
  disabled: z.optional(z.boolean()),
  accessType: z.optional(z.string()),
});

const MAX_DOCUMENT_IDS = 30;

export const documents = {
  'documents.list': defineOperation('documents.list', {
    summary: 'List the documents of an organization',
    examples: {
      'svc documents list --org acme --all -o ndjson': 'list all documents, one per line',
    },
    path: '/v2/organizations/documents/get',
    effect: 'read',
    feature: 'advanced-queries',
    input: z.object({
      organizationId,
      documentIds: described(
        z.optional(z.array(id('document ID')).check(z.minLength(1), z.maxLength(MAX_DOCUMENT_IDS))),
        'include only this document',
      ),
      folderId: z.optional(id('include only documents in this folder')),
      pageSize: described(
        z.optional(z.int().check(z.gte(1))),
        'documents per page (default: 1000)',
      ),
      pageToken: described(z.optional(z.string()), 'page token from a previous response'),
    }),
    output: z.array(document),
    message: 'Document(s) retrieved successfully.',
    columns: [
      { header: 'ID', field: 'id', kind: 'whole' },
      { header: 'NAME', field: 'documentName' },
      { header: 'ACCESS', field: 'accessType', hideOrder: 2 },
      { header: 'DISABLED', field: 'disabled', hideOrder: 1 },
    ],
    addedBy: 'documents.add',
    pages: { cursorIn: 'pageToken', cursorOut: (result) => result['pageToken'] },
    splitIds: { field: 'documentIds', max: MAX_DOCUMENT_IDS, recordId: 'id' },
    decision: 'unknown document IDs are omitted; more than 30 are INVALID_ARGUMENT',
    settings: 'read',
    sample: () => ({
      ...SAMPLE_ORG,
      documentIds: ['d1'],
      folderId: 'f1',
      pageSize: 10,
      pageToken: '',
    }),
  }),
  'documents.add': defineOperation('documents.add', {
    summary: 'Add documents to an organization or folder',
    examples: {
      'svc documents add --org acme --folder f1 --file documents.csv':
        'add documents from a file to a folder',
    },
    createsParents: createsOrganization,
    path: '/v1/organizations/documents/add',
    aliases: [{ path: '/v2/organizations/documents/add' }],
    effect: 'keyed',
    input: z.object({
      organizationId,
      folderId: z.optional(
        id("folder to add the documents to (default: the organization's top level)"),
      ),
      documents: records({
        documentId: id('document ID'),
        documentName: flag('name', described(z.optional(z.string()), 'document name')),
      }),
    }),
    output: itemResults,
    message: 'Document(s) added successfully.',
    bulk: {
      field: 'documents',
      id: 'documentId',
      noun: 'document',
      ifExists: {},
      listed: {
        id: 'id',
        readOnly: ['disabled', 'accessType', 'createdAt'],
        lost: {
          field: 'folderId',
          warning:
            "the list does not name the folders of its documents, so all are added to the organization's top level; to add them to a folder, use --folder or a field 'folderId'",
        },
      },
      lookup: {
        operation: 'documents.list',
        idField: 'id',
        sharedFields: ['organizationId', 'folderId'],
        matchingFields: ['documentName'],
      },
    },
    decision: 'adding a document to an unknown folder is INVALID_ARGUMENT',
    settings: { writes: 'documents' },
    sample: () => ({
      ...SAMPLE_ORG,
      folderId: 'f1',
      documents: [{ documentId: 'd4', documentName: 'Plan' }],
    }),
  }),
};
