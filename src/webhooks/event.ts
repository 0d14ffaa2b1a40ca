import { EVENT_TYPES, findEventType } from '../catalog/events.ts';
import { isObject } from '../kernel/json.ts';
import type { WebhookForm } from './form.ts';

export interface WebhookEvent {
  /** The event type, such as `comment.add`. The set of types is open. */
  readonly event: string;
  readonly webhookId: string;
  readonly apiKey: string;
  readonly organizationId?: string | undefined;
  readonly documentId?: string | undefined;
  /** The document's ID of the client (default: `documentId`). */
  readonly clientDocumentId?: string | undefined;
  readonly documentName?: string | undefined;
  readonly pageInfo?: object | undefined;
  readonly actionUser?: object | undefined;
  readonly commentAnnotation?: object | undefined;
  readonly targetComment?: object | undefined;
  readonly crdtData?: object | undefined;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

const PLATFORM = 'sdk';

/**
 * Parses the event from an advanced payload. Ignores invalid fields, because users can write
 * payloads by hand.
 */
export function parseAdvancedPayload(
  payload: unknown,
  event: Pick<WebhookEvent, 'event' | 'webhookId' | 'apiKey'>,
) {
  const { metadata, actionUser, commentAnnotation, targetComment, crdtData, ...extra } = objectAt(
    payload,
    'data',
  );
  const organization = objectAt(metadata, 'organization');
  const document = objectAt(metadata, 'document');
  return {
    ...event,
    organizationId: textOf(organization['organizationId']),
    documentId: textOf(document['documentId']),
    clientDocumentId: textOf(Object(metadata)['clientDocumentId']),
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
  const { webhookId, actionUser, apiKey, documentId, documentName, organizationId } = event;
  const { actionType, source } = describeEventType(event.event);
  const { clientDocumentId = documentId, pageInfo = {} } = event;
  return {
    webhookId,
    actionType,
    notificationSource: source,
    actionUser,
    metadata: { apiKey, clientDocumentId, documentId, documentName, organizationId, pageInfo },
    ...subjectOf(event),
    platform: PLATFORM,
  };
}

export function createAdvancedPayload(event: WebhookEvent): object {
  const { webhookId, actionUser, apiKey, documentId, documentName, organizationId } = event;
  const { clientDocumentId = documentId, pageInfo = {} } = event;
  return {
    event: event.event,
    ...describeEventType(event.event),
    platform: PLATFORM,
    webhookId,
    data: {
      ...subjectOf(event),
      actionUser,
      metadata: {
        organization: { organizationId },
        document: { documentId, documentName },
        apiKey,
        clientDocumentId,
        pageInfo,
      },
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
  return findEventType(source, actionType)?.name ?? `${source}.${actionType}`;
}

const UNKNOWN = 'unknown';

function subjectOf({ commentAnnotation, targetComment, crdtData, extra }: WebhookEvent) {
  return { commentAnnotation, targetComment, crdtData, ...extra };
}

/**
 * Derives the fields from the name if the type is unknown: `thread.link_copy` has the action type
 * `linkCopy`.
 */
function describeEventType(event: string): {
  readonly actionType: string;
  readonly source: string;
} {
  const known = EVENT_TYPES.find(({ name }) => name === event);
  if (known) return { actionType: known.actionType, source: known.source };
  const action = event.slice(event.lastIndexOf('.') + 1);
  const [source = event] = event.split('.', 1);
  return {
    actionType: action.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    source,
  };
}
