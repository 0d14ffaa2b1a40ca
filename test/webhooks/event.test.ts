import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../src/catalog/events.ts';
import {
  createAdvancedPayload,
  createBasicPayload,
  eventNameOf,
  parseAdvancedPayload,
} from '../../src/webhooks/event.ts';
import { createSampleEvent } from '../../src/webhooks/sample.ts';

const SETTING = { webhookId: 'wh_1', now: 1_770_000_000_000, apiKey: 'key-1' };
const plain = (value: object) => JSON.parse(JSON.stringify(value));

describe('the two forms of a payload', () => {
  const event = createSampleEvent('comment.add', SETTING);
  const { actionUser, commentAnnotation, targetComment, pageInfo } = event;

  it('basic', () => {
    expect(plain(createBasicPayload(event))).toEqual({
      webhookId: 'wh_1',
      actionType: 'added',
      notificationSource: 'comment',
      actionUser,
      metadata: {
        apiKey: 'key-1',
        clientDocumentId: 'd-launch-plan',
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
    expect(plain(createAdvancedPayload(event))).toEqual({
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
          clientDocumentId: 'd-launch-plan',
          pageInfo,
        },
      },
    });
  });

  it('omit the fields of a minimal event', () => {
    const bare = { event: 'crdt.update_data', webhookId: 'w', apiKey: 'k' };
    expect(plain(createAdvancedPayload(bare))).toMatchObject({
      actionType: 'updateData',
      source: 'crdt',
      data: { metadata: { organization: {}, document: {}, apiKey: 'k', pageInfo: {} } },
    });
    expect(plain(createBasicPayload({ ...bare, event: 'thread.link_copy' }))).toMatchObject({
      actionType: 'linkCopy',
      notificationSource: 'thread',
    });
  });
});

describe('a sample', () => {
  it.each(EVENT_NAMES)('of %s names the user and the document', (name) => {
    const { data, event } = plain(createAdvancedPayload(createSampleEvent(name, SETTING)));
    expect(event).toBe(name);
    expect(data.actionUser.userId).toMatch(/^u-/);
    expect(data.metadata).toMatchObject({
      clientDocumentId: 'd-launch-plan',
      document: { documentId: 'd-launch-plan' },
    });
  });

  const STATUS = { id: expect.any(String), name: expect.any(String), type: expect.any(String) };
  const COMMENT = { status: expect.any(String), lastUpdated: expect.any(Number) };
  it.each([
    ['comment_annotation.status_change', { oldStatus: STATUS, newStatus: STATUS }],
    ['comment_annotation.priority_change', { newPriority: { id: 'P1', name: 'High' } }],
    ['comment_annotation.assign', { assigned: { userId: 'u-ada' } }],
    ['comment_annotation.add', { targetComment: COMMENT }],
    [
      'comment.update',
      { targetComment: COMMENT, commentAnnotation: { comments: [COMMENT, COMMENT] } },
    ],
    [
      'recorder.done',
      {
        recorderId: expect.any(String),
        from: { userId: 'u-ada' },
        assets: [{ url: expect.any(String) }],
        assetsAllVersions: [{ url: expect.any(String) }],
        transcription: {},
      },
    ],
  ])('of %s has the documented fields in both forms', (name, fields) => {
    const event = createSampleEvent(name, SETTING);
    expect(plain(createAdvancedPayload(event)).data).toMatchObject(fields);
    expect(plain(createBasicPayload(event))).toMatchObject({
      ...fields,
      metadata: { clientDocumentId: 'd-launch-plan' },
    });
  });

  it('of a huddle has no further fields', () => {
    const { data } = plain(createAdvancedPayload(createSampleEvent('huddle.create', SETTING)));
    expect(Object.keys(data)).toEqual(['actionUser', 'metadata']);
  });

  it('of an unknown type names the user and the document', () => {
    const { data } = plain(createAdvancedPayload(createSampleEvent('thread.link_copy', SETTING)));
    expect(Object.keys(data)).toEqual(['actionUser', 'metadata']);
  });
});

describe('the event of a payload', () => {
  it.each(EVENT_NAMES)('%s is recognized in both forms', (name) => {
    const event = createSampleEvent(name, SETTING);
    for (const payload of [createBasicPayload(event), createAdvancedPayload(event)])
      expect(eventNameOf(plain(payload))).toBe(name);
    const back = parseAdvancedPayload(plain(createAdvancedPayload(event)), event);
    expect(plain(createAdvancedPayload(back))).toEqual(plain(createAdvancedPayload(event)));
    expect(plain(createBasicPayload(back))).toEqual(plain(createBasicPayload(event)));
  });

  it.each([null, [], 'x', {}, { event: 1 }, { notificationSource: 'comment' }])(
    '%j names no event',
    (payload) => {
      expect(eventNameOf(payload)).toBe('unknown');
      expect(
        plain(
          createAdvancedPayload(
            parseAdvancedPayload(payload, { event: 'e', webhookId: 'w', apiKey: 'k' }),
          ),
        ),
      ).toMatchObject({ data: { metadata: { apiKey: 'k' } } });
    },
  );

  it('an unknown action keeps its name', () => {
    expect(eventNameOf({ notificationSource: 'comment', actionType: 'pinned' })).toBe(
      'comment.pinned',
    );
  });
});
