import { describe, expect, it } from 'vitest';
import { startTestService } from './test-service.ts';

const TIME = 1_700_000_000_000;

/** Complete requests and responses, exactly as the interface defines them. */
describe('exact responses', () => {
  it('get workspace', async () => {
    const { call, credentials } = await startTestService();
    const { apiKey, workspaceId, workspaceAuthToken } = credentials;
    expect(await call('/v2/workspace/get', {})).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Workspace retrieved successfully',
          data: {
            id: workspaceId,
            name: 'Local workspace',
            owner: { email: 'local@localhost', id: 'local', name: 'Local', avatar: '' },
            authToken: workspaceAuthToken,
            apiKeyList: { [apiKey]: { apiKeyName: 'Local API key', id: apiKey, type: 'testing' } },
          },
        },
      },
    });
  });

  it('reset auth token', async () => {
    const { call, credentials } = await startTestService();
    const { apiKey } = credentials;
    expect(await call('/v2/workspace/authtoken/reset', { apiKey })).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Auth token reset successfully.',
          data: {
            apiKey,
            newAuthToken: {
              token: expect.stringMatching(/^[\w-]{32}$/),
              name: 'Default Auth Token',
              domains: [],
            },
          },
        },
      },
    });
    expect(await call('/v2/workspace/authtoken/reset', { apiKey: 'unknown' })).toEqual({
      http: 404,
      body: { error: { status: 'NOT_FOUND', message: 'API key not found.' } },
    });
  });

  it('add users', async () => {
    const { call } = await startTestService();
    const users = [
      { userId: 'u1', name: 'Ada Lovelace', email: 'ada@example.com' },
      { userId: 'u2', initial: 'X' },
    ];
    const added = {
      success: true,
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      message: 'User added.',
    };
    expect(await call('/v1/users/add', { organizationId: 'acme', users })).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'User(s) processed successfully.',
          data: { u1: added, u2: added },
        },
      },
    });
  });

  it('add documents', async () => {
    const { call } = await startTestService();
    const documents = [{ documentId: 'd1', documentName: 'Plan' }];
    const reply = (item: object) => ({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Document(s) added successfully.',
          data: { d1: item },
        },
      },
    });
    const added = {
      success: true,
      id: expect.stringMatching(/^\d{16}$/),
      message: 'Added Successfully',
    };
    const again = { success: false, message: 'Document already exists', code: 'already-exists' };
    expect(
      await call('/v1/organizations/documents/add', { organizationId: 'acme', documents }),
    ).toEqual(reply(added));
    expect(
      await call('/v1/organizations/documents/add', { organizationId: 'acme', documents }),
    ).toEqual(reply(again));
  });

  it('get documents', async () => {
    const { call } = await startTestService();
    const documents = [{ documentId: 'd1', documentName: 'Plan' }, { documentId: 'd2' }];
    await call('/v1/organizations/documents/add', { organizationId: 'acme', documents });
    expect(await call('/v2/organizations/documents/get', { organizationId: 'acme' })).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Document(s) retrieved successfully.',
          data: [
            { id: 'd1', documentName: 'Plan', disabled: false, accessType: 'public' },
            { id: 'd2', disabled: false, accessType: 'public' },
          ],
        },
      },
    });
  });

  it('add and get folders, v2 and v1', async () => {
    const { call, credentials } = await startTestService();
    const folders = [
      { folderId: 'f1', folderName: 'Plans' },
      { folderId: 'f2', folderName: 'Old', parentFolderId: 'f1', accessType: 'restricted' },
    ];
    expect(
      await call('/v2/organizations/folders/add', {
        organizationId: 'acme',
        createOrganization: true,
        folders,
      }),
    ).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Folder created successfully.',
          data: {
            f1: { success: true, id: 'f1', message: 'Folder added.' },
            f2: { success: true, id: 'f2', message: 'Folder added.' },
          },
        },
      },
    });
    const v1 = { organizationId: 'acme', createdAt: TIME, lastUpdated: TIME };
    const f1 = { ...v1, folderId: 'f1', folderName: 'Plans', parentFolderId: 'root' };
    const f2 = { ...v1, folderId: 'f2', folderName: 'Old', parentFolderId: 'f1' };
    const { apiKey } = credentials;
    const f1v2 = {
      ...f1,
      apiKey,
      ancestors: ['root'],
      accessType: 'public',
      inheritAccessFromParent: true,
    };
    const f2v2 = {
      ...f2,
      apiKey,
      ancestors: ['root', 'f1'],
      accessType: 'restricted',
      inheritAccessFromParent: false,
    };
    const reply = (message: string, data: object) => ({
      http: 200,
      body: { result: { status: 'success', message, data } },
    });
    expect(await call('/v2/organizations/folders/get', { organizationId: 'acme' })).toEqual(
      reply('Folders retrieved successfully.', [f1v2, f2v2]),
    );
    expect(
      await call('/v2/organizations/folders/get', { organizationId: 'acme', folderId: 'f1' }),
    ).toEqual(reply('Folder(s) retrieved successfully.', [{ ...f1v2, subFolders: [f2v2] }]));
    expect(
      await call('/v1/organizations/folders/get', { organizationId: 'acme', folderId: 'f1' }),
    ).toEqual(reply('Folders retrieved successfully.', [{ ...f1, subFolders: [f2] }]));
    expect(await call('/v1/organizations/folders/get', { organizationId: 'acme' })).toEqual(
      reply('Folders retrieved successfully.', [f1, f2]),
    );
  });

  it('update folder', async () => {
    const { call } = await startTestService();
    await call('/v2/organizations/folders/add', {
      organizationId: 'acme',
      createOrganization: true,
      folders: [{ folderId: 'f1' }],
    });
    const folders = [{ folderId: 'f1', folderName: 'Archive' }];
    expect(
      await call('/v2/organizations/folders/update', { organizationId: 'acme', folders }),
    ).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Folder Updated successfully.',
          data: { f1: { success: true, id: 'f1', message: 'Folder Updated.' } },
        },
      },
    });
  });
});
