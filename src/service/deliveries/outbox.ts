import { type Insertable, sql } from 'kysely';
import {
  createAdvancedPayload,
  createBasicPayload,
  type WebhookEvent,
} from '../../webhooks/event.ts';
import type { KeyCall, KeyScope } from '../calls/call.ts';
import { generateId, generateMessageId } from '../records/secrets.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { chunkRows } from '../store/statements.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import {
  type DeliveryTarget,
  type EventFilter,
  loadSubscriptions,
  type Subscription,
  selectTargets,
} from './subscriptions.ts';
import { notifyOutboxChange } from './wakeup.ts';

export interface DocumentEvent extends Pick<WebhookEvent, 'event'> {
  readonly organizationId: string;
  readonly documentId: string;
  readonly describe: () => EventDetails;
}

type EventDetails = Pick<
  WebhookEvent,
  'actionUser' | 'commentAnnotation' | 'targetComment' | 'crdtData' | 'extra'
>;

/** Uses the call's transaction. An event's channels are its organization and document ID. */
export async function recordDocumentEvents(
  call: KeyCall,
  documentEvents: readonly DocumentEvent[],
): Promise<void> {
  if (documentEvents.length === 0) return;
  const subscriptions = await loadSubscriptions(call);
  if (subscriptions.length === 0) return;
  const rows: DeliveryInsert[] = [];
  const findName = createNameLookup(call);
  for (const { describe, ...documentEvent } of documentEvents) {
    const channels = [documentEvent.organizationId, documentEvent.documentId];
    const targets = selectTargets(subscriptions, { event: documentEvent.event, channels });
    if (targets.length === 0) continue;
    const documentName = await findName(documentEvent);
    const event = {
      ...documentEvent,
      ...describe(),
      documentName,
      apiKey: call.apiKey,
      webhookId: generateId(),
    };
    rows.push(...createRows(event, targets, call));
  }
  if (rows.length === 0) return;
  for (const chunk of chunkRows(rows)) await insertChunk(call.database, chunk);
  call.after(notifyOutboxChange);
}

/** @returns the IDs of the deliveries, one per subscribed target */
export async function enqueueEvent(
  { store, now, channels = [], trace = null }: EnqueueOptions,
  event: WebhookEvent,
): Promise<string[]> {
  const ids = await store.write(async (database) => {
    const scope = { database, apiKey: event.apiKey };
    return recordEvent(scope, event, {
      subscriptions: await loadSubscriptions(scope),
      channels,
      now,
      trace,
    });
  }, event);
  if (ids.length > 0) await notifyOutboxChange(store);
  return ids;
}

interface EnqueueOptions extends EventOrigin {
  readonly store: Store;
  readonly channels?: readonly string[];
}

/** Time and trace of the request that caused an event. */
interface EventOrigin {
  readonly now: number;
  readonly trace?: string | null;
}

interface RecordOptions extends Omit<EventFilter, 'event'>, EventOrigin {
  readonly subscriptions: readonly Subscription[];
}

/** Adds an event to the outbox for every subscribed target. @returns the IDs of the deliveries */
export async function recordEvent(
  scope: KeyScope,
  event: WebhookEvent,
  options: RecordOptions,
): Promise<string[]> {
  const { subscriptions, now, trace, ...filter } = options;
  const targets = selectTargets(subscriptions, { ...filter, event: event.event });
  const rows = createRows(event, targets, { now, trace: trace ?? null });
  for (const chunk of chunkRows(rows)) await insertChunk(scope.database, chunk);
  return rows.map(({ id }) => id);
}

type DeliveryInsert = Insertable<Tables['deliveries']>;

function createRows(
  event: WebhookEvent,
  targets: readonly DeliveryTarget[],
  { now, trace = null }: EventOrigin,
): DeliveryInsert[] {
  return targets.map(({ form, lane }) => {
    const payload = JSON.stringify(
      form === 'advanced' ? createAdvancedPayload(event) : createBasicPayload(event),
    );
    return {
      id: generateMessageId(now),
      apiKey: event.apiKey,
      form,
      lane,
      event: event.event,
      payload,
      size: Buffer.byteLength(payload),
      state: 'pending',
      attempts: '',
      tries: 0,
      dueAt: now,
      owner: null,
      createdAt: now,
      trace,
    };
  });
}

const insertChunk = prepareQuery((database, rows: readonly DeliveryInsert[]) =>
  database.insertInto('deliveries').values(rows),
);
type DocumentKey = Pick<DocumentEvent, 'organizationId' | 'documentId'>;

const selectDocumentName = prepareQuery(
  (_, { apiKey, organizationId, documentId }: DocumentKey & { apiKey: string }) =>
    sql<{ documentName: string | null }>`
    select "documentName" from documents join organizations on organizations.key = organization
    where "apiKey" = ${apiKey} and "organizationId" = ${organizationId} and "documentId" = ${documentId}`,
);

/**
 * Creates a cached lookup of document names, because the events of a call usually have the same
 * document.
 */
function createNameLookup({ database, apiKey }: KeyCall) {
  const known = new Map<string, string | undefined>();
  return async ({ organizationId, documentId }: DocumentKey): Promise<string | undefined> => {
    const key = JSON.stringify([organizationId, documentId]);
    if (known.has(key)) return known.get(key);
    const [found] = await selectDocumentName(database, { apiKey, organizationId, documentId });
    known.set(key, found?.documentName ?? undefined);
    return known.get(key);
  };
}
