import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { FaultFileInput } from '../../../src/catalog/fault-rules.ts';
import { createService } from '../../../src/library/service.ts';
import { listDeliveries } from '../../../src/service/deliveries/records.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { eventually } from '../../eventually.ts';
import { SLOW } from '../../slow.ts';
import { receiver } from '../deliveries/receiver.ts';
import { emptyStoreLocation } from '../store-location.ts';

type Rules = FaultFileInput['faults'];

async function openService(faults: Rules, { seed = 1, store = '' } = {}) {
  const service = await createService({
    store: store || (await emptyStoreLocation()),
    faults: { seed, faults },
  });
  onTestFinished(service.close);
  const call = async (
    path: string,
    data: object,
    others: Readonly<Record<string, string>> = {},
  ) => {
    const { apiKey, authToken } = service.client;
    const own = {
      'content-type': 'application/json',
      'x-svc-api-key': apiKey,
      'x-svc-auth-token': authToken,
    };
    const headers = { ...own, ...others };
    const response = await service.fetch(`http://localhost${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ data }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const addUsers = (ids: readonly string[], organizationId = 'acme') =>
    call('/v1/users/add', { organizationId, users: ids.map((userId) => ({ userId })) });
  const isStored = async (userId: string) => {
    await service.faults.clear();
    const { body } = await call('/v1/users/update', {
      organizationId: 'acme',
      users: [{ userId }],
    });
    return body.data?.[userId]?.success ?? body.result.data[userId].success;
  };
  return { service, call, addUsers, isStored };
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => `u${at}`);

describe('a fault', () => {
  it('with a status changes nothing, and is named in the log', async () => {
    const { service, addUsers, isStored } = await openService([
      { name: 'busy', on: 'users.add', status: 'RESOURCE_EXHAUSTED' },
    ]);
    const { status, body } = await addUsers(['u1']);
    expect({ status, error: body.error.status }).toEqual({
      status: 429,
      error: 'RESOURCE_EXHAUSTED',
    });
    expect(await service.requests.list()).toMatchObject([
      {
        id: 1,
        operation: 'users.add',
        org: 'acme',
        status: 429,
        error: 'RESOURCE_EXHAUSTED',
        fault: 'busy',
      },
    ]);
    expect(await isStored('u1')).toBe(false);
  });

  it.each([
    ['before', false],
    ['after', true],
  ] as const)('with drop: %s rejects like a network error', async (drop, isWritten) => {
    const { service, addUsers, isStored } = await openService([{ on: 'users.add', drop }]);
    await expect(addUsers(['u1'])).rejects.toThrow(new TypeError('fetch failed'));
    expect((await service.requests.list())[0]).toMatchObject({ status: null, fault: 'fault-1' });
    expect(await isStored('u1')).toBe(isWritten);
  });

  it('with cut interrupts the response after the write', async () => {
    const { addUsers, isStored } = await openService([{ on: 'users.add', cut: 0.5 }]);
    await expect(addUsers(['u1'])).rejects.toThrow('terminated');
    expect(await isStored('u1')).toBe(true);
  });

  it('with cut: 1 sends the whole response', async () => {
    const { addUsers } = await openService([{ on: 'users.add', cut: 1 }]);
    expect(await addUsers(['u1'])).toMatchObject({ status: 200 });
  });

  it('with items lets exactly their share fail, and does not write them', async () => {
    const { service, call, addUsers } = await openService([
      { name: 'some', on: 'users.add', items: 0.3 },
    ]);
    const { body } = await addUsers(ids(10));
    const results = Object.entries<{ success: boolean; message: string }>(body.result.data);
    const failed = results.flatMap(([id, { success }]) => (success ? [] : [id]));
    expect(results).toHaveLength(10);
    expect(failed).toHaveLength(3);
    expect(body.result.data[failed[0] ?? '']).toEqual({
      success: false,
      message: "Fault 'some'.",
      code: 'fault',
    });
    expect(await service.requests.list()).toMatchObject([
      { records: 10, failed: 3, fault: 'some' },
    ]);
    const users = ids(10).map((userId) => ({ userId }));
    const { body: updated } = await call('/v1/users/update', { organizationId: 'acme', users });
    const missing = Object.entries<{ success: boolean }>(updated.result.data).flatMap(
      ([id, { success }]) => (success ? [] : [id]),
    );
    expect(missing.toSorted()).toEqual(failed.toSorted());
  });

  it('with items also applies to operations with IDs, and with one result for all records', async () => {
    const { service, call, addUsers } = await openService([]);
    await addUsers(['u1']);
    await call('/v2/organizations/usergroups/add', {
      organizationId: 'acme',
      organizationUserGroups: [{ groupId: 'g1', groupName: 'g' }],
    });
    await service.faults.add({ on: 'groups.add-users', items: 1 });
    await service.faults.add({ on: 'presence.add', items: 1 });
    const add = { organizationId: 'acme', organizationUserGroupId: 'g1', userIds: ['u1'] };
    const { body } = await call('/v2/organizations/usergroups/users/add', add);
    expect(body.result?.data ?? body).toMatchObject({ u1: { success: false, code: 'fault' } });
    const shared = await call('/v2/presence/add', {
      organizationId: 'acme',
      documentId: 'd1',
      users: [{ userId: 'u1' }],
    });
    expect(shared.body.result.data).toMatchObject({ success: false });
  });

  it('with delay only delays the request', async () => {
    const { service, addUsers } = await openService([
      { on: 'users.add', delay: { p50: 60, p99: '60ms' } },
    ]);
    expect(await addUsers(['u1'])).toMatchObject({ status: 200 });
    expect((await service.requests.list())[0]?.ms).toBeGreaterThanOrEqual(58);
  });

  it('does not outlive the service in a delay', async () => {
    const { service, addUsers } = await openService([
      { on: 'users.add', delay: { p50: '1h', p99: '1h' } },
    ]);
    const added = addUsers(['u1']);
    await eventually(async () => expect((await service.faults.list()).faults).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await Promise.all([service.close(), added.catch(() => undefined)]);
  });

  it('applies only to its organization', async () => {
    const { addUsers } = await openService([{ on: '*', org: 'acme', status: 'INTERNAL' }]);
    expect(await addUsers(['u1'], 'other')).toMatchObject({ status: 200 });
    expect(await addUsers(['u1'])).toMatchObject({ status: 500 });
  });
});

describe('faults over HTTP', () => {
  /**
   * Sends a request, and returns everything that the server sends until it closes the connection.
   */
  async function exchange(faults: Rules) {
    const { service, isStored } = await openService(faults);
    const { url } = await service.listen();
    const body = JSON.stringify({ data: { organizationId: 'acme', users: [{ userId: 'u1' }] } });
    const { apiKey, authToken } = service.client;
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.on('error', () => undefined);
    const head = [
      'POST /v1/users/add HTTP/1.1',
      'host: localhost',
      'content-type: application/json',
    ];
    const credentials = [`x-svc-api-key: ${apiKey}`, `x-svc-auth-token: ${authToken}`];
    socket.write(
      `${[...head, ...credentials, `content-length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`,
    );
    await once(socket, 'close');
    return { received, isStored };
  }

  it.each(['before', 'after'] as const)(
    'close the connection without a byte with drop: %s',
    async (drop) => {
      const { received, isStored } = await exchange([{ on: 'users.add', drop }]);
      expect(received).toBe('');
      expect(await isStored('u1')).toBe(drop === 'after');
    },
  );

  it.each([0, 0.5])('send a share of the body with cut: %d', async (cut) => {
    const { received, isStored } = await exchange([{ on: 'users.add', cut }]);
    const [head = '', body = ''] = received.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(body).toHaveLength(Math.floor(length * cut));
    expect(await isStored('u1')).toBe(true);
  });
});

describe('the same seed', () => {
  const faults: Rules = [
    { name: 'a', on: 'users.add', share: 0.3, status: 'UNAVAILABLE' },
    { name: 'b', on: 'users.add', share: 0.2, drop: 'after' },
    { name: 'c', on: '*', share: 0.5, items: 0.4 },
  ];
  async function logOf(seed: number): Promise<string> {
    const { service, addUsers } = await openService(faults, { seed });
    for (let at = 0; at < 40; at += 1) await addUsers(ids(at % 7)).catch(() => undefined);
    const log = await service.requests.list();
    return log
      .map(
        ({ id, operation, status, fault, records, failed }) =>
          `${JSON.stringify({ id, operation, status, fault, records, failed })}\n`,
      )
      .join('');
  }

  it('causes the same log, byte for byte', SLOW, async () => {
    const [first, second, other] = await Promise.all([logOf(7), logOf(7), logOf(8)]);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
    for (const name of ['a', 'b', 'c']) expect(first).toContain(`"fault":"${name}"`);
  });
});

describe('rules', () => {
  it('are rejected if they are not valid, and nothing changes', async () => {
    const { service } = await openService([{ on: '*', status: 'INTERNAL', times: 1 }]);
    const mistyped = { on: 'users.ad', status: 'INTERNAL' } as unknown as Rules[number];
    await expect(service.faults.add(mistyped)).rejects.toThrow(
      "on: unknown operation 'users.ad'; did you mean 'users.add'?",
    );
    expect((await service.faults.list()).faults).toHaveLength(1);
    await expect(createService({ faults: { faults: [mistyped] } })).rejects.toThrow(
      'faults[0].on: unknown operation',
    );
  });
});

describe('faults of deliveries', () => {
  /** Delivers comments with rules, and returns the attempts of each delivery. */
  async function deliver(faults: Rules, organizationIds: readonly string[] = ['acme']) {
    const store = await emptyStoreLocation();
    const { url, received } = await receiver();
    const { service, call } = await openService(faults, { store });
    const { workspaceId, workspaceAuthToken } = service.client;
    const workspace = {
      'x-svc-workspace-id': workspaceId,
      'x-svc-workspace-auth-token': workspaceAuthToken,
    };
    const created = [
      await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true }, workspace),
      await call('/v2/workspace/advancedwebhook/endpoints/create', { url }, workspace),
    ];
    expect(created).toMatchObject([{ status: 200 }, { status: 200 }]);
    await service.listen();
    const activity = {
      featureType: 'comment',
      actionType: 'comment.add',
      actionUser: { userId: 'u1' },
    };
    for (const organizationId of organizationIds) {
      const activities = [{ ...activity, entityTargetData: { commentId: 1 } }];
      await call('/v2/activities/add', { organizationId, documentId: 'd1', activities });
    }
    const reader = await openStore(store);
    onTestFinished(reader.close);
    const attempts = await eventually(async () => {
      const details = await listDeliveries(reader, service.client.apiKey, {}, 100);
      const found = details.map(({ record }) =>
        record.attempts.map(({ status, error }) => ({ status, error })),
      );
      expect(found.filter(({ length }) => length > 0)).toHaveLength(organizationIds.length);
      return found.toReversed();
    });
    return { attempts, received };
  }

  it('respond with a status without sending the request', async () => {
    const { attempts, received } = await deliver([
      { name: 'down', on: 'delivery', status: 'UNAVAILABLE' },
    ]);
    expect(attempts).toEqual([[{ status: 503, error: "Fault 'down'." }]]);
    expect(received).toEqual([]);
  });

  it('drop the request or its response', async () => {
    const before = await deliver([{ on: 'delivery', drop: 'before' }]);
    expect(before.attempts).toEqual([[{ status: null, error: "Fault 'fault-1'." }]]);
    expect(before.received).toEqual([]);
    const after = await deliver([{ on: 'delivery', drop: 'after' }]);
    expect(after.attempts).toEqual([[{ status: null, error: "Fault 'fault-1'." }]]);
    expect(after.received).toHaveLength(1);
  });

  it('delay the response, and apply only to their organization', async () => {
    const rules: Rules = [
      { on: 'delivery', org: 'other', status: 'INTERNAL' },
      { on: 'delivery', delay: { p50: 20, p99: 20 } },
    ];
    const { attempts } = await deliver(rules, ['acme', 'other']);
    expect(attempts.map(([first]) => first?.status)).toEqual([200, 500]);
  });
});
