import { EVENT_SOURCES, EVENT_TYPES } from '../catalog/events.ts';
import { isObject } from '../kernel/is-object.ts';
import type { Form } from './form.ts';

/** What happened, before it takes one of the two forms in which it is delivered. */
export interface HookEvent {
  /** The event type: `comment.add`. The set is open. */
  readonly event: string;
  /** The id of this event, the same in every delivery of it. */
  readonly webhookId: string;
  readonly apiKey: string;
  readonly organizationId?: string | undefined;
  readonly documentId?: string | undefined;
  readonly documentName?: string | undefined;
  readonly pageInfo?: object | undefined;
  readonly actionUser?: object | undefined;
  readonly commentAnnotation?: object | undefined;
  readonly targetComment?: object | undefined;
  readonly crdtData?: object | undefined;
  /** Further fields of the payload's data, by name. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

const PLATFORM = 'sdk';

/** The event that an advanced payload tells of, for a payload that was written by hand. */
export function eventFromPayload(
  payload: unknown,
  event: Pick<HookEvent, 'event' | 'webhookId' | 'apiKey'>,
): HookEvent {
  const { metadata, actionUser, commentAnnotation, targetComment, crdtData, ...extra } = objectAt(payload, 'data');
  const organization = objectAt(metadata, 'organization');
  const document = objectAt(metadata, 'document');
  return {
    ...event,
    organizationId: textOf(organization['organizationId']),
    documentId: textOf(document['documentId']),
    documentName: textOf(document['documentName']),
    pageInfo: objectAt(metadata, 'pageInfo'),
    actionUser: objectOf(actionUser),
    commentAnnotation: objectOf(commentAnnotation),
    targetComment: objectOf(targetComment),
    crdtData: objectOf(crdtData),
    extra,
  };
}

function objectAt(value: unknown, name: string): Readonly<Record<string, unknown>> {
  return (isObject(value) && objectOf(value[name])) || {};
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The payload of a basic webhook. */
export function basicPayload(event: HookEvent): object {
  const { webhookId, actionUser, apiKey, documentId, documentName, organizationId, pageInfo = {} } = event;
  return {
    webhookId,
    actionType: actionTypeOf(event.event),
    notificationSource: sourceOf(event.event),
    actionUser,
    metadata: { apiKey, documentId, documentName, organizationId, pageInfo },
    ...subjectOf(event),
    platform: PLATFORM,
  };
}

/** The payload of an advanced webhook. */
export function advancedPayload(event: HookEvent): object {
  const { webhookId, actionUser, apiKey, documentId, documentName, organizationId, pageInfo = {} } = event;
  return {
    event: event.event,
    actionType: actionTypeOf(event.event),
    source: sourceOf(event.event),
    platform: PLATFORM,
    webhookId,
    data: {
      ...subjectOf(event),
      actionUser,
      metadata: {
        organization: { organizationId },
        document: { documentId, documentName },
        apiKey,
        pageInfo,
      },
    },
  };
}

export const PAYLOADS: Readonly<Record<Form, (event: HookEvent) => object>> = {
  basic: basicPayload,
  advanced: advancedPayload,
};

/** The event type that a payload of either form is about; `unknown` where it does not say. */
export function eventNameOf(payload: unknown): string {
  if (!isObject(payload)) return UNKNOWN;
  const { event, notificationSource: source, actionType } = payload;
  if (typeof event === 'string') return event;
  if (typeof source !== 'string' || typeof actionType !== 'string') return UNKNOWN;
  const known = EVENT_TYPES.find((type) => type.actionType === actionType && EVENT_SOURCES[type.group] === source);
  return known?.name ?? `${source}.${actionType}`;
}

const UNKNOWN = 'unknown';

/** What it happened to. */
function subjectOf({ commentAnnotation, targetComment, crdtData, extra }: HookEvent) {
  return { commentAnnotation, targetComment, crdtData, ...extra };
}

/** Of an event type that is not known, as the known ones are formed: `thread.link_copy` is `linkCopy`. */
function actionTypeOf(event: string): string {
  const known = EVENT_TYPES.find(({ name }) => name === event);
  const action = event.slice(event.lastIndexOf('.') + 1);
  return known?.actionType ?? action.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function sourceOf(event: string): string {
  const known = EVENT_TYPES.find(({ name }) => name === event);
  return known ? EVENT_SOURCES[known.group] : (event.split('.', 1)[0] ?? event);
}
