import { COMMENT_SOURCE, DOCUMENT_EVENT_TYPES, type EventType } from '../../catalog/events.ts';
import { isObject } from '../../kernel/json.ts';
import type { DocumentEvent } from './outbox.ts';

/**
 * Types of events that operations cause. No event types exist for presence, users, documents, and
 * the other resources.
 *
 * - Add Activities: the event in `actionType`. It is the full name (`comment.add`), the name without
 *   the feature (`add` with feature `comment`), or the form in payloads (`added`).
 * - Update Activity Logs: for a comment, an event per changed field.
 * - Add, Update CRDT Data: `crdt.update_data`.
 * - Add Notifications: the event in `actionType` of `notificationSourceData`, with the feature in
 *   `notificationSource`.
 */
const CRDT_EVENT = 'crdt.update_data';

const EVENT_OF_CHANGED_FIELD: ReadonlyMap<string, string> = new Map([
  ['status', 'comment_annotation.status_change'],
  ['priority', 'comment_annotation.priority_change'],
  ['assignedTo', 'comment_annotation.assign'],
  ['customList', 'comment_annotation.custom_list_change'],
  ['commentText', 'comment.update'],
]);

const COMMENT_FEATURES: ReadonlySet<unknown> = new Set([COMMENT_SOURCE, 'comment_annotation']);
export type DocumentRef = Pick<DocumentEvent, 'organizationId' | 'documentId'>;

/** A stored activity. `entityData` is a thread, and `entityTargetData` is its comment. */
export interface StoredActivity {
  readonly featureType?: unknown;
  readonly actionType?: unknown;
  readonly actionUser?: unknown;
  readonly entityData?: unknown;
  readonly entityTargetData?: unknown;
  readonly changes?: unknown;
}

export function eventsOfAddedActivity(
  document: DocumentRef,
  activity: StoredActivity = {},
): readonly DocumentEvent[] {
  const event = findEventName(activity.featureType, activity.actionType);
  return event === undefined
    ? []
    : [{ ...document, event, describe: () => describeActivity(activity) }];
}

/**
 * Returns the events for changed fields of a comment's activity. The last argument has only changed
 * fields.
 */
export function eventsOfChangedActivity(
  document: DocumentRef,
  activity: StoredActivity,
  { changes }: StoredActivity,
): readonly DocumentEvent[] {
  if (!COMMENT_FEATURES.has(activity.featureType) || !isObject(changes)) return [];
  const events = Object.keys(changes).flatMap((field) => EVENT_OF_CHANGED_FIELD.get(field) ?? []);
  return events.map((event) => ({
    ...document,
    event,
    describe: () => describeActivity(activity),
  }));
}

export function eventsOfCrdtWrite(
  document: DocumentRef,
  crdtData: () => object,
): readonly DocumentEvent[] {
  return [{ ...document, event: CRDT_EVENT, describe: () => ({ crdtData: crdtData() }) }];
}

export interface StoredNotification extends DocumentRef {
  readonly actionUser: object;
  readonly notificationSource?: string | undefined;
  readonly notificationSourceData?: Readonly<Record<string, unknown>> | undefined;
}

export function eventsOfNotification(notification: StoredNotification): readonly DocumentEvent[] {
  const {
    organizationId,
    documentId,
    actionUser,
    notificationSource,
    notificationSourceData = {},
  } = notification;
  const event = findEventName(notificationSource, notificationSourceData['actionType']);
  if (event === undefined) return [];
  const { commentAnnotation, targetComment } = notificationSourceData;
  const describe = () => ({ actionUser, ...pickComment(commentAnnotation, targetComment) });
  return [{ organizationId, documentId, event, describe }];
}

function findEventName(feature: unknown, action: unknown): string | undefined {
  return typeof action === 'string'
    ? DOCUMENT_EVENT_TYPES.find((type) => matchesEventType(type, feature, action))?.name
    : undefined;
}

function matchesEventType(
  { name, source, actionType }: EventType,
  feature: unknown,
  action: string,
): boolean {
  if (action === name || `${feature}.${action}` === name) return true;
  return feature === source && action === actionType;
}

function describeActivity({ actionUser, entityData, entityTargetData, changes }: StoredActivity) {
  return {
    ...(isObject(actionUser) && { actionUser }),
    ...pickComment(entityData, entityTargetData),
    ...(isObject(changes) && { extra: { changes } }),
  };
}

function pickComment(commentAnnotation: unknown, targetComment: unknown) {
  return {
    ...(isObject(commentAnnotation) && { commentAnnotation }),
    ...(isObject(targetComment) && { targetComment }),
  };
}
