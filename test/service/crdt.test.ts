import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { secondKey, serviceWorld, type World } from './world.ts';

const [ADD, UPDATE, GET] = ['/v2/crdt/add', '/v2/crdt/update', '/v2/crdt/get'];
const PLACE = { organizationId: 'acme', documentId: 'd1', editorId: 'e1' };
const text = (data: string) => ({ ...PLACE, type: 'text', data });

const refused = (http: number, status: string, message: string) => ({ http, body: { error: { status, message } } });
const NO_DATA = refused(404, 'NOT_FOUND', 'No CRDT data found for this editor ID.');

const contentOf = async ({ call }: World) => (await call(GET, PLACE)).body.result?.data[0].data;

describe('editor content', () => {
  it('is added once, with a status and a message alone', async () => {
    const { call } = await serviceWorld();
    expect(await call(ADD, text('Hello'))).toEqual({
      http: 200,
      body: { result: { status: 'success', message: 'CRDT data added successfully.' } },
    });
    expect(await call(ADD, text('again'))).toEqual(
      refused(409, 'ALREADY_EXISTS', 'CRDT data already exists for this editor ID.'),
    );
  });

  it('is read with when it was written', async () => {
    const { call } = await serviceWorld();
    await call(ADD, text('Hello'));
    expect(await call(GET, PLACE)).toEqual({
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
              lastUpdatedBy: null,
              sessionId: null,
            },
          ],
        },
      },
    });
  });

  it('is read for all editors of a document', async () => {
    const { call } = await serviceWorld();
    for (const editorId of ['b', 'a', '__proto__']) await call(ADD, { ...text(editorId), editorId });
    await call(ADD, { ...text('x'), documentId: 'd2' });
    const { body } = await call(GET, { organizationId: 'acme', documentId: 'd1' });
    expect(body.result?.data.map(({ id, data }: { id: string; data: string }) => [id, data])).toEqual([
      ['__proto__', '__proto__'],
      ['a', 'a'],
      ['b', 'b'],
    ]);
    expect((await call(GET, { organizationId: 'acme', documentId: 'no' })).body.result?.data).toEqual([]);
    expect((await call(GET, { organizationId: 'no', documentId: 'd1' })).body.result?.data).toEqual([]);
  });

  it.each([
    ['text', 'Hello', 'Hello 🙂 world'],
    ['map', { nodes: { a: 1 }, gone: true }, { nodes: { a: [1, null] }, constructor: 'x' }],
    ['array', [1, 'two', { three: [3] }], ['two', { three: [] }, -0.5, 2 ** 40]],
    ['xml', '<p>Hello</p>', '<p class="x">Hello <b>world</b> &amp; all</p><br/>'],
  ])('of type %s is replaced', async (type, before, after) => {
    const world = await serviceWorld();
    await world.call(ADD, { ...PLACE, type, data: before });
    expect(await contentOf(world)).toEqual(before);
    world.clock.time += 1_000;
    expect(await world.call(UPDATE, { ...PLACE, type, data: after })).toEqual({
      http: 200,
      body: { result: { status: 'success', message: 'CRDT data updated successfully.' } },
    });
    const { body } = await world.call(GET, PLACE);
    expect(body.result?.data[0]).toMatchObject({ data: after, lastUpdate: '2023-11-14T22:13:21.000Z' });
  });

  it('is a Yjs document, that a connected client follows', async () => {
    const world = await serviceWorld();
    const update = async () => {
      const row = await world.store.read((database) =>
        database.selectFrom('editors').select('state').executeTakeFirstOrThrow(),
      );
      return Buffer.from(row.state, 'base64');
    };
    await world.call(ADD, text('Hello'));
    const client = new Y.Doc();
    Y.applyUpdate(client, await update());
    await world.call(UPDATE, text('Hello world'));
    Y.applyUpdate(client, await update());
    expect(client.getText('content').toString()).toBe('Hello world');
    await world.call(UPDATE, { ...text('Title'), contentKey: 'default' });
    Y.applyUpdate(client, await update());
    expect(client.getText('default').toString()).toBe('Title');
    expect(await contentOf(world)).toBe('Title');
  });

  it("is an API key's own", async () => {
    const world = await serviceWorld();
    await world.call(ADD, text('Hello'));
    expect(await world.call(UPDATE, text('x'), await secondKey(world))).toEqual(NO_DATA);
  });
});

describe('refusals of editor content', () => {
  it.each([
    { ...PLACE, editorId: 'no' },
    { ...PLACE, documentId: 'no' },
    { ...PLACE, organizationId: 'no' },
  ])('unknown: %j', async (place) => {
    const world = await serviceWorld();
    await world.call(ADD, text('Hello'));
    expect(await world.call(UPDATE, { ...text('x'), ...place })).toEqual(NO_DATA);
    expect(await world.call(GET, place)).toEqual(NO_DATA);
  });

  it.each([
    ['text', 7, 'Data must be a string for type text.'],
    ['text', undefined, 'Data is required.'],
    ['xml', {}, 'Data must be a string for type xml.'],
    ['map', [], 'Data must be an object for type map.'],
    ['map', null, 'Data must be an object for type map.'],
    ['array', {}, 'Data must be an array for type array.'],
    ['map', JSON.parse('{"a":[{"__proto__":{}}]}'), 'Data must not have a key __proto__.'],
    ['xml', '<p>', 'data: not well-formed XML'],
  ])('%s of %j', async (type, data, message) => {
    const world = await serviceWorld();
    const initial = { text: 'a', xml: '<p/>', map: { a: 1 }, array: [1] }[type];
    await world.call(ADD, { ...PLACE, type, data: initial });
    for (const path of [ADD, UPDATE]) {
      const { http, body } = await world.call(path, { ...PLACE, editorId: path === ADD ? 'e2' : 'e1', type, data });
      expect([http, body.error?.status, body.error?.message]).toEqual([400, 'INVALID_ARGUMENT', message]);
      expect(body.error?.details?.issues).toEqual([expect.objectContaining({ path: ['data'] })]);
    }
    expect((await world.call(GET, { organizationId: 'acme', documentId: 'd1' })).body.result?.data).toEqual([
      expect.objectContaining({ id: 'e1', data: initial }),
    ]);
  });

  it.each([undefined, '', null])('an editor id of %j', async (editorId) => {
    const { call } = await serviceWorld();
    const { body } = await call(UPDATE, { ...text('x'), editorId });
    expect([body.error?.status, body.error?.message]).toEqual(['INVALID_ARGUMENT', 'Editor ID is required.']);
  });

  it('a type that the content does not have', async () => {
    const world = await serviceWorld();
    await world.call(ADD, text('Hello'));
    const { body } = await world.call(UPDATE, { ...PLACE, type: 'array', data: [] });
    expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', message: expect.stringMatching(/^type: .* text/) });
    expect(await contentOf(world)).toBe('Hello');
    expect((await world.call(UPDATE, { ...PLACE, type: 'list', data: [] })).body.error?.message).toMatch(/^type: /);
  });
});
