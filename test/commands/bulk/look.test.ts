import { describe, expect, it } from 'vitest';
import type { BulkRecord } from '../../../src/bulk/record.ts';
import { bulkFieldsOf } from '../../../src/catalog/bulk-fields.ts';
import { documents } from '../../../src/catalog/documents.ts';
import { folders } from '../../../src/catalog/folders.ts';
import { users } from '../../../src/catalog/users.ts';
import { createClient } from '../../../src/client/client.ts';
import { fetchTransport } from '../../../src/client/fetch-transport.ts';
import { lookerOf } from '../../../src/commands/bulk/look.ts';
import { serviceWorld } from '../../service/world.ts';

type Fields = Readonly<Record<string, unknown>>;
const ADD = { documents: documents['documents.add'], folders: folders['folders.add'], users: users['users.add'] };

/** The look at records of an embedded service, which counts how often it asks. */
async function looking(noun: keyof typeof ADD, given: Fields = {}, features = {}) {
  const world = await serviceWorld(features);
  let asked = 0;
  const fetch: typeof globalThis.fetch = (...call) => {
    asked += 1;
    return world.fetch(...call);
  };
  const { apiKey, authToken } = world.credentials;
  const client = createClient({
    target: { baseUrl: 'http://localhost', headerPrefix: 'x-svc-', key: { apiKey, authToken } },
    clock: world.clock,
    transport: fetchTransport(fetch, 5_000),
    maxWait: 0,
  });
  const operation = ADD[noun];
  const data = { organizationId: 'acme', ...given };
  const look = lookerOf({ client, operation, fields: bulkFieldsOf(operation), data, single: false });
  const add = async (records: readonly Fields[], shared: Fields = {}) => {
    const { http } = await world.call(operation.path, { organizationId: 'acme', ...shared, [noun]: records });
    expect(http).toBe(200);
  };
  return { look, add, asked: () => asked, world };
}

const records = (id: string, values: readonly Fields[]): BulkRecord[] =>
  values.map((value, index) => {
    const json = JSON.stringify(value);
    return { id: String(value[id]), index, line: index + 1, value, text: json, jsonLine: json, json };
  });

describe('a look at records that exist already', () => {
  it('tells documents that are there as they were sent from others of the same id, thirty at a time', async () => {
    const { look, add, asked } = await looking('documents');
    const sent = Array.from({ length: 70 }, (_, at) => ({ documentId: `d${at}`, documentName: `Plan ${at}` }));
    await add(sent.slice(0, 69).map((one, at) => (at === 3 ? { ...one, documentName: 'Another' } : one)));
    const found = await look?.(records('documentId', sent));
    expect(asked()).toBe(3);
    expect(found?.size).toBe(69);
    expect([...(found ?? [])].filter(([, isAsSent]) => !isAsSent)).toEqual([['d3', false]]);
  });

  it('does not take a document of another folder for the one that was sent', async () => {
    const { look, add, world } = await looking('documents', { folderId: 'f1' });
    await world.call('/v2/organizations/folders/add', {
      organizationId: 'acme',
      createOrganization: true,
      folders: [{ folderId: 'f1', folderName: 'One' }],
    });
    await add([{ documentId: 'here' }], { folderId: 'f1' });
    await add([{ documentId: 'elsewhere' }]);
    const found = await look?.(records('documentId', [{ documentId: 'here' }, { documentId: 'elsewhere' }]));
    expect(found).toEqual(new Map([['here', true]]));
  });

  it('tells folders by their name and their parent, in one call', async () => {
    const { look, add, asked } = await looking('folders', { createOrganization: true });
    const top = { folderId: 'top', folderName: 'Top' };
    const below = { folderId: 'below', folderName: 'Below', parentFolderId: 'top' };
    await add([top, below], { createOrganization: true });
    const moved = { ...below, parentFolderId: 'root' };
    expect(await look?.(records('folderId', [top, below]))).toEqual(
      new Map([
        ['top', true],
        ['below', true],
      ]),
    );
    expect(await look?.(records('folderId', [top, moved]))).toEqual(
      new Map([
        ['top', true],
        ['below', false],
      ]),
    );
    expect(asked()).toBe(2);
  });

  it('sees nothing where the service does not show them', async () => {
    const { look } = await looking('documents', {}, { without: ['advanced-queries'] });
    expect(await look?.(records('documentId', [{ documentId: 'd1' }]))).toEqual(new Map());
  });

  it('is not needed for records that may be written over', async () => {
    expect((await looking('users')).look).toBeUndefined();
  });
});
