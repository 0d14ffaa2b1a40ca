import { EVENT_TYPES, type EventGroup } from '../catalog/events.ts';
import type { WebhookEvent } from './event.ts';

/** Options of a sample event. `now` is in milliseconds since the epoch. */
export interface SampleOptions {
  readonly webhookId: string;
  readonly now: number;
  /** The API key in the payload (default: a placeholder). */
  readonly apiKey?: string;
}

type EventSubject = Pick<
  WebhookEvent,
  'commentAnnotation' | 'targetComment' | 'crdtData' | 'extra'
>;
const ADA = { userId: 'u-ada', name: 'Ada Example', email: 'ada@example.com' };
const BEN = { userId: 'u-ben', name: 'Ben Example', email: 'ben@example.com' };
const DAY = 86_400_000;
const MINUTE = 60_000;

/**
 * Creates a realistic event of the given type, with users, a document, and a subject. All data is
 * fictional.
 */
export function createSampleEvent(event: string, options: SampleOptions): WebhookEvent {
  const { webhookId, now, apiKey = 'sample-api-key' } = options;
  const group = EVENT_TYPES.find(({ name }) => name === event)?.group;
  return {
    event,
    webhookId,
    apiKey,
    organizationId: 'acme',
    documentId: 'd-launch-plan',
    documentName: 'Launch plan',
    pageInfo: { url: 'https://app.example.com/documents/d-launch-plan', title: 'Launch plan' },
    actionUser: ADA,
    ...(group && SUBJECT_BUILDERS[group](event, now)),
  };
}

const SUBJECT_BUILDERS: Readonly<Record<EventGroup, (event: string, now: number) => EventSubject>> =
  {
    thread: createThreadSubject,
    message: createMessageSubject,
    huddle: () => ({}),
    workflow: () => ({}),
    editor: (_, now) => ({
      crdtData: {
        id: 'intro',
        data: 'We launch in May. Every team names one person who answers.',
        lastUpdate: new Date(now).toISOString(),
        lastUpdatedBy: ADA.userId,
        sessionId: 's-3f1c',
      },
    }),
    recorder: createRecorderSubject,
    delivery: (_, now) => ({
      extra: {
        endpointId: 'ep_2cV6ZkXyQ0b1aT9mN4wR7sJ3pLd',
        messageId: 'msg_3mQ8xYb2Lk0TzR5vN1cWd9Gh4Fs',
        messageEvent: 'comment.add',
        attempts: 8,
        lastAttempt: {
          at: new Date(now).toISOString(),
          status: 503,
          error: null,
          reason: 'http 5xx',
          milliseconds: 12,
          body: 'Service Unavailable',
        },
      },
    }),
  };

function createThreadSubject(event: string, now: number): EventSubject {
  const isNew = event === 'comment_annotation.add';
  const created = isNew ? now : now - DAY;
  const first = createQuestion(created);
  const comments = isNew
    ? [first]
    : [first, createComment(2, 'It moved to May.', ADA, now - MINUTE)];
  const annotation = {
    annotationId: 'an-41',
    annotationNumber: 41,
    type: 'comment',
    status: OPEN,
    from: BEN,
    comments,
    createdAt: created,
    lastUpdated: now,
    ...THREAD_CHANGES.get(event),
  };
  const extra = THREAD_EXTRAS.get(event);
  return {
    commentAnnotation: annotation,
    ...(isNew && { targetComment: first }),
    ...(extra && { extra }),
  };
}

const OPEN = { id: 'OPEN', name: 'Open', type: 'default' };
const RESOLVED = { id: 'RESOLVED', name: 'Resolved', type: 'terminal' };
const PRIORITY = { id: 'P1', name: 'High' };

/** Fields of the payload beside the thread, which describe its change. */
const THREAD_EXTRAS: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map<
  string,
  Readonly<Record<string, unknown>>
>([
  ['comment_annotation.assign', { assigned: ADA }],
  ['comment_annotation.status_change', { oldStatus: OPEN, newStatus: RESOLVED }],
  ['comment_annotation.priority_change', { newPriority: PRIORITY }],
]);

const THREAD_CHANGES: ReadonlyMap<string, object> = new Map<string, object>([
  ['comment_annotation.assign', { assignedTo: ADA }],
  ['comment_annotation.status_change', { status: RESOLVED }],
  ['comment_annotation.priority_change', { priority: PRIORITY }],
  ['comment_annotation.custom_list_change', { customList: [{ id: 'legal', label: 'Legal' }] }],
  ['comment_annotation.subscribe', { subscribedUsers: [ADA] }],
  ['comment_annotation.unsubscribe', { unsubscribedUsers: [ADA] }],
  ['comment_annotation.accept', { status: { id: 'ACCEPTED', name: 'Accepted', type: 'terminal' } }],
  ['comment_annotation.reject', { status: { id: 'REJECTED', name: 'Rejected', type: 'terminal' } }],
  [
    'comment_annotation.approve',
    { status: { id: 'APPROVED', name: 'Approved', type: 'terminal' } },
  ],
  [
    'comment_annotation.suggestion_accept',
    { type: 'suggestion', suggestion: { state: 'accepted' } },
  ],
  [
    'comment_annotation.suggestion_reject',
    { type: 'suggestion', suggestion: { state: 'rejected' } },
  ],
]);

function createMessageSubject(event: string, now: number): EventSubject {
  const target = {
    ...createComment(2, 'It moved to May.', ADA, now - MINUTE),
    ...MESSAGE_CHANGES.get(event)?.(now),
  };
  const { commentAnnotation } = createThreadSubject('', now);
  const first = createQuestion(now - DAY);
  const comments = event === 'comment.delete' ? [first] : [first, target];
  return { commentAnnotation: { ...commentAnnotation, comments }, targetComment: target };
}

const MESSAGE_CHANGES: ReadonlyMap<string, (now: number) => object> = new Map<
  string,
  (now: number) => object
>([
  ['comment.add', (now) => ({ createdAt: now, lastUpdated: now })],
  [
    'comment.update',
    (now) => ({
      ...createComment(2, 'It moved to the 12th of May.', ADA, now - MINUTE),
      status: 'updated',
      editedAt: now,
      lastUpdated: now,
    }),
  ],
  ['comment.reaction_add', () => ({ reactions: [{ reactionId: '1f44d', from: ADA }] })],
]);

function createRecorderSubject(_: string, now: number): EventSubject {
  const asset = {
    url: 'https://files.example.com/rec-12.mp4',
    thumbnailUrl: 'https://files.example.com/rec-12.png',
    mimeType: 'video/mp4',
    fileSizeInBytes: 8_123_904,
    version: 1,
    createdAt: now - 3 * MINUTE,
  };
  return {
    extra: {
      recorderId: 'rec-12',
      from: ADA,
      assets: [asset],
      assetsAllVersions: [asset],
      transcription: { transcriptedText: 'We launch in May.' },
    },
  };
}

function createQuestion(createdAt: number) {
  return createComment(1, 'Is this date still right?', BEN, createdAt);
}

function createComment(commentId: number, commentText: string, from: object, createdAt: number) {
  return {
    commentId,
    type: 'text',
    commentText,
    commentHtml: `<p>${commentText}</p>`,
    from,
    status: 'added',
    createdAt,
    lastUpdated: createdAt,
  };
}
