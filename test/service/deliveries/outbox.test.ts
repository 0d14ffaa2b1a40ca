import { describe, expect, it } from 'vitest';
import { listDeliveries } from '../../../src/service/deliveries/records.ts';
import { resetState } from '../../../src/service/state/reset.ts';
import { addSecondKey } from '../test-service.ts';
import { type DeliveringWorld, deliveringWorld } from './delivering.ts';

const place = { organizationId: 'acme', documentId: 'd1' };
const actionUser = { userId: 'u1' };

/** Creates a service in which every event has one target. */
async function listening(settings: object = {}): Promise<DeliveringWorld> {
  const world = await deliveringWorld();
  await world.endpoint({ url: 'https://example.com', ...settings });
  return world;
}

async function events({ deliveries }: DeliveringWorld): Promise<readonly string[]> {
  return (await deliveries()).map(({ event }) => event);
}

async function payloads({ store, credentials }: DeliveringWorld): Promise<readonly object[]> {
  const details = await listDeliveries(store, credentials.apiKey, {}, 100);
  return details.map(({ payload = '' }) => JSON.parse(payload)).reverse();
}

const add = (world: DeliveringWorld, ...activities: readonly object[]) =>
  world.call('/v2/activities/add', {
    ...place,
    activities: activities.map((each) => ({ actionUser, targetEntityId: 't1', ...each })),
  });

describe('events of calls', () => {
  it.each([
    ['comment', 'comment.add', 'comment.add'],
    ['comment', 'add', 'comment.add'],
    ['comment', 'added', 'comment.add'],
    ['comment', 'newlyAdded', 'comment_annotation.add'],
    ['comment', 'statusChanged', 'comment_annotation.status_change'],
    ['comment', 'assigned', 'comment_annotation.assign'],
    ['recorder', 'done', 'recorder.done'],
    ['custom', 'comment.delete', 'comment.delete'],
    ['custom', 'added', undefined],
    ['comment', 'noticed', undefined],
    ['comment', 'message.attempt.exhausted', undefined],
  ])('an activity of %s with the action %s: %s', async (featureType, actionType, event) => {
    const world = await listening();
    await add(world, { featureType, actionType });
    expect(await events(world)).toEqual(event === undefined ? [] : [event]);
  });

  it('do not include an activity that already exists', async () => {
    const world = await listening();
    const activity = { id: 'a1', featureType: 'comment', actionType: 'comment.add' };
    await add(world, activity);
    await add(world, activity);
    expect(await events(world)).toEqual(['comment.add']);
  });

  it('include changes of comment activities that have an event type', async () => {
    const world = await listening({
      filterTypes: ['comment_annotation.status_change', 'comment.update'],
    });
    await add(world, {
      id: 'a1',
      featureType: 'comment',
      actionType: 'x',
      entityData: { annotationId: 7 },
    });
    await add(world, { id: 'a2', featureType: 'custom', actionType: 'x' });
    const change = { from: 1, to: 2 };
    await world.call('/v2/activities/update', {
      organizationId: 'acme',
      activities: [
        { id: 'a1', changes: { status: change, commentText: change, other: change } },
        { id: 'a2', changes: { status: change } },
        { id: 'a3', changes: { status: change } },
      ],
    });
    expect(await events(world)).toEqual(['comment_annotation.status_change', 'comment.update']);
    expect(await payloads(world)).toMatchObject([
      { data: { commentAnnotation: { annotationId: 7 } } },
      {},
    ]);
  });

  it('include editor content', async () => {
    const world = await listening();
    await world.call('/v1/organizations/documents/add', {
      organizationId: 'acme',
      documents: [{ documentId: 'd1', documentName: 'Plan' }],
    });
    const content = { ...place, editorId: 'e1', type: 'map' };
    await world.call('/v2/crdt/add', { ...content, data: { a: 1 } });
    await world.call('/v2/crdt/update', { ...content, data: { a: 2 } });
    expect(await payloads(world)).toMatchObject([
      { event: 'crdt.update_data', data: { crdtData: { id: 'e1', data: { a: 1 } } } },
      {
        data: {
          crdtData: { data: { a: 2 } },
          metadata: { document: { documentId: 'd1', documentName: 'Plan' } },
        },
      },
    ]);
  });

  it('include a notification that names an event, once', async () => {
    const world = await listening();
    const notification = {
      ...place,
      createOrganization: true,
      createDocument: true,
      actionUser,
      notifyUsers: [{ userId: 'u2' }],
      notifyAll: false,
      displayHeadlineMessageTemplate: 'Hi',
      displayBodyMessage: 'there',
    };
    const named = {
      notificationSource: 'comment',
      notificationSourceData: { actionType: 'added' },
    };
    await world.call('/v2/notifications/add', { ...notification, ...named, notificationId: 'n1' });
    await world.call('/v2/notifications/add', { ...notification, ...named, notificationId: 'n1' });
    await world.call('/v2/notifications/add', { ...notification, notificationSource: 'custom' });
    expect(await events(world)).toEqual(['comment.add']);
  });

  it('do not include calls without an event type', async () => {
    const world = await listening();
    await world.call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] });
    await world.call('/v2/presence/update', {
      ...place,
      users: [{ userId: 'u1', status: 'online' }],
    });
    await world.call('/v2/presence/delete', { ...place, userIds: ['u1'] });
    expect(await events(world)).toEqual([]);
  });
});

describe('the outbox', () => {
  const comment = { featureType: 'comment', actionType: 'comment.add' };

  it('has a row for each endpoint whose types and channels match, all with the same event', async () => {
    const world = await deliveringWorld();
    const url = 'https://example.com';
    const wanting = [
      await world.endpoint({ url }),
      await world.endpoint({ url, filterTypes: ['comment.add', 'comment.update'] }),
      await world.endpoint({ url, channels: ['acme'] }),
      await world.endpoint({ url, channels: ['x', 'd1'], filterTypes: ['comment.add'] }),
    ];
    await world.endpoint({ url, filterTypes: ['comment.update'] });
    await world.endpoint({ url, channels: ['other'] });
    await world.endpoint({ url, disabled: true });
    await add(world, comment);
    const records = await world.deliveries();
    expect(records.map(({ endpointId }) => endpointId)).toEqual(wanting);
    expect(new Set(records.map(({ id }) => id)).size).toBe(4);
    const ids = (await payloads(world)).map((payload) => Reflect.get(payload, 'webhookId'));
    expect(new Set(ids).size).toBe(1);
  });

  it('has no event of a refused call', async () => {
    const world = await listening();
    const content = { ...place, editorId: 'e1', type: 'xml' };
    expect((await world.call('/v2/crdt/add', { ...content, data: '<a>' })).http).toBe(400);
    expect(await events(world)).toEqual([]);
  });

  it('has no events of other API keys, or of API keys without subscriptions', async () => {
    const world = await listening();
    const headers = await addSecondKey(world);
    await world.call(
      '/v2/activities/add',
      { ...place, activities: [{ ...comment, actionUser }] },
      headers,
    );
    await world.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    await add(world, comment);
    expect(await events(world)).toEqual([]);
  });

  it('is emptied by a reset', async () => {
    const world = await listening();
    await add(world, comment);
    await resetState(world.store);
    expect(await events(world)).toEqual([]);
  });
});
