import { describe, expect, it } from 'vitest';
import type { RecordList } from '../../src/bulk/batches.ts';
import { createRequestSender } from '../../src/bulk/request-sender.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import type { Effect, Operation } from '../../src/catalog/define.ts';
import {
  addThings,
  failure,
  networkError,
  newClient,
  scriptedFetch,
  success as succeed,
} from '../client/client-fixture.ts';
import { numbered, run, statuses, success } from './bulk-run.ts';

const ALL = ['u0', 'u1', 'u2', 'u3'].map((id) => `${id} succeeded`);

/**
 * Sends records in two batches with an operation of this effect. All attempts of the second batch
 * fail; the service responds again when the job sends something further.
 */
async function sendTwoBatches(effect: Effect, fail: () => Response, records = 4) {
  let current: RecordList = [];
  let sends = 0;
  const { fetch } = scriptedFetch(() => (sends === 2 ? fail() : succeed(success(current))));
  const { client, clock } = newClient({ fetch });
  const operation: Operation = { ...(addThings as Operation), effect };
  const sender = createRequestSender(
    { client, operation, fields: bulkFieldsOf(operation), data: {}, single: false },
    clock,
    'all',
  );
  const ran = await run({ records: [numbered(records)] }, (batch, _, kind) => {
    current = batch;
    sends += 1;
    return sender(batch, kind);
  });
  const open = ran.items.filter((item) => item.open).map(({ record }) => record.id);
  return { statuses: statuses(ran), open, sent: ran.sent.slice(1) };
}

describe('records of a request without a response', () => {
  const unknown = ['u0 succeeded', 'u1 succeeded', 'u2 unknown', 'u3 unknown'];
  const second = ['u2', 'u3'];
  const lose = () => {
    throw networkError('ECONNRESET');
  };

  it.each(['keyed', 'delete'] as const)(
    'are sent again in the same run if a repetition changes nothing: %s',
    async (effect) => {
      const expected = { statuses: ALL, open: [], sent: [second, second] };
      expect(await sendTwoBatches(effect, lose)).toEqual(expected);
    },
  );

  it('are sent again only when the job is resumed if they are updates', async () => {
    const expected = { statuses: unknown, open: second, sent: [second] };
    expect(await sendTwoBatches('set', lose)).toEqual(expected);
  });

  it.each([
    ['the connection', lose],
    ['the service', () => failure('INTERNAL', 500)],
    ['a proxy', () => new Response('<html>Bad Gateway</html>', { status: 502 })],
  ])('are never sent again if a repetition adds something: %s failed', async (_, fail) => {
    const expected = { statuses: unknown, open: [], sent: [second] };
    expect(await sendTwoBatches('once', fail)).toEqual(expected);
  });
});

it('updates that failed inside the service are sent again in parts', async () => {
  expect(await sendTwoBatches('set', () => failure('INTERNAL', 500))).toEqual({
    statuses: ALL,
    open: [],
    sent: [['u2', 'u3'], ['u2'], ['u3']],
  });
});

describe('records of a request that a proxy rejects as too large', () => {
  const reject = () => new Response('<html>too large</html>', { status: 413 });

  it('are sent in halves', async () => {
    expect(await sendTwoBatches('keyed', reject)).toEqual({
      statuses: ALL,
      open: [],
      sent: [['u2', 'u3'], ['u2'], ['u3']],
    });
  });

  it('are not sent again in the same run if there is only one', async () => {
    expect(await sendTwoBatches('keyed', reject, 3)).toEqual({
      statuses: ['u0 succeeded', 'u1 succeeded', 'u2 unknown'],
      open: ['u2'],
      sent: [['u2']],
    });
  });
});
