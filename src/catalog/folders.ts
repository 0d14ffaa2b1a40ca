import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import {
  epochMilliseconds,
  flag,
  id,
  itemResults,
  openChoice,
  organizationId,
  records,
  warnAboutUnknownValues,
} from './fields.ts';
import { described, withMetadata } from './metadata.ts';
import { SAMPLE_ORG } from './sample-data.ts';

export const FOLDER_ACCESS_TYPES = ['public', 'restricted', 'organizationPrivate'];

const commonFields = z.looseObject({
  folderId: z.string(),
  folderName: z.optional(z.string()),
  organizationId: z.string(),
  parentFolderId: z.string(),
  createdAt: epochMilliseconds,
  lastUpdated: epochMilliseconds,
});

const currentFields = z.extend(commonFields, {
  apiKey: z.optional(z.string()),
  ancestors: described(z.optional(z.array(z.string())), "IDs from 'root' down to the parent"),
  accessType: z.optional(z.string()),
  inheritAccessFromParent: z.optional(z.boolean()),
});

type Nested<Folder> = Folder & { subFolders?: Nested<Folder>[] | undefined };

const folderV1: z.ZodMiniType<Nested<z.infer<typeof commonFields>>> = withMetadata(
  z.extend(commonFields, { subFolders: z.optional(z.lazy(() => z.array(folderV1))) }),
  { id: 'folder.v1' },
);

const folder: z.ZodMiniType<Nested<z.infer<typeof currentFields>>> = withMetadata(
  z.extend(currentFields, { subFolders: z.optional(z.lazy(() => z.array(folder))) }),
  { id: 'folder' },
);

const parentFolderId = id("parent folder ID, or 'root' for the top level");
const folderName = flag('name', described(z.optional(z.string()), 'folder name'));

const columns = [
  { header: 'FOLDER', field: 'folderId', kind: 'whole' },
  { header: 'NAME', field: 'folderName' },
  { header: 'PARENT', field: 'parentFolderId', kind: 'whole', hideOrder: 2 },
] as const;
const updated = { header: 'UPDATED', field: 'lastUpdated', kind: 'time', hideOrder: 1 } as const;

const CHILDREN = 'subFolders';

const listed = {
  readOnly: ['createdAt', 'lastUpdated', 'apiKey', 'ancestors', 'inheritAccessFromParent'],
  inherited: { field: 'accessType', flag: 'inheritAccessFromParent' },
  nested: CHILDREN,
};

export const folders = {
  'folders.list': defineOperation('folders.list', {
    summary: 'List the folders of an organization, or a folder and its subfolders',
    examples: { 'svc folders list --org acme': 'list all folders' },
    path: '/v2/organizations/folders/get',
    effect: 'read',
    feature: 'advanced-queries',
    input: z.object({
      organizationId,
      folderId: z.optional(id('include only this folder and its subfolders')),
      maxDepth: described(
        z.optional(z.int().check(z.gte(1))),
        'levels of subfolders below the folder (default: 1)',
      ),
    }),
    output: z.array(folder),
    message: ({ folderId }) =>
      folderId ? 'Folder(s) retrieved successfully.' : 'Folders retrieved successfully.',
    columns: [
      ...columns,
      { header: 'ACCESS', field: 'accessType', hideOrder: 3 },
      { header: 'INHERITED', field: 'inheritAccessFromParent', isHiddenInTables: true },
      updated,
    ],
    addedBy: 'folders.add',
    singleRecordId: 'folderId',
    children: CHILDREN,
    decision: 'an unknown folder is NOT_FOUND; a subtree follows a move of its root',
    settings: 'read',
    sample: () => ({ ...SAMPLE_ORG, folderId: 'f1', maxDepth: 2 }),
  }),
  'folders.list.v1': defineOperation('folders.list.v1', {
    summary: 'List folders in the v1 format',
    path: '/v1/organizations/folders/get',
    effect: 'read',
    feature: 'advanced-queries',
    input: z.object({
      organizationId,
      folderId: z.optional(id('include only this folder and its subfolders')),
    }),
    output: z.array(folderV1),
    message: 'Folders retrieved successfully.',
    columns: [...columns, updated],
    addedBy: 'folders.add',
    singleRecordId: 'folderId',
    children: CHILDREN,
    decision: 'an unknown folder is NOT_FOUND; a subtree follows a move of its root',
    settings: 'read',
    sample: () => ({ ...SAMPLE_ORG, folderId: 'f1' }),
  }),
  'folders.add': defineOperation('folders.add', {
    summary: 'Add folders to an organization',
    path: '/v2/organizations/folders/add',
    effect: 'keyed',
    input: z.object({
      organizationId,
      createOrganization: described(
        z.optional(z.boolean()),
        'create the organization if it does not exist',
      ),
      folders: records({
        folderId: id('folder ID'),
        folderName,
        parentFolderId: z.optional(parentFolderId),
        accessType: z.optional(openChoice(FOLDER_ACCESS_TYPES, 'access type of the folder')),
      }),
    }),
    output: itemResults,
    message: 'Folder created successfully.',
    bulk: {
      field: 'folders',
      id: 'folderId',
      noun: 'folder',
      inOrder: true,
      parent: 'parentFolderId',
      ifExists: { update: 'folders.update' },
      listed,
      lookup: {
        operation: 'folders.list',
        idField: 'folderId',
        sharedFields: ['organizationId'],
        matchingFields: ['folderName', 'parentFolderId'],
      },
    },
    warnings: ({ folders }) =>
      warnAboutUnknownValues(
        'access type',
        FOLDER_ACCESS_TYPES,
        folders.map(({ accessType }) => accessType),
      ),
    decision: 'a folder that exists fails alone, and so does one with an unknown parent',
    isDocumented: false,
    settings: { writes: 'folders' },
    sample: () => ({
      ...SAMPLE_ORG,
      folders: [
        {
          folderId: 'f6',
          folderName: 'Plans',
          parentFolderId: 'f1',
          accessType: 'public',
        },
      ],
      createOrganization: true,
    }),
  }),
  'folders.update': defineOperation('folders.update', {
    summary: 'Rename or move folders',
    path: '/v2/organizations/folders/update',
    effect: 'set',
    canUndo: true,
    feature: 'advanced-queries',
    input: z.object({
      organizationId,
      folders: records({
        folderId: id('folder ID'),
        folderName,
        parentFolderId: z.optional(parentFolderId),
      }),
    }),
    output: itemResults,
    message: 'Folder Updated successfully.',
    bulk: {
      field: 'folders',
      id: 'folderId',
      noun: 'folder',
      inOrder: true,
      parent: 'parentFolderId',
      listed: { ...listed, readOnly: [...listed.readOnly, 'accessType'] },
    },
    decision: 'an unknown folder is NOT_FOUND; a subtree follows a move of its root',
    settings: { writes: 'folders' },
    sample: () => ({
      ...SAMPLE_ORG,
      folders: [{ folderId: 'f1', folderName: 'Plans', parentFolderId: 'root' }],
    }),
  }),
};
