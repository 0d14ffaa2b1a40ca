import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { addSecondKey, startTestService, type TestService } from './test-service.ts';

const [ADD, UPDATE, GET] = ['/v2/crdt/add', '/v2/crdt/update', '/v2/crdt/get'];
const EDITOR = { organizationId: 'acme', documentId: 'd1', editorId: 'e1' };
const text = (data: string) => ({ ...EDITOR, type: 'text', data });

const refused = (http: number, status: string, message: string) => ({
  http,
  body: { error: { status, message } },
});
const NO_DATA = refused(404, 'NOT_FOUND', 'No CRDT data found for this editor ID.');

const readContent = async ({ call }: TestService) =>
  (await call(GET, EDITOR)).body.result?.data[0].data;

describe('editor content', () => {
  it('is added only once, with only a status and a message in the response', async () => {
    const { call } = await startTestService();
    expect(await call(ADD, text('Hello'))).toEqual({
      http: 200,
      body: { result: { status: 'success', message: 'CRDT data added successfully.' } },
    });
    expect(await call(ADD, text('again'))).toEqual(
      refused(409, 'ALREADY_EXISTS', 'CRDT data already exists for this editor ID.'),
    );
  });

  it('is read with the time of the last write', async () => {
    const { call } = await startTestService();
    await call(ADD, text('Hello'));
    expect(await call(GET, EDITOR)).toEqual({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'CRDT data retrieved successfully.',
          data: [
            {
              id: 'e1',
              data: 'Hello',
              lastUpdate: '2023-11-14T22:13:20.000Z',
              lastUpdatedBy: 'api',
              sessionId: null,
            },
          ],
        },
      },
    });
  });

  it('is read for all editors of a document', async () => {
    const { call } = await startTestService();
    for (const editorId of ['b', 'a', '__proto__'])
      await call(ADD, { ...text(editorId), editorId });
    await call(ADD, { ...text('x'), documentId: 'd2' });
    const { body } = await call(GET, { organizationId: 'acme', documentId: 'd1' });
    expect(
      body.result?.data.map(({ id, data }: { id: string; data: string }) => [id, data]),
    ).toEqual([
      ['__proto__', '__proto__'],
      ['a', 'a'],
      ['b', 'b'],
    ]);
    expect(
      (await call(GET, { organizationId: 'acme', documentId: 'no' })).body.result?.data,
    ).toEqual([]);
    expect((await call(GET, { organizationId: 'no', documentId: 'd1' })).body.result?.data).toEqual(
      [],
    );
  });

  it.each([
    ['text', 'Hello', 'Hello 🙂 world'],
    ['map', { nodes: { a: 1 }, gone: true }, { nodes: { a: [1, null] }, constructor: 'x' }],
    ['array', [1, 'two', { three: [3] }], ['two', { three: [] }, -0.5, 2 ** 40]],
    ['xml', '<p>Hello</p>', '<p class="x">Hello <b>world</b> &amp; all</p><br/>'],
  ])('is replaced if its type is %s', async (type, before, after) => {
    const service = await startTestService();
    await service.call(ADD, { ...EDITOR, type, data: before });
    expect(await readContent(service)).toEqual(before);
    service.clock.time += 1_000;
    expect(await service.call(UPDATE, { ...EDITOR, type, data: after })).toEqual({
      http: 200,
      body: { result: { status: 'success', message: 'CRDT data updated successfully.' } },
    });
    const { body } = await service.call(GET, EDITOR);
    expect(body.result?.data[0]).toMatchObject({
      data: after,
      lastUpdate: '2023-11-14T22:13:21.000Z',
    });
  });

  it('is a Yjs document that stays in sync with a connected client', async () => {
    const service = await startTestService();
    const update = async () => {
      const row = await service.store.read((database) =>
        database.selectFrom('editors').select('state').executeTakeFirstOrThrow(),
      );
      return Buffer.from(row.state, 'base64');
    };
    await service.call(ADD, text('Hello'));
    const client = new Y.Doc();
    Y.applyUpdate(client, await update());
    await service.call(UPDATE, text('Hello world'));
    Y.applyUpdate(client, await update());
    expect(client.getText('content').toString()).toBe('Hello world');
    await service.call(UPDATE, { ...text('Title'), contentKey: 'default' });
    Y.applyUpdate(client, await update());
    expect(client.getText('default').toString()).toBe('Title');
    expect(await readContent(service)).toBe('Title');
  });

  it('belongs to one API key', async () => {
    const service = await startTestService();
    await service.call(ADD, text('Hello'));
    expect(await service.call(UPDATE, text('x'), await addSecondKey(service))).toEqual(NO_DATA);
  });
});

describe('editor content is rejected for', () => {
  it.each([
    { ...EDITOR, editorId: 'no' },
    { ...EDITOR, documentId: 'no' },
    { ...EDITOR, organizationId: 'no' },
  ])('an unknown editor: %j', async (ids) => {
    const service = await startTestService();
    await service.call(ADD, text('Hello'));
    expect(await service.call(UPDATE, { ...text('x'), ...ids })).toEqual(NO_DATA);
    expect(await service.call(GET, ids)).toEqual(NO_DATA);
  });

  it.each([
    ['text', 7, 'Data must be a string for type text.'],
    ['text', undefined, 'Data is required.'],
    ['xml', {}, 'Data must be a string for type xml.'],
    ['map', [], 'Data must be an object for type map.'],
    ['map', null, 'Data must be an object for type map.'],
    ['array', {}, 'Data must be an array for type array.'],
    ['map', JSON.parse('{"a":[{"__proto__":{}}]}'), 'Data must not have a key __proto__.'],
    ['xml', '<p>', 'data: must be well-formed XML'],
  ])('%s of %j', async (type, data, message) => {
    const service = await startTestService();
    const initial = { text: 'a', xml: '<p/>', map: { a: 1 }, array: [1] }[type];
    await service.call(ADD, { ...EDITOR, type, data: initial });
    for (const path of [ADD, UPDATE]) {
      const { http, body } = await service.call(path, {
        ...EDITOR,
        editorId: path === ADD ? 'e2' : 'e1',
        type,
        data,
      });
      expect([http, body.error?.status, body.error?.message]).toEqual([
        400,
        'INVALID_ARGUMENT',
        message,
      ]);
      expect(body.error?.details?.issues).toEqual([expect.objectContaining({ path: ['data'] })]);
    }
    expect(
      (await service.call(GET, { organizationId: 'acme', documentId: 'd1' })).body.result?.data,
    ).toEqual([expect.objectContaining({ id: 'e1', data: initial })]);
  });

  it.each([undefined, '', null])('an editor ID of %j', async (editorId) => {
    const { call } = await startTestService();
    const { body } = await call(UPDATE, { ...text('x'), editorId });
    expect([body.error?.status, body.error?.message]).toEqual([
      'INVALID_ARGUMENT',
      'Editor ID is required.',
    ]);
  });

  it('a type that differs from the existing content', async () => {
    const service = await startTestService();
    await service.call(ADD, text('Hello'));
    const { body } = await service.call(UPDATE, { ...EDITOR, type: 'array', data: [] });
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: 'type: must be "text", the type of the existing content, got "array"',
    });
    expect(await readContent(service)).toBe('Hello');
    expect(
      (await service.call(UPDATE, { ...EDITOR, type: 'list', data: [] })).body.error?.message,
    ).toMatch(/^type: /);
  });
});
