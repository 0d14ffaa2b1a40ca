import { nearest } from '../kernel/nearest.ts';

/** What an event type is about: the groups under which triggers are switched and lists are shown. */
export type EventGroup = 'thread' | 'message' | 'huddle' | 'editor' | 'recorder' | 'delivery';

export interface EventType {
  readonly name: string;
  readonly group: EventGroup;
  readonly describes: string;
  /** The `actionType` of its payload. */
  readonly actionType: string;
  /** Whether it is on after basic webhooks are enabled for the first time. */
  readonly onByDefault: boolean;
  /** It is a trigger of the e-mail service too. */
  readonly email?: true;
}

/** What payloads name as the source of a group's events. */
export const EVENT_SOURCES: Readonly<Record<EventGroup, string>> = {
  thread: 'comment',
  message: 'comment',
  huddle: 'huddle',
  editor: 'crdt',
  recorder: 'recorder',
  delivery: 'webhook',
};

const thread = (name: string, actionType: string, describes: string, rest: Partial<EventType> = {}): EventType => ({
  name: `comment_annotation.${name}`,
  group: 'thread',
  actionType,
  describes,
  onByDefault: true,
  ...rest,
});

const message = (name: string, actionType: string, describes: string, rest: Partial<EventType> = {}): EventType => ({
  name: `comment.${name}`,
  group: 'message',
  actionType,
  describes,
  onByDefault: true,
  ...rest,
});

/** The known event types. The set is open: the service may send others, and takes others as trigger keys. */
export const EVENT_TYPES: readonly EventType[] = [
  thread('add', 'newlyAdded', 'a comment thread was started', { email: true }),
  thread('assign', 'assigned', 'a thread was assigned to a user', { email: true }),
  thread('status_change', 'statusChanged', "a thread's status changed", { email: true }),
  thread('priority_change', 'priorityChanged', "a thread's priority changed", { email: true }),
  thread('custom_list_change', 'customListChanged', "a thread's custom list changed"),
  thread('subscribe', 'subscribed', 'a user subscribed to a thread'),
  thread('unsubscribe', 'unsubscribed', 'a user unsubscribed from a thread'),
  thread('accept', 'accepted', 'a thread was accepted'),
  thread('reject', 'rejected', 'a thread was rejected'),
  thread('approve', 'approved', 'a thread was approved'),
  thread('suggestion_accept', 'suggestionAccepted', 'a suggestion was accepted', { onByDefault: false }),
  thread('suggestion_reject', 'suggestionRejected', 'a suggestion was rejected', { onByDefault: false }),
  message('add', 'added', 'a comment was added to a thread', { email: true }),
  message('update', 'updated', 'a comment was changed'),
  message('delete', 'deleted', 'a comment was deleted'),
  message('reaction_add', 'reactionAdded', 'a reaction was added to a comment'),
  message('reaction_delete', 'reactionDeleted', 'a reaction was removed from a comment'),
  {
    name: 'huddle.create',
    group: 'huddle',
    actionType: 'created',
    describes: 'a huddle was started',
    onByDefault: true,
    email: true,
  },
  {
    name: 'huddle.join',
    group: 'huddle',
    actionType: 'join',
    describes: 'a user joined a huddle',
    onByDefault: true,
    email: true,
  },
  {
    name: 'crdt.update_data',
    group: 'editor',
    actionType: 'updateData',
    describes: 'editor content changed',
    onByDefault: false,
  },
  {
    name: 'recorder.done',
    group: 'recorder',
    actionType: 'done',
    describes: 'a recording was finished',
    onByDefault: false,
  },
  {
    name: 'message.attempt.exhausted',
    group: 'delivery',
    actionType: 'exhausted',
    describes: 'a delivery was given up after its last attempt',
    onByDefault: false,
  },
];

export const EVENT_NAMES: readonly string[] = EVENT_TYPES.map(({ name }) => name);

/** The triggers that enabling basic webhooks for the first time stores. */
export const WEBHOOK_TRIGGERS = triggers(EVENT_TYPES.filter(({ group }) => group !== 'delivery'));

/** The triggers that enabling the e-mail service for the first time stores: all on. */
export const EMAIL_TRIGGERS = triggers(
  EVENT_TYPES.filter(({ email }) => email).map((event) => ({ ...event, onByDefault: true })),
);

function triggers(events: readonly EventType[]): Readonly<Record<string, boolean>> {
  return Object.fromEntries(events.map(({ name, onByDefault }) => [name, onByDefault]));
}

/** A warning for each name that is no known event type. The set is open, so it may be right all the same. */
export function unknownEventWarnings(names: readonly string[]): readonly string[] {
  return names.filter((name) => !EVENT_NAMES.includes(name)).map(unknownEvent);
}

function unknownEvent(name: string): string {
  const near = nearest(name, EVENT_NAMES);
  const advice = near === undefined ? 'svc webhooks events lists them' : `did you mean '${near}'?`;
  return `'${name}' is no known event type; ${advice}`;
}
