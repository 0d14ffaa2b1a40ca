import { newSigningSecret } from '../../webhooks/signature.ts';
import type { KeyCall } from '../call.ts';
import { stopLane } from '../deliveries/stop.ts';
import { keyOfToken, pageToken } from '../page-token.ts';
import { requireAdvancedWebhooks } from '../records/advanced-webhooks.ts';
import { columnsOf, type Endpoint, endpointRecord, requireEndpoint, selectStretch } from '../records/endpoints.ts';
import { Refusal } from '../refusal.ts';
import { newEndpointId } from '../secrets.ts';
import type { HandlersOf } from './handler.ts';

/** Endpoints on a page where the request does not say. */
const PAGE_SIZE = 50;

export const webhookEndpoints: HandlersOf<'webhook-endpoints'> = {
  'webhooks.endpoints.list': async (call, { limit = PAGE_SIZE, iterator }) => {
    await requireAdvancedWebhooks(call);
    const page = await pageAt(call, iterator, limit);
    const [first, last] = [page.at(0), page.at(-1)];
    const isMore = async (towards: 'older' | 'newer', endpoint: Endpoint) =>
      (await selectStretch(call, { apiKey: call.apiKey, from: endpoint.key, towards }, 1)).length > 0;
    const older = last && (await isMore('older', last)) ? pageToken(LIST, last.key) : null;
    const newer = first && (await isMore('newer', first)) ? BACKWARDS + pageToken(LIST, first.key) : null;
    return {
      data: { endpoints: page.map(endpointRecord), iterator: older, prevIterator: newer, done: older === null },
    };
  },

  'webhooks.endpoints.create': async (call, { url, uid, ...settings }) => {
    await requireAdvancedWebhooks(call);
    if (uid !== undefined) await refuseKnownUid(call, uid);
    const { database, apiKey, now } = call;
    const created = await database
      .insertInto('endpoints')
      .values({
        disabled: 0,
        ...columnsOf(settings),
        apiKey,
        id: newEndpointId(),
        url,
        uid: uid ?? null,
        secret: newSigningSecret(),
        createdAt: now,
        updatedAt: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { data: endpointRecord(created) };
  },

  'webhooks.endpoints.update': async (call, { endpointId, ...settings }) => {
    await requireAdvancedWebhooks(call);
    const { key } = await requireEndpoint(call, endpointId);
    const changed = await call.database
      .updateTable('endpoints')
      .set({ ...columnsOf(settings), updatedAt: call.now, ...(startsAnew(settings) && { failingSince: null }) })
      .where('key', '=', key)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (changed.disabled === 1) await stopLane(call.database, endpointId, 'the endpoint was disabled', call.now);
    return { data: endpointRecord(changed) };
  },

  'webhooks.endpoints.delete': async (call, { endpointId }) => {
    await requireAdvancedWebhooks(call);
    const { key } = await requireEndpoint(call, endpointId);
    await call.database.deleteFrom('endpoints').where('key', '=', key).execute();
    await stopLane(call.database, endpointId, 'the endpoint was deleted', call.now);
    return { data: { endpointId, deleted: true } };
  },

  'webhooks.endpoints.secret': async (call, { endpointId }) => {
    await requireAdvancedWebhooks(call);
    const { secret } = await requireEndpoint(call, endpointId);
    return { data: { endpointId, secret } };
  },
};

/** Whether a change may make an endpoint work that did not: how long it has failed is counted from then. */
function startsAnew({ url, disabled }: { readonly url?: string | undefined; readonly disabled?: boolean | undefined }) {
  return url !== undefined || disabled === false;
}

const LIST = 'endpoints';
/** Begins an iterator that leads to newer endpoints; no token begins like this. */
const BACKWARDS = '-';

/** The page that an iterator stands for, newest first. */
async function pageAt(call: KeyCall, iterator: string | undefined, limit: number): Promise<readonly Endpoint[]> {
  const { apiKey } = call;
  const keyOf = (token: string) => keyOfToken(LIST, token, 'iterator');
  if (iterator?.startsWith(BACKWARDS)) {
    const from = keyOf(iterator.slice(BACKWARDS.length));
    return (await selectStretch(call, { apiKey, from, towards: 'newer' }, limit)).toReversed();
  }
  return selectStretch(call, { apiKey, from: iterator ? keyOf(iterator) : undefined, towards: 'older' }, limit);
}

async function refuseKnownUid({ database, apiKey }: KeyCall, uid: string): Promise<void> {
  const known = await database
    .selectFrom('endpoints')
    .select('id')
    .where('apiKey', '=', apiKey)
    .where('uid', '=', uid)
    .executeTakeFirst();
  if (known) throw new Refusal('ALREADY_EXISTS', `An endpoint with the uid ${uid} already exists.`);
}
