import { type Hint, hint, step } from '../kernel/errors.ts';
import { findNearest, findSimilar } from '../kernel/nearest.ts';

export type EventGroup =
  | 'thread'
  | 'message'
  | 'huddle'
  | 'editor'
  | 'recorder'
  | 'workflow'
  | 'delivery';

export interface EventType {
  readonly name: string;
  readonly group: EventGroup;
  readonly description: string;
  /** The `source` in the payload of the event. */
  readonly source: string;
  /** The `actionType` in the payload of the event. */
  readonly actionType: string;
  readonly onByDefault: boolean;
  readonly email?: true;
}

const inGroup =
  (group: EventGroup, prefix: string, source: string, onByDefault: boolean) =>
  (
    name: string,
    actionType: string,
    description: string,
    rest: Partial<EventType> = {},
  ): EventType => ({
    name: `${prefix}.${name}`,
    group,
    source,
    actionType,
    description,
    onByDefault,
    ...rest,
  });

/** The source of events of comment threads and their messages. */
export const COMMENT_SOURCE = 'comment';
const thread = inGroup('thread', 'comment_annotation', COMMENT_SOURCE, true);
const message = inGroup('message', 'comment', COMMENT_SOURCE, true);
const huddle = inGroup('huddle', 'huddle', 'huddle', true);
const inWorkflow = (prefix: string) => inGroup('workflow', prefix, prefix, false);
const execution = inWorkflow('execution');
const workflowStep = inWorkflow('step');
const loop = inWorkflow('loop');

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
  inGroup('editor', 'crdt', 'crdt', false)('update_data', 'updateData', 'editor content changed'),
  inGroup('recorder', 'recorder', 'recorder', false)('done', 'done', 'a recording was finished'),
  execution('dispatched', 'dispatched', 'a workflow was started'),
  execution('completed', 'completed', 'a workflow was completed'),
  execution('failed', 'failed', 'a workflow failed'),
  execution('cancelled', 'cancelled', 'a workflow was canceled'),
  workflowStep(
    'awaiting-approval',
    'awaitingApproval',
    'a step of a workflow waits for an approval',
  ),
  workflowStep('completed', 'completed', 'a step of a workflow was completed'),
  workflowStep('failed', 'failed', 'a step of a workflow failed'),
  workflowStep('breached', 'breached', 'a step of a workflow exceeded its time limit'),
  workflowStep('cancelled', 'cancelled', 'a step of a workflow was canceled'),
  inWorkflow('group')('quorum-met', 'quorumMet', 'enough members of a group approved'),
  loop('iteration-started', 'iterationStarted', 'an iteration of a loop was started'),
  loop('exhausted', 'exhausted', 'a loop reached its last iteration'),
  inGroup(
    'delivery',
    'message',
    'webhook',
    false,
  )('attempt.exhausted', 'exhausted', 'a delivery failed after its last attempt'),
];

export const EVENT_NAMES: readonly string[] = EVENT_TYPES.map(({ name }) => name);
/** Events in documents. The others are only sent to endpoints of advanced webhooks. */
export const DOCUMENT_EVENT_TYPES = EVENT_TYPES.filter(
  ({ group }) => group !== 'delivery' && group !== 'workflow',
);
export const WEBHOOK_TRIGGERS = defaultTriggers(DOCUMENT_EVENT_TYPES);

export const EMAIL_TRIGGERS = defaultTriggers(
  EVENT_TYPES.filter(({ email }) => email).map((event) => ({ ...event, onByDefault: true })),
);

/** Finds the event type that `source` and `actionType` of a payload name. */
export function findEventType(source: unknown, actionType: unknown): EventType | undefined {
  return EVENT_TYPES.find((type) => type.source === source && type.actionType === actionType);
}

function defaultTriggers(events: readonly EventType[]): Readonly<Record<string, boolean>> {
  return Object.fromEntries(events.map(({ name, onByDefault }) => [name, onByDefault]));
}

/**
 * Returns a warning for each unknown event type. The set is open, so an unknown type may be valid.
 */
export function warnAboutUnknownEvents(names: readonly string[]): readonly Hint[] {
  const listing = hint`to list the known types, run ${step('inspect', 'webhooks', 'events')}`;
  return names
    .filter((name) => !EVENT_NAMES.includes(name))
    .map((name) => {
      const nearest = findNearestEvent(name);
      return hint`'${name}' is not a known event type; ${nearest ? `did you mean '${nearest}'?` : listing}`;
    });
}

/**
 * Finds the known event type, or the group in a pattern, that a misspelled one means. A type that
 * differs in more than two letters may be a new one.
 */
export function findMisspelledEvent(name: string): string | undefined {
  return findSimilar(name, name.endsWith('*') ? EVENT_PATTERNS : EVENT_NAMES);
}

const EVENT_PATTERNS = new Set(EVENT_NAMES.map((name) => name.replace(/[^.]+$/, '*')));

function findNearestEvent(name: string): string | undefined {
  return findNearest(name, EVENT_NAMES);
}
