import { EVENT_SOURCES, EVENT_TYPES } from '../catalog/events.ts';

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

export const FORMS = ['basic', 'advanced'] as const;
export type Form = (typeof FORMS)[number];

const PLATFORM = 'sdk';

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
