import { type Client, createClient, createService, type EmbeddedService } from '@collab-svc/svc';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Invitation, invite } from './invite.ts';

const organizationId = 'acme';
const question = { user: 'grace', document: 'plan', organization: organizationId };

let service: EmbeddedService;
let client: Client;

/** All tests share one service. Each test starts with the same data. */
beforeAll(async () => {
  service = await createService();
  client = createClient(service.client);
  await client.call('users.add', { organizationId, users: [{ userId: 'ada', name: 'Ada' }] });
  await client.call('documents.add', { organizationId, documents: [{ documentId: 'plan', documentName: 'Plan' }] });
  await service.snapshots.save('seed');
});

beforeEach(async () => {
  await service.snapshots.restore('seed');
  await service.faults.clear();
  await service.clock.reset();
});

afterAll(() => service.close());

/** Creates an invitation that expires in two days, by the clock of the service. */
async function createInvitation(): Promise<Invitation> {
  const { now } = await service.clock.show();
  return { organizationId, documentId: 'plan', userId: 'grace', expiresAt: Math.floor(Date.parse(now) / 1000) + 48 * 3600 };
}

describe('an invitation', () => {
  it('grants access to the document and notifies the user', async () => {
    expect(await service.explain(question).catch((error) => error.message)).toBe("user 'grace' not found");
    await invite(client, await createInvitation());
    expect(await service.explain(question)).toMatchObject({ allowed: true, role: 'editor', via: [{ level: 'document' }] });
    const data = await client.call('users.data', { organizationId, userId: 'grace' });
    expect(data?.notifications).toMatchObject([{ notificationId: 'invitation-plan-grace' }]);
  });

  it('expires', async () => {
    await invite(client, await createInvitation());
    expect(await service.clock.advance('49h')).toMatchObject({ permissionsExpired: 1 });
    expect(await service.explain(question)).toMatchObject({ allowed: false, nearMisses: [{ reason: 'expired' }] });
  });

  it('is sent once, even if the response is lost and the client retries the request', async () => {
    await service.faults.add({ on: 'notifications.add', nth: 1, drop: 'after' });
    const requests = service.requests.wait({ on: 'notifications.add', count: 2, timeout: '10s' });
    await invite(client, await createInvitation());
    expect((await requests).map(({ fault }) => fault)).toEqual(['fault-1', null]);
    const { records } = await service.list('notifications', { organization: organizationId });
    expect(records).toHaveLength(1);
  });

  it('does not notify anyone if access cannot be granted', async () => {
    await service.faults.add({ on: 'permissions.add', status: 'PERMISSION_DENIED' });
    await expect(invite(client, await createInvitation())).rejects.toMatchObject({ status: 'PERMISSION_DENIED' });
    expect((await service.list('notifications')).records).toEqual([]);
  });
});
