import * as z from 'zod';
import { defineOperation } from './define.ts';
import { flag, id, itemResults, organizationId } from './fields.ts';

const document = z.looseObject({
  id: z.string(),
  documentName: z.string().optional(),
  disabled: z.boolean().optional(),
  accessType: z.string().optional(),
});

/** Most ids that one request may name. */
const MOST_DOCUMENT_IDS = 30;

export const documents = {
  'documents.list': defineOperation({
    command: ['documents', 'list'],
    summary: 'List the documents of an organization',
    examples: [
      { command: 'svc documents list --org acme --all -o ndjson', does: 'every document, one a line' },
      { command: 'svc documents list --org acme --document d1 --document d2', does: 'only these' },
    ],
    path: '/v2/organizations/documents/get',
    auth: 'key',
    effect: 'read',
    feature: 'advanced-queries',
    input: z.object({
      organizationId,
      documentIds: z.array(id('document id')).min(1).max(MOST_DOCUMENT_IDS).optional().describe('only this document'),
      folderId: id('only documents of this folder').optional(),
      pageSize: z.number().int().min(1).optional().describe('documents a page (1000 when left out)'),
      pageToken: z.string().optional().describe('go on where an earlier page ended'),
    }),
    output: z.array(document),
    message: 'Document(s) retrieved successfully.',
    columns: [
      { header: 'ID', field: 'id', kind: 'whole' },
      { header: 'NAME', field: 'documentName' },
      { header: 'ACCESS', field: 'accessType' },
      { header: 'DISABLED', field: 'disabled' },
    ],
    addedBy: 'documents.add',
    pages: { cursorIn: 'pageToken', cursorOut: (result) => result['pageToken'] },
    splitIds: { field: 'documentIds', most: MOST_DOCUMENT_IDS, recordId: 'id' },
  }),
  'documents.add': defineOperation({
    command: ['documents', 'add'],
    summary: 'Add documents to an organization or to one of its folders',
    examples: [
      { command: 'svc documents add --org acme --document d3 --name "Q3 plan"', does: 'add one document' },
      { command: 'svc documents add --org acme --folder f1 --file documents.csv', does: 'add many to a folder' },
    ],
    path: '/v1/organizations/documents/add',
    auth: 'key',
    effect: 'keyed',
    input: z.object({
      organizationId,
      folderId: id("folder the documents go into; the organization's top level when left out").optional(),
      documents: z
        .array(
          z.looseObject({
            documentId: id('document id'),
            documentName: flag('name', z.string().optional().describe('document name')),
          }),
        )
        .min(1),
    }),
    output: itemResults,
    message: 'Document(s) added successfully.',
    bulk: {
      field: 'documents',
      id: 'documentId',
      noun: 'document',
      lookup: { operation: 'documents.list', id: 'id', shared: ['organizationId', 'folderId'], same: ['documentName'] },
    },
  }),
};
