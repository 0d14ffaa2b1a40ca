import { EVENT_SOURCES, EVENT_TYPES } from '../catalog/events.ts';
import { isObject } from '../kernel/is-object.ts';
import type { WebhookForm } from './form.ts';

export interface WebhookEvent {
  /** The event type, such as `comment.add`. The set of types is open. */
  readonly event: string;
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
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

const PLATFORM = 'sdk';

/** Parses the event from an advanced payload. Ignores invalid fields, because users can write payloads by hand. */
export function parseAdvancedPayload(payload: unknown, event: Pick<WebhookEvent, 'event' | 'webhookId' | 'apiKey'>) {
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

export function createBasicPayload(event: WebhookEvent): object {
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

export function createAdvancedPayload(event: WebhookEvent): object {
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
      metadata: { organization: { organizationId }, document: { documentId, documentName }, apiKey, pageInfo },
    },
  };
}

export const PAYLOAD_BUILDERS: Readonly<Record<WebhookForm, (event: WebhookEvent) => object>> = {
  basic: createBasicPayload,
  advanced: createAdvancedPayload,
};

export function eventNameOf(payload: unknown): string {
  if (!isObject(payload)) return UNKNOWN;
  const { event, notificationSource: source, actionType } = payload;
  if (typeof event === 'string') return event;
  if (typeof source !== 'string' || typeof actionType !== 'string') return UNKNOWN;
  const eventType = EVENT_TYPES.find((type) => type.actionType === actionType && EVENT_SOURCES[type.group] === source);
  return eventType?.name ?? `${source}.${actionType}`;
}

const UNKNOWN = 'unknown';

function subjectOf({ commentAnnotation, targetComment, crdtData, extra }: WebhookEvent) {
  return { commentAnnotation, targetComment, crdtData, ...extra };
}

/** Returns an event's action type, derived from the name if the type is unknown: `thread.link_copy` becomes `linkCopy`. */
function actionTypeOf(event: string): string {
  const eventType = EVENT_TYPES.find(({ name }) => name === event);
  const action = event.slice(event.lastIndexOf('.') + 1);
  return eventType?.actionType ?? action.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function sourceOf(event: string): string {
  const eventType = EVENT_TYPES.find(({ name }) => name === event);
  return eventType ? EVENT_SOURCES[eventType.group] : (event.split('.', 1)[0] ?? event);
}
