import { didYouMean } from '../kernel/nearest.ts';

/** What an event type is about: the groups under which triggers are switched and lists are shown. */
export type EventGroup = 'thread' | 'message' | 'huddle' | 'editor' | 'recorder' | 'delivery';

export interface EventType {
  readonly name: string;
  readonly group: EventGroup;
  readonly describes: string;
  /** Whether it is on after basic webhooks are enabled for the first time. */
  readonly onByDefault: boolean;
  /** It is a trigger of the e-mail service too. */
  readonly email?: true;
}

const thread = (name: string, describes: string, rest: Partial<EventType> = {}): EventType => ({
  name: `comment_annotation.${name}`,
  group: 'thread',
  describes,
  onByDefault: true,
  ...rest,
});

const message = (name: string, describes: string, rest: Partial<EventType> = {}): EventType => ({
  name: `comment.${name}`,
  group: 'message',
  describes,
  onByDefault: true,
  ...rest,
});

/** The known event types. The set is open: the service may send others, and takes others as trigger keys. */
const EVENT_TYPES: readonly EventType[] = [
  thread('add', 'a comment thread was started', { email: true }),
  thread('assign', 'a thread was assigned to a user', { email: true }),
  thread('status_change', "a thread's status changed", { email: true }),
  thread('priority_change', "a thread's priority changed", { email: true }),
  thread('custom_list_change', "a thread's custom list changed"),
  thread('subscribe', 'a user subscribed to a thread'),
  thread('unsubscribe', 'a user unsubscribed from a thread'),
  thread('accept', 'a thread was accepted'),
  thread('reject', 'a thread was rejected'),
  thread('approve', 'a thread was approved'),
  thread('suggestion_accept', 'a suggestion was accepted', { onByDefault: false }),
  thread('suggestion_reject', 'a suggestion was rejected', { onByDefault: false }),
  message('add', 'a comment was added to a thread', { email: true }),
  message('update', 'a comment was changed'),
  message('delete', 'a comment was deleted'),
  message('reaction_add', 'a reaction was added to a comment'),
  message('reaction_delete', 'a reaction was removed from a comment'),
  { name: 'huddle.create', group: 'huddle', describes: 'a huddle was started', onByDefault: true, email: true },
  { name: 'huddle.join', group: 'huddle', describes: 'a user joined a huddle', onByDefault: true, email: true },
  { name: 'crdt.update_data', group: 'editor', describes: 'editor content changed', onByDefault: false },
  { name: 'recorder.done', group: 'recorder', describes: 'a recording was finished', onByDefault: false },
  {
    name: 'message.attempt.exhausted',
    group: 'delivery',
    describes: 'a delivery was given up after its last attempt',
    onByDefault: false,
  },
];

const EVENT_NAMES: readonly string[] = EVENT_TYPES.map(({ name }) => name);

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
  return names
    .filter((name) => !EVENT_NAMES.includes(name))
    .map((name) => `'${name}' is no known event type; ${didYouMean(name, EVENT_NAMES)}`);
}
