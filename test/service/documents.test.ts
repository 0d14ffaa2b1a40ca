import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

const ADD = '/v1/organizations/documents/add';
const GET = '/v2/organizations/documents/get';
const organizationId = 'acme';

async function startWithDocuments(count: number): Promise<TestService> {
  const service = await startTestService();
  const documents = Array.from({ length: count }, (_, n) => ({ documentId: `d${n}` }));
  await service.call(ADD, { organizationId, documents });
  return service;
}

const idsOf = (data: readonly { readonly id: string }[]) => data.map(({ id }) => id);

describe('listing documents', () => {
  it('returns each document once across pages, in the order of adding', async () => {
    const { call } = await startWithDocuments(25);
    const pages: string[][] = [];
    let pageToken: unknown;
    do {
      const { body } = await call(GET, {
        organizationId,
        pageSize: 10,
        ...(pageToken ? { pageToken } : {}),
      });
      pages.push(idsOf(body.result?.data));
      pageToken = body.result?.['pageToken'];
    } while (pageToken);
    expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(Array.from({ length: 25 }, (_, n) => `d${n}`));
  });

  it('returns no token if a page ends with the last document', async () => {
    const { call } = await startWithDocuments(10);
    const { body } = await call(GET, { organizationId, pageSize: 10 });
    expect(body.result).not.toHaveProperty('pageToken');
  });

  it('returns 1,000 documents by default', async () => {
    const { call } = await startWithDocuments(1_001);
    const { body } = await call(GET, { organizationId });
    expect(body.result?.data).toHaveLength(1_000);
    expect(body.result?.['pageToken']).toEqual(expect.any(String));
  });

  it.each(['x', '7', '', 'ZG9jdW1lbnRzOi0x', "' or 1=1"])(
    'rejects the page token %j',
    async (pageToken) => {
      const { call } = await startWithDocuments(1);
      const { http, body } = await call(GET, { organizationId, pageToken });
      if (pageToken === '') expect(http).toBe(200);
      else expect(body.error?.message).toBe('pageToken: not a page token of this list');
    },
  );

  it('accepts 30 IDs and omits unknown ones', async () => {
    const { call } = await startWithDocuments(3);
    const documentIds = ['d2', 'no', 'd0', ...Array(27).fill('d2')];
    const { body } = await call(GET, { organizationId, documentIds });
    expect(idsOf(body.result?.data)).toEqual(['d0', 'd2']);
  });

  it('rejects 31 IDs', async () => {
    const { call } = await startWithDocuments(1);
    const { body } = await call(GET, { organizationId, documentIds: Array(31).fill('d0') });
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^documentIds: /),
    });
  });

  it('returns an empty list for an organization that does not exist', async () => {
    const { call } = await startTestService();
    expect((await call(GET, { organizationId: 'no' })).body.result?.data).toEqual([]);
  });
});

describe('folders of documents', () => {
  it('filter the list, with root for the top level', async () => {
    const { call } = await startWithDocuments(1);
    await call('/v2/organizations/folders/add', { organizationId, folders: [{ folderId: 'f1' }] });
    await call(ADD, { organizationId, folderId: 'f1', documents: [{ documentId: 'inside' }] });
    await call(ADD, { organizationId, folderId: 'root', documents: [{ documentId: 'outside' }] });
    const list = async (folderId: string) =>
      idsOf((await call(GET, { organizationId, folderId })).body.result?.data);
    expect(await list('f1')).toEqual(['inside']);
    expect(await list('root')).toEqual(['d0', 'outside']);
    expect(await list('no')).toEqual([]);
  });

  it('must exist', async () => {
    const { call } = await startTestService();
    const { http, body } = await call(ADD, {
      organizationId,
      folderId: 'no',
      documents: [{ documentId: 'd' }],
    });
    expect([http, body.error]).toEqual([
      400,
      { status: 'INVALID_ARGUMENT', message: 'Folder not found.' },
    ]);
  });
});

describe('adding documents', () => {
  it('reports new and existing documents, and treats __proto__ as an ordinary ID', async () => {
    const { call } = await startWithDocuments(1);
    const documents = [{ documentId: 'd0', documentName: 'Other' }, { documentId: '__proto__' }];
    const { body } = await call(ADD, { organizationId, documents });
    const results = Object.entries(body.result?.data).map(([id, item]) => [
      id,
      Object(item).success,
    ]);
    expect(results).toEqual([
      ['d0', false],
      ['__proto__', true],
    ]);
  });
});
