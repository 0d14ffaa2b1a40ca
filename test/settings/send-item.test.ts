import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/catalog/define.ts';
import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { getEntry } from '../../src/catalog/manifest.ts';
import type { Client } from '../../src/client/client.ts';
import { SvcError } from '../../src/kernel/errors.ts';
import { createItemSender } from '../../src/settings/execute/send-item.ts';
import { recordsOf } from '../bulk/bulk-run.ts';
import {
  failure,
  networkError,
  newClient,
  scriptedFetch,
  success,
} from '../client/client-fixture.ts';
import { startPlannedWorld } from './planned-world.ts';

const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints';
const URL = 'https://hooks.example.com/';

/** Sends one item, as the first time or again. */
async function sendItem(
  client: Client,
  name: OperationName,
  data: object,
  { again, shared = {} }: { readonly again: boolean; readonly shared?: object },
) {
  const operation: Operation = await loadOperation(getEntry(name).resource, name);
  const clock = { now: Date.now, sleep: async () => undefined };
  const send = createItemSender(
    { client, operation, shared: { ...shared }, isResend: () => again },
    clock,
  );
  return send(
    recordsOf(['item']).map((record) => ({ ...record, value: { ...data } })),
    'new',
  );
}

async function startWithEndpoints() {
  const { service, client, calls } = await startPlannedWorld();
  await service.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const count = async () =>
    (await service.call(`${ENDPOINTS}/get`, {})).body.result?.data.endpoints.length;
  return {
    client,
    calls,
    count,
    create: (data: object) => service.call(`${ENDPOINTS}/create`, data),
  };
}

describe('an item that creates a record', () => {
  const endpoint = { uid: 'acme.billing', url: URL };
  const CREATE = 'webhooks.endpoints.create';

  it('is not looked up when it is sent first, so that an existing record is an error', async () => {
    const { client, calls, create } = await startWithEndpoints();
    await create(endpoint);
    const outcome = await sendItem(client, CREATE, endpoint, { again: false });
    expect(outcome).toMatchObject({ kind: 'fatal', error: { failure: 'already_exists' } });
    expect(calls).toEqual([`${ENDPOINTS}/create`]);
  });

  it('is looked up before it is sent again, and sent only if it does not exist', async () => {
    const { client, calls, count } = await startWithEndpoints();
    const again = () => sendItem(client, CREATE, endpoint, { again: true });
    expect(await again()).toMatchObject({ kind: 'confirmed' });
    expect(await again()).toMatchObject({ kind: 'confirmed' });
    const paths = [`${ENDPOINTS}/get`, `${ENDPOINTS}/create`, `${ENDPOINTS}/get`];
    expect([calls, await count()]).toEqual([paths, 1]);
  });
});

describe('an item without a record', () => {
  const missing = { endpointId: 'ep_missing' };
  const refused = { kind: 'fatal', error: { failure: 'not_found' } };

  it.each([
    ['counts as deleted if the deletion is sent again', 'delete', true, { kind: 'confirmed' }],
    ['is an error if the deletion is sent first', 'delete', false, refused],
    ['is an error if an update is sent again', 'update', true, refused],
  ] as const)('%s', async (_, verb, again, expected) => {
    const { client } = await startWithEndpoints();
    const data = verb === 'update' ? { ...missing, url: URL } : missing;
    const outcome = await sendItem(client, `webhooks.endpoints.${verb}`, data, { again });
    expect(outcome).toMatchObject(expected);
  });
});

it('a deletion that is refused again does not count as done', async () => {
  const { fetch } = scriptedFetch(failure('PERMISSION_DENIED', 403));
  const { client } = newClient({ fetch });
  const data = { endpointId: 'ep_1' };
  const outcome = await sendItem(client, 'webhooks.endpoints.delete', data, { again: true });
  expect(outcome).toMatchObject({ kind: 'fatal', error: { failure: 'permission_denied' } });
});

it('an item without a response may have been applied, and waits for a resume', async () => {
  const { fetch } = scriptedFetch(networkError('ECONNRESET'));
  const { client } = newClient({ fetch });
  const data = { endpointId: 'ep_1', url: URL };
  const outcome = await sendItem(client, 'webhooks.endpoints.update', data, { again: false });
  expect(outcome).toMatchObject({
    kind: 'unknown',
    error: { failure: 'outcome_unknown' },
    by: 'connection',
    resend: 'resumed',
  });
});

it('an item is sent with the data that all items share', async () => {
  const { fetch, requests } = scriptedFetch(success({}));
  const { client } = newClient({ fetch });
  const shared = { organizationId: 'acme' };
  const data = { folderId: 'plans', accessType: 'public' };
  await sendItem(client, 'folders.update', data, { again: false, shared });
  expect(await requests[0]?.json()).toEqual({ data: { ...shared, ...data } });
});

it('an item in flight is finished although the job is stopped', async () => {
  const stop = new AbortController();
  const { client } = newClient({
    signal: stop.signal,
    fetch: async (_, init) => {
      stop.abort(new SvcError('interrupted', 'stopped by SIGINT'));
      init?.signal?.throwIfAborted();
      return success({ endpointId: 'ep_1' });
    },
  });
  const data = { endpointId: 'ep_1', url: URL };
  const outcome = await sendItem(client, 'webhooks.endpoints.update', data, { again: false });
  expect(outcome).toMatchObject({ kind: 'confirmed' });
});
