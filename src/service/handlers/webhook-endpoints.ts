import { createSigningSecret } from '../../webhooks/signature.ts';
import type { KeyCall } from '../calls/call.ts';
import { stopLane } from '../deliveries/stop.ts';
import { requireAdvancedWebhooks } from '../records/configs.ts';
import {
  type Endpoint,
  findEndpointId,
  requireEndpoint,
  selectEndpointPage,
  toEndpointColumns,
  toEndpointRecord,
} from '../records/endpoints.ts';
import { generateEndpointId } from '../records/secrets.ts';
import { Refusal } from '../store/refusal.ts';
import type { HandlersOf } from './handler.ts';
import { createPageToken, parsePageToken } from './page-token.ts';

const DEFAULT_PAGE_SIZE = 50;

export const webhookEndpoints: HandlersOf<'webhook-endpoints'> = {
  'webhooks.endpoints.list': async (call, { limit = DEFAULT_PAGE_SIZE, iterator }) => {
    await requireAdvancedWebhooks(call);
    const page = await readPage(call, limit, iterator);
    const [first, last] = [page.at(0), page.at(-1)];
    const hasMore = async ({ key: afterKey }: Endpoint, isOlder: boolean) =>
      (
        await selectEndpointPage(call.database, {
          apiKey: call.apiKey,
          afterKey,
          isOlder,
          limit: 1n,
        })
      ).length > 0;
    const older =
      last && (await hasMore(last, true)) ? createPageToken(TOKEN_KIND, last.key) : null;
    const newer =
      first && (await hasMore(first, false))
        ? BACKWARD_PREFIX + createPageToken(TOKEN_KIND, first.key)
        : null;
    return {
      data: {
        endpoints: page.map(toEndpointRecord),
        iterator: older,
        prevIterator: newer,
        done: older === null,
      },
    };
  },

  'webhooks.endpoints.create': async (call, { url, uid, ...settings }) => {
    await requireAdvancedWebhooks(call);
    if (uid !== undefined && (await findEndpointId(call, uid)) !== undefined)
      throw new Refusal('ALREADY_EXISTS', `An endpoint with the uid ${uid} already exists.`);
    const { database, apiKey, now } = call;
    const created = await database
      .insertInto('endpoints')
      .values({
        disabled: 0,
        ...toEndpointColumns(settings),
        apiKey,
        id: generateEndpointId(),
        url,
        uid: uid ?? null,
        secret: createSigningSecret(),
        createdAt: now,
        updatedAt: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return { data: toEndpointRecord(created) };
  },

  'webhooks.endpoints.update': async (call, { endpointId, ...settings }) => {
    const { key } = await requireEndpoint(call, endpointId);
    const changed = await call.database
      .updateTable('endpoints')
      .set({
        ...toEndpointColumns(settings),
        updatedAt: call.now,
        // The change may fix a failing endpoint.
        ...((settings.url !== undefined || settings.disabled === false) && { failingSince: null }),
      })
      .where('key', '=', key)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (changed.disabled === 1)
      await stopLane(call.database, endpointId, 'the endpoint was disabled', call.now);
    return { data: toEndpointRecord(changed) };
  },

  'webhooks.endpoints.delete': async (call, { endpointId }) => {
    const { key } = await requireEndpoint(call, endpointId);
    await call.database.deleteFrom('endpoints').where('key', '=', key).execute();
    await stopLane(call.database, endpointId, 'the endpoint was deleted', call.now);
    return { data: { endpointId, deleted: true } };
  },

  'webhooks.endpoints.secret': async (call, { endpointId }) => {
    const { secret } = await requireEndpoint(call, endpointId);
    return { data: { endpointId, secret } };
  },
};

const TOKEN_KIND = 'endpoints';
/** Prefix of iterators for newer endpoints. Page tokens never start with it. */
const BACKWARD_PREFIX = '-';

/** Reads a page of endpoints, newest first. */
async function readPage({ database, apiKey }: KeyCall, limit: number, iterator = '') {
  const isOlder = !iterator.startsWith(BACKWARD_PREFIX);
  const token = isOlder ? iterator : iterator.slice(BACKWARD_PREFIX.length);
  const afterKey = iterator ? parsePageToken(TOKEN_KIND, token, 'iterator') : undefined;
  const page = await selectEndpointPage(database, {
    apiKey,
    afterKey,
    isOlder,
    limit: BigInt(limit),
  });
  return isOlder ? page : page.toReversed();
}
