import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../src/catalog/events.ts';
import { advancedPayload, basicPayload, eventFromPayload, eventNameOf } from '../../src/webhooks/event.ts';
import { sampleEvent } from '../../src/webhooks/sample.ts';

const SETTING = { webhookId: 'wh_1', now: 1_770_000_000_000, apiKey: 'key-1' };
const plain = (value: object) => JSON.parse(JSON.stringify(value));

describe('the two forms of a payload', () => {
  const event = sampleEvent('comment.add', SETTING);
  const { actionUser, commentAnnotation, targetComment, pageInfo } = event;

  it('basic', () => {
    expect(plain(basicPayload(event))).toEqual({
      webhookId: 'wh_1',
      actionType: 'added',
      notificationSource: 'comment',
      actionUser,
      metadata: {
        apiKey: 'key-1',
        documentId: 'd-launch-plan',
        documentName: 'Launch plan',
        organizationId: 'acme',
        pageInfo,
      },
      commentAnnotation,
      targetComment,
      platform: 'sdk',
    });
  });

  it('advanced', () => {
    expect(plain(advancedPayload(event))).toEqual({
      event: 'comment.add',
      actionType: 'added',
      source: 'comment',
      platform: 'sdk',
      webhookId: 'wh_1',
      data: {
        commentAnnotation,
        targetComment,
        actionUser,
        metadata: {
          organization: { organizationId: 'acme' },
          document: { documentId: 'd-launch-plan', documentName: 'Launch plan' },
          apiKey: 'key-1',
          pageInfo,
        },
      },
    });
  });

  it('say what is bare as little as it is', () => {
    const bare = { event: 'crdt.update_data', webhookId: 'w', apiKey: 'k' };
    expect(plain(advancedPayload(bare))).toMatchObject({
      actionType: 'updateData',
      source: 'crdt',
      data: { metadata: { organization: {}, document: {}, apiKey: 'k', pageInfo: {} } },
    });
    expect(plain(basicPayload({ ...bare, event: 'thread.link_copy' }))).toMatchObject({
      actionType: 'linkCopy',
      notificationSource: 'thread',
    });
  });
});

describe('a sample', () => {
  it.each(EVENT_NAMES)('of %s names who, where and what', (name) => {
    const { data, event } = plain(advancedPayload(sampleEvent(name, SETTING)));
    expect(event).toBe(name);
    expect(data.actionUser.userId).toMatch(/^u-/);
    const subject = Object.keys(data).filter((field) => !['actionUser', 'metadata'].includes(field));
    expect(subject.length).toBeGreaterThan(0);
  });

  it('of an unknown type names who and where', () => {
    const { data } = plain(advancedPayload(sampleEvent('thread.link_copy', SETTING)));
    expect(Object.keys(data)).toEqual(['actionUser', 'metadata']);
  });
});

describe('what a payload is about', () => {
  it.each(EVENT_NAMES)('%s, in both forms, and back', (name) => {
    const event = sampleEvent(name, SETTING);
    for (const payload of [basicPayload(event), advancedPayload(event)]) expect(eventNameOf(plain(payload))).toBe(name);
    const back = eventFromPayload(plain(advancedPayload(event)), event);
    expect(plain(advancedPayload(back))).toEqual(plain(advancedPayload(event)));
    expect(plain(basicPayload(back))).toEqual(plain(basicPayload(event)));
  });

  it.each([null, [], 'x', {}, { event: 1 }, { notificationSource: 'comment' }])('%j says nothing', (payload) => {
    expect(eventNameOf(payload)).toBe('unknown');
    expect(
      plain(advancedPayload(eventFromPayload(payload, { event: 'e', webhookId: 'w', apiKey: 'k' }))),
    ).toMatchObject({
      data: { metadata: { apiKey: 'k' } },
    });
  });

  it('an action that is not known is named as it is', () => {
    expect(eventNameOf({ notificationSource: 'comment', actionType: 'pinned' })).toBe('comment.pinned');
  });
});
