import { describe, expect, it } from 'vitest';
import type { BulkRecord } from '../../src/bulk/batches.ts';
import { createLookup } from '../../src/bulk/create-lookup.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import { documents } from '../../src/catalog/documents.ts';
import { folders } from '../../src/catalog/folders.ts';
import { users } from '../../src/catalog/users.ts';
import { createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { startTestService } from '../service/test-service.ts';

type Fields = Readonly<Record<string, unknown>>;
const ADD = {
  documents: documents['documents.add'],
  folders: folders['folders.add'],
  users: users['users.add'],
};

/** Creates a lookup against an embedded service, and counts its requests. */
async function looking(noun: keyof typeof ADD, given: Fields = {}, features = {}) {
  const scenario = await startTestService(features);
  let asked = 0;
  const fetch: typeof globalThis.fetch = (...call) => {
    asked += 1;
    return scenario.fetch(...call);
  };
  const { apiKey, authToken } = scenario.credentials;
  const client = createClient({
    target: { baseUrl: 'http://localhost', headerPrefix: 'x-svc-', key: { apiKey, authToken } },
    clock: scenario.clock,
    transport: createFetchTransport(fetch, 5_000),
    maxWait: 0,
  });
  const operation = ADD[noun];
  const data = { organizationId: 'acme', ...given };
  const look = createLookup({
    client,
    operation,
    fields: bulkFieldsOf(operation),
    data,
    single: false,
  });
  const add = async (records: readonly Fields[], shared: Fields = {}) => {
    const { http } = await scenario.call(operation.path, {
      organizationId: 'acme',
      ...shared,
      [noun]: records,
    });
    expect(http).toBe(200);
  };
  return { look, add, asked: () => asked, scenario };
}

const records = (id: string, values: readonly Fields[]): BulkRecord[] =>
  values.map((value, index) => {
    const json = JSON.stringify(value);
    return {
      id: String(value[id]),
      index,
      line: index + 1,
      value,
      text: json,
      jsonLine: json,
      json,
    };
  });

describe('the lookup of existing records', () => {
  it('distinguishes documents as sent from others with the same ID, thirty per request', async () => {
    const { look, add, asked } = await looking('documents');
    const sent = Array.from({ length: 70 }, (_, at) => ({
      documentId: `d${at}`,
      documentName: `Plan ${at}`,
    }));
    await add(
      sent.slice(0, 69).map((one, at) => (at === 3 ? { ...one, documentName: 'Another' } : one)),
    );
    const found = await look?.(records('documentId', sent));
    expect(asked()).toBe(3);
    expect(found?.size).toBe(69);
    expect([...(found ?? [])].filter(([, isAsSent]) => !isAsSent)).toEqual([['d3', false]]);
  });

  it('does not match a document in another folder', async () => {
    const { look, add, scenario } = await looking('documents', { folderId: 'f1' });
    await scenario.call('/v2/organizations/folders/add', {
      organizationId: 'acme',
      createOrganization: true,
      folders: [{ folderId: 'f1', folderName: 'One' }],
    });
    await add([{ documentId: 'here' }], { folderId: 'f1' });
    await add([{ documentId: 'elsewhere' }]);
    const found = await look?.(
      records('documentId', [{ documentId: 'here' }, { documentId: 'elsewhere' }]),
    );
    expect(found).toEqual(new Map([['here', true]]));
  });

  it('compares folders by name and parent, in one call', async () => {
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

  it('finds nothing if the service does not return the records', async () => {
    const { look } = await looking('documents', {}, { without: ['advanced-queries'] });
    expect(await look?.(records('documentId', [{ documentId: 'd1' }]))).toEqual(new Map());
  });

  it('is not created for records that are safe to overwrite', async () => {
    expect((await looking('users')).look).toBeUndefined();
  });
});
