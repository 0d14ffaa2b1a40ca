import { type Hint, hint, step } from '../kernel/errors.ts';
import { findNearest } from '../kernel/nearest.ts';

export type EventGroup = 'thread' | 'message' | 'huddle' | 'editor' | 'recorder' | 'delivery';

export interface EventType {
  readonly name: string;
  readonly group: EventGroup;
  readonly description: string;
  /** The `actionType` in the payload of the event. */
  readonly actionType: string;
  readonly onByDefault: boolean;
  readonly email?: true;
}

export const EVENT_SOURCES: Readonly<Record<EventGroup, string>> = {
  thread: 'comment',
  message: 'comment',
  huddle: 'huddle',
  editor: 'crdt',
  recorder: 'recorder',
  delivery: 'webhook',
};

const inGroup =
  (group: EventGroup, prefix: string, onByDefault: boolean) =>
  (
    name: string,
    actionType: string,
    description: string,
    rest: Partial<EventType> = {},
  ): EventType => ({
    name: `${prefix}.${name}`,
    group,
    actionType,
    description,
    onByDefault,
    ...rest,
  });

const thread = inGroup('thread', 'comment_annotation', true);
const message = inGroup('message', 'comment', true);
const huddle = inGroup('huddle', 'huddle', true);

/**
 * Known event types. The set is open: the service may send other types, and accepts other trigger
 * keys.
 */
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
  thread('suggestion_accept', 'suggestionAccepted', 'a suggestion was accepted', {
    onByDefault: false,
  }),
  thread('suggestion_reject', 'suggestionRejected', 'a suggestion was rejected', {
    onByDefault: false,
  }),
  message('add', 'added', 'a comment was added to a thread', { email: true }),
  message('update', 'updated', 'a comment was updated'),
  message('delete', 'deleted', 'a comment was deleted'),
  message('reaction_add', 'reactionAdded', 'a reaction was added to a comment'),
  message('reaction_delete', 'reactionDeleted', 'a reaction was removed from a comment'),
  huddle('create', 'created', 'a huddle was started', { email: true }),
  huddle('join', 'join', 'a user joined a huddle', { email: true }),
  inGroup('editor', 'crdt', false)('update_data', 'updateData', 'editor content changed'),
  inGroup('recorder', 'recorder', false)('done', 'done', 'a recording was finished'),
  inGroup('delivery', 'message', false)(
    'attempt.exhausted',
    'exhausted',
    'a delivery failed after its last attempt',
  ),
];

export const EVENT_NAMES: readonly string[] = EVENT_TYPES.map(({ name }) => name);
export const WEBHOOK_TRIGGERS = defaultTriggers(
  EVENT_TYPES.filter(({ group }) => group !== 'delivery'),
);

export const EMAIL_TRIGGERS = defaultTriggers(
  EVENT_TYPES.filter(({ email }) => email).map((event) => ({ ...event, onByDefault: true })),
);

function defaultTriggers(events: readonly EventType[]): Readonly<Record<string, boolean>> {
  return Object.fromEntries(events.map(({ name, onByDefault }) => [name, onByDefault]));
}

/**
 * Returns a warning for each unknown event type. The set is open, so an unknown type may be valid.
 */
export function warnAboutUnknownEvents(names: readonly string[]): readonly Hint[] {
  const listing = hint`run ${step('inspect', 'webhooks', 'events')} to list the known types`;
  return names
    .filter((name) => !EVENT_NAMES.includes(name))
    .map((name) => {
      const nearest = findNearestEvent(name);
      return hint`'${name}' is not a known event type; ${nearest ? `did you mean '${nearest}'?` : listing}`;
    });
}

export function findNearestEvent(name: string): string | undefined {
  return findNearest(name, EVENT_NAMES);
}
