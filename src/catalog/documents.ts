import * as z from 'zod';
import { defineOperation } from './define.ts';
import { createsOrganization, flag, id, itemResults, organizationId, records } from './fields.ts';

const document = z.looseObject({
  id: z.string(),
  documentName: z.string().optional(),
  disabled: z.boolean().optional(),
  accessType: z.string().optional(),
});

const MAX_DOCUMENT_IDS = 30;

export const documents = {
  'documents.list': defineOperation('documents.list', {
    summary: 'List the documents of an organization',
    examples: {
      'svc documents list --org acme --all -o ndjson': 'list all documents, one per line',
      'svc documents list --org acme --document d1 --document d2': 'list two documents',
    },
    path: '/v2/organizations/documents/get',
    effect: 'read',
    feature: 'advanced-queries',
    input: z.object({
      organizationId,
      documentIds: z
        .array(id('document ID'))
        .min(1)
        .max(MAX_DOCUMENT_IDS)
        .optional()
        .describe('include only this document'),
      folderId: id('include only documents in this folder').optional(),
      pageSize: z.number().int().min(1).optional().describe('documents per page (default: 1000)'),
      pageToken: z.string().optional().describe('page token from a previous response'),
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
  }),
  'documents.add': defineOperation('documents.add', {
    summary: 'Add documents to an organization or folder',
    examples: {
      'svc documents add --org acme --document d3 --name "Q3 plan"': 'add one document',
      'svc documents add --org acme --folder f1 --file documents.csv':
        'add documents from a file to a folder',
    },
    createsParents: createsOrganization,
    path: '/v1/organizations/documents/add',
    effect: 'keyed',
    input: z.object({
      organizationId,
      folderId: id(
        "folder to add the documents to (default: the organization's top level)",
      ).optional(),
      documents: records({
        documentId: id('document ID'),
        documentName: flag('name', z.string().optional().describe('document name')),
      }),
    }),
    output: itemResults,
    message: 'Document(s) added successfully.',
    bulk: {
      field: 'documents',
      id: 'documentId',
      noun: 'document',
      ifExists: {},
      listed: { id: 'id', readOnly: ['disabled', 'accessType'] },
      lookup: {
        operation: 'documents.list',
        idField: 'id',
        sharedFields: ['organizationId', 'folderId'],
        matchingFields: ['documentName'],
      },
    },
  }),
};
