import { EVENT_SOURCES, EVENT_TYPES, type EventType } from '../../catalog/events.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { Happening } from './outbox.ts';

/**
 * Which call causes which event. The list of events is about comments, huddles, editor content and recordings, and the
 * interface has calls for little of that, so these are all the causes:
 *
 * | call | event |
 * |---|---|
 * | Add Activities | the one that `actionType` names: in full (`comment.add`), without its feature (`add` of `comment`), or as payloads write it (`added`) |
 * | Update Activity Logs | of a comment's activity, one for each of its `changes` that the list has: `status`, `priority`, `assignedTo`, `customList`, `commentText` |
 * | Add, Update CRDT Data | `crdt.update_data` |
 * | Add Notifications | the one that `actionType` in `notificationSourceData` names, the feature being `notificationSource` |
 *
 * The list has nothing for presence, users, documents and the rest: calls for those cause no event.
 */
const CAUSED = EVENT_TYPES.filter(({ group }) => group !== 'delivery');

const CRDT_EVENT = 'crdt.update_data';

const CHANGES: ReadonlyMap<string, string> = new Map([
  ['status', 'comment_annotation.status_change'],
  ['priority', 'comment_annotation.priority_change'],
  ['assignedTo', 'comment_annotation.assign'],
  ['customList', 'comment_annotation.custom_list_change'],
  ['commentText', 'comment.update'],
]);

/** What a comment's activity calls its feature. */
const COMMENT_FEATURES: ReadonlySet<unknown> = new Set([EVENT_SOURCES.thread, 'comment_annotation']);

export type Place = Pick<Happening, 'organizationId' | 'documentId'>;

/** An activity as it is kept. What it is about, and what was done to it, are a thread and its comment. */
export interface Activity {
  readonly featureType?: unknown;
  readonly actionType?: unknown;
  readonly actionUser?: unknown;
  readonly entityData?: unknown;
  readonly entityTargetData?: unknown;
  readonly changes?: unknown;
}

export function activityAdded(place: Place, activity: Activity = {}): readonly Happening[] {
  const event = eventOf(activity.featureType, activity.actionType);
  return event === undefined ? [] : [{ ...place, event, describe: () => described(activity) }];
}

/** @param change what of the activity was set now */
export function activityChanged(place: Place, activity: Activity, { changes }: Activity): readonly Happening[] {
  if (!COMMENT_FEATURES.has(activity.featureType) || !isObject(changes)) return [];
  const events = Object.keys(changes).flatMap((field) => CHANGES.get(field) ?? []);
  return events.map((event) => ({ ...place, event, describe: () => described(activity) }));
}

export function editorWritten(place: Place, crdtData: () => object): readonly Happening[] {
  return [{ ...place, event: CRDT_EVENT, describe: () => ({ crdtData: crdtData() }) }];
}

export interface Notification extends Place {
  readonly actionUser: object;
  readonly notificationSource?: string | undefined;
  readonly notificationSourceData?: Readonly<Record<string, unknown>> | undefined;
}

export function notificationAdded(notification: Notification): readonly Happening[] {
  const { organizationId, documentId, actionUser, notificationSource, notificationSourceData = {} } = notification;
  const event = eventOf(notificationSource, notificationSourceData['actionType']);
  if (event === undefined) return [];
  const { commentAnnotation, targetComment } = notificationSourceData;
  const describe = () => ({ actionUser, ...subject(commentAnnotation, targetComment) });
  return [{ organizationId, documentId, event, describe }];
}

function eventOf(feature: unknown, action: unknown): string | undefined {
  return typeof action === 'string' ? CAUSED.find((type) => isNamed(type, feature, action))?.name : undefined;
}

function isNamed({ name, group, actionType }: EventType, feature: unknown, action: string): boolean {
  if (action === name || `${feature}.${action}` === name) return true;
  return feature === EVENT_SOURCES[group] && action === actionType;
}

function described({ actionUser, entityData, entityTargetData, changes }: Activity) {
  return {
    ...(isObject(actionUser) && { actionUser }),
    ...subject(entityData, entityTargetData),
    ...(isObject(changes) && { extra: { changes } }),
  };
}

function subject(commentAnnotation: unknown, targetComment: unknown) {
  return {
    ...(isObject(commentAnnotation) && { commentAnnotation }),
    ...(isObject(targetComment) && { targetComment }),
  };
}
