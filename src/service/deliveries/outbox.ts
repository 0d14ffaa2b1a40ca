import type { Insertable } from 'kysely';
import { advancedPayload, basicPayload, type HookEvent } from '../../webhooks/event.ts';
import type { KeyCall, KeyScope } from '../call.ts';
import { newId, newMessageId } from '../secrets.ts';
import { batchesOf } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { type Audience, audienceOf, type Target, type Wish } from './audience.ts';
import { announce } from './bell.ts';

/** What happened to a document, for whoever wants to be told. */
export interface Happening extends Pick<HookEvent, 'event'> {
  readonly organizationId: string;
  readonly documentId: string;
  /** What the payload says of it; asked for only where somebody wants it. */
  readonly describe: () => Subject;
}

type Subject = Pick<HookEvent, 'actionUser' | 'commentAnnotation' | 'targetComment' | 'crdtData' | 'extra'>;

/**
 * Writes into the outbox what a call caused, in the call's own transaction: an event is on its way exactly if what it
 * tells of has happened. Its channels are the ids of its organization and its document.
 */
export async function recordHappenings(call: KeyCall, happenings: readonly Happening[]): Promise<void> {
  if (happenings.length === 0) return;
  const audience = await audienceOf(call);
  if (!audience) return;
  const rows: Row[] = [];
  const nameOf = documentNames(call);
  for (const { describe, ...place } of happenings) {
    const channels = [place.organizationId, place.documentId];
    const targets = audience.wanting({ event: place.event, channels });
    if (targets.length === 0) continue;
    const documentName = await nameOf(place);
    const event = { ...place, ...describe(), documentName, apiKey: call.apiKey, webhookId: newId() };
    rows.push(...rowsOf(event, targets, call.now));
  }
  if (rows.length === 0) return;
  await insert(call, rows);
  call.after(announce);
}

export interface Enqueuing {
  readonly store: Store;
  readonly now: number;
  readonly channels?: readonly string[];
}

/**
 * Writes an event of one's own making into the outbox, as if a call had caused it.
 * @returns the ids of its deliveries, one for each target that wants it
 */
export async function enqueueEvent({ store, now, channels = [] }: Enqueuing, event: HookEvent): Promise<string[]> {
  const ids = await store.write(async (database) => {
    const scope = { database, apiKey: event.apiKey };
    return recordEvent(scope, event, { audience: await audienceOf(scope), channels, now });
  }, event.apiKey);
  if (ids.length > 0) await announce(store);
  return ids;
}

interface Telling extends Omit<Wish, 'event'> {
  readonly audience: Audience | undefined;
  readonly now: number;
}

/** Writes an event into the outbox for all of an audience that want it. @returns the ids of its deliveries */
export async function recordEvent(scope: KeyScope, event: HookEvent, told: Telling): Promise<string[]> {
  const { audience, now, ...wish } = told;
  const targets = audience?.wanting({ ...wish, event: event.event }) ?? [];
  const rows = rowsOf(event, targets, now);
  await insert(scope, rows);
  return rows.map(({ id }) => id);
}

type Row = Insertable<Tables['deliveries']>;

function rowsOf(event: HookEvent, targets: readonly Target[], now: number): Row[] {
  return targets.map(({ form, lane }) => {
    const payload = JSON.stringify(form === 'advanced' ? advancedPayload(event) : basicPayload(event));
    return {
      ...{ id: newMessageId(now), apiKey: event.apiKey, form, lane, event: event.event },
      ...{ payload, size: Buffer.byteLength(payload) },
      ...{ state: 'pending', attempts: '', tries: 0, dueAt: now, owner: null, createdAt: now },
    };
  });
}

async function insert({ database }: Pick<KeyScope, 'database'>, rows: readonly Row[]): Promise<void> {
  for (const batch of batchesOf(rows)) await insertRows(database, batch);
}

const insertRows = prepared((database, rows: readonly Row[]) => database.insertInto('deliveries').values(rows));

interface Place {
  readonly apiKey: string;
  readonly organizationId: string;
  readonly documentId: string;
}

const selectName = prepared((database, { apiKey, organizationId, documentId }: Place) =>
  database
    .selectFrom('documents')
    .innerJoin('organizations', 'organizations.key', 'documents.organization')
    .select('documents.documentName')
    .where('organizations.apiKey', '=', apiKey)
    .where('organizations.organizationId', '=', organizationId)
    .where('documents.documentId', '=', documentId),
);

/** Looks each document up once: what happens at once mostly happens to one. */
function documentNames({ database, apiKey }: KeyCall) {
  const known = new Map<string, string | undefined>();
  return async ({ organizationId, documentId }: Omit<Place, 'apiKey'>): Promise<string | undefined> => {
    const place = JSON.stringify([organizationId, documentId]);
    if (known.has(place)) return known.get(place);
    const [found] = await selectName(database, { apiKey, organizationId, documentId });
    known.set(place, found?.documentName ?? undefined);
    return known.get(place);
  };
}
