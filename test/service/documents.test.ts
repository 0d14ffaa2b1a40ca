import { describe, expect, it } from 'vitest';
import { serviceWorld, type World } from './world.ts';

const ADD = '/v1/organizations/documents/add';
const GET = '/v2/organizations/documents/get';
const organizationId = 'acme';

async function withDocuments(count: number): Promise<World> {
  const world = await serviceWorld();
  const documents = Array.from({ length: count }, (_, n) => ({ documentId: `d${n}` }));
  await world.call(ADD, { organizationId, documents });
  return world;
}

const idsIn = (data: readonly { readonly id: string }[]) => data.map(({ id }) => id);

describe('listing documents', () => {
  it('pages through all of them once, in the order of their adding', async () => {
    const { call } = await withDocuments(25);
    const seen: string[][] = [];
    let pageToken: unknown;
    do {
      const { body } = await call(GET, { organizationId, pageSize: 10, ...(pageToken ? { pageToken } : {}) });
      seen.push(idsIn(body.result?.data));
      pageToken = body.result?.['pageToken'];
    } while (pageToken);
    expect(seen.map((page) => page.length)).toEqual([10, 10, 5]);
    expect(seen.flat()).toEqual(Array.from({ length: 25 }, (_, n) => `d${n}`));
  });

  it('gives no token when a page ends with the last document', async () => {
    const { call } = await withDocuments(10);
    const { body } = await call(GET, { organizationId, pageSize: 10 });
    expect(body.result).not.toHaveProperty('pageToken');
  });

  it('gives a thousand where the request does not say how many', async () => {
    const { call } = await withDocuments(1_001);
    const { body } = await call(GET, { organizationId });
    expect(body.result?.data).toHaveLength(1_000);
    expect(body.result?.['pageToken']).toEqual(expect.any(String));
  });

  it.each(['x', '7', '', 'ZG9jdW1lbnRzOi0x', "' or 1=1"])('refuses the page token %j', async (pageToken) => {
    const { call } = await withDocuments(1);
    const { http, body } = await call(GET, { organizationId, pageToken });
    if (pageToken === '') expect(http).toBe(200);
    else expect(body.error?.message).toBe('pageToken: not a token of this list');
  });

  it('takes 30 ids and leaves unknown ones out', async () => {
    const { call } = await withDocuments(3);
    const documentIds = ['d2', 'no', 'd0', ...Array(27).fill('d2')];
    const { body } = await call(GET, { organizationId, documentIds });
    expect(idsIn(body.result?.data)).toEqual(['d0', 'd2']);
  });

  it('refuses 31 ids', async () => {
    const { call } = await withDocuments(1);
    const { body } = await call(GET, { organizationId, documentIds: Array(31).fill('d0') });
    expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', message: expect.stringMatching(/^documentIds: /) });
  });

  it('finds nothing in an organization that does not exist', async () => {
    const { call } = await serviceWorld();
    expect((await call(GET, { organizationId: 'no' })).body.result?.data).toEqual([]);
  });
});

describe('folders of documents', () => {
  it('filter by folder, with root for the top level', async () => {
    const { call } = await withDocuments(1);
    await call('/v2/organizations/folders/add', { organizationId, folders: [{ folderId: 'f1' }] });
    await call(ADD, { organizationId, folderId: 'f1', documents: [{ documentId: 'inside' }] });
    await call(ADD, { organizationId, folderId: 'root', documents: [{ documentId: 'outside' }] });
    const list = async (folderId: string) => idsIn((await call(GET, { organizationId, folderId })).body.result?.data);
    expect(await list('f1')).toEqual(['inside']);
    expect(await list('root')).toEqual(['d0', 'outside']);
    expect(await list('no')).toEqual([]);
  });

  it('must exist', async () => {
    const { call } = await serviceWorld();
    const { http, body } = await call(ADD, { organizationId, folderId: 'no', documents: [{ documentId: 'd' }] });
    expect([http, body.error]).toEqual([400, { status: 'INVALID_ARGUMENT', message: 'Folder not found.' }]);
  });
});

describe('adding documents', () => {
  it('tells the new from the known ones, and answers __proto__ as any id', async () => {
    const { call } = await withDocuments(1);
    const documents = [{ documentId: 'd0', documentName: 'Other' }, { documentId: '__proto__' }];
    const { body } = await call(ADD, { organizationId, documents });
    const results = Object.entries(body.result?.data).map(([id, item]) => [id, Object(item).success]);
    expect(results).toEqual([
      ['d0', false],
      ['__proto__', true],
    ]);
  });
});
