import { generateKeyPairSync } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { startDeliveries } from '../../../src/service/deliveries/engine.ts';
import { enqueueEvent } from '../../../src/service/deliveries/outbox.ts';
import { openStore } from '../../../src/service/store/open.ts';
import { unpackBody } from '../../../src/webhooks/payload.ts';
import { eventually } from '../../eventually.ts';
import { SLOW } from '../../slow.ts';
import { isPostgres } from '../store-location.ts';
import { deliveringWorld } from './delivering.ts';
import { receiver } from './receiver.ts';

const ENDPOINTS = '/v2/workspace/advancedwebhook/endpoints';
const BASIC = '/v2/workspace/webhookconfig/update';

describe('a delivery to an endpoint', () => {
  it('is signed according to Standard Webhooks, and contains the event', async () => {
    const { url, received } = await receiver();
    const { endpoint, call, comment, deliver, until } = await deliveringWorld();
    const endpointId = await endpoint({ url });
    const { body } = await call(`${ENDPOINTS}/secret/get`, { endpointId });
    deliver();
    await comment();
    const [record] = await until('delivered');
    expect(record).toEqual({
      id: received[0]?.headers['webhook-id'],
      endpointId,
      endpointUid: null,
      event: 'comment.add',
      state: 'delivered',
      reason: null,
      nextAttempt: null,
      givesUpAt: null,
      attempts: [
        {
          at: expect.stringMatching(/^\d{4}-.*Z$/),
          status: 200,
          error: null,
          reason: null,
          milliseconds: expect.any(Number),
          body: null,
        },
      ],
    });
    expect(record?.id).toMatch(/^msg_[0-9A-Za-z]{27}$/);
    const headers = received[0]?.headers as Record<string, string>;
    const payload = new Webhook(body.result?.data.secret).verify(received[0]?.body ?? '', headers);
    expect(payload).toMatchObject({
      event: 'comment.add',
      actionType: 'added',
      source: 'comment',
      data: { targetComment: { commentId: 0 }, actionUser: { userId: 'u1' } },
    });
  });

  it(
    'is retried on time although the clock is set back, by the same engine and by the next one',
    SLOW,
    async () => {
      let isUp = false;
      const { url } = await receiver(() => (isUp ? 200 : 503));
      const { endpoint, comment, deliver, deliveries, until, clock } = await deliveringWorld();
      await endpoint({ url });
      const [day, timeScale] = [24 * 3_600_000, 0.1];
      const { stop } = deliver({ timeScale });
      await comment();
      await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(1));
      clock.now = () => Date.now() - day;
      await eventually(async () => expect((await deliveries())[0]?.attempts).toHaveLength(2));
      await stop();
      // The scaled schedule waits almost none of the 30 seconds to the next attempt.
      isUp = true;
      deliver({ timeScale: 0.000_01 });
      await until('delivered');
    },
  );

  it(
    'keeps its ID and renews its timestamp in each attempt, and is reported to other endpoints when exhausted',
    SLOW,
    async () => {
      const [failing, watching] = [await receiver(() => 503), await receiver()];
      const { endpoint, comment, deliver, until } = await deliveringWorld();
      const endpointId = await endpoint({ url: failing.url });
      await endpoint({ url: watching.url, filterTypes: ['message.attempt.exhausted'] });
      deliver({ timeScale: 0.000_01 });
      await comment();
      const [record] = await until('exhausted', 'delivered');
      expect(record?.attempts).toHaveLength(8);
      expect(new Set(failing.received.map(({ headers }) => headers['webhook-id']))).toEqual(
        new Set([record?.id]),
      );
      expect(failing.received).toHaveLength(8);
      const gaps = failing.received
        .slice(1)
        .map(({ at }, n) => at - (failing.received[n]?.at ?? 0));
      // 10 h, scaled down by 100,000.
      expect(gaps.at(-1)).toBeGreaterThan(350);
      expect(JSON.parse(watching.received[0]?.body ?? '')).toMatchObject({
        event: 'message.attempt.exhausted',
        data: {
          endpointId,
          messageId: record?.id,
          messageEvent: 'comment.add',
          attempts: 8,
          lastAttempt: { status: 503 },
        },
      });
    },
  );

  it('of an exhausted event causes no further event when it fails', SLOW, async () => {
    const { url } = await receiver(() => 500);
    const { endpoint, comment, deliver, until } = await deliveringWorld();
    await endpoint({ url, filterTypes: ['comment.add', 'message.attempt.exhausted'] });
    deliver({ timeScale: 1e-5 });
    await comment();
    expect((await until('exhausted', 'exhausted')).map(({ event }) => event)).toEqual([
      'comment.add',
      'message.attempt.exhausted',
    ]);
  });

  it('does not follow a redirect', async () => {
    const elsewhere = await receiver();
    const { url } = await receiver((_, __, response) => {
      response.setHeader('location', elsewhere.url);
      return 307;
    });
    const { endpoint, comment, deliver, deliveries } = await deliveringWorld();
    await endpoint({ url });
    deliver();
    await comment();
    const attempt = { status: 307, error: expect.stringContaining('redirect') };
    await eventually(async () =>
      expect((await deliveries())[0]).toMatchObject({ state: 'retrying', attempts: [attempt] }),
    );
    expect(elsewhere.received).toEqual([]);
  });

  it('is encoded or encrypted as configured, and signed in that form', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const { url, received } = await receiver();
    const { endpoint, call, comment, deliver, deliveries, until } = await deliveringWorld();
    const endpointId = await endpoint({ url });
    const { body } = await call(`${ENDPOINTS}/secret/get`, { endpointId });
    const configure = (config: object) =>
      call('/v2/workspace/advancedwebhookconfig/update', config);
    deliver();
    await configure({ encodeData: true });
    await comment();
    await until('delivered');
    await configure({ encryptData: true, publicKey });
    await comment();
    await until('delivered', 'delivered');
    await configure({ publicKey: 'none' });
    await comment();
    await eventually(async () =>
      expect((await deliveries())[2]).toMatchObject({
        attempts: [{ status: null, error: 'not a valid RSA public key' }],
      }),
    );
    expect(received.map((each) => unpackBody(each.body, privateKey))).toMatchObject([
      { kind: 'decoded', payload: { event: 'comment.add' } },
      { kind: 'decrypted', payload: { event: 'comment.add' } },
    ]);
    for (const { headers, body: sent } of received) {
      new Webhook(body.result?.data.secret).verify(sent, headers as Record<string, string>);
    }
  });
});

describe('basic webhooks', () => {
  const settings = (url: string) => ({
    rawNotificationUrl: `${url}/raw`,
    processedNotificationUrl: `${url}/processed`,
  });

  it('go to both URLs with the bare token if their trigger is on', async () => {
    const { url, received } = await receiver();
    const { call, comment, deliver, until } = await deliveringWorld();
    await call(BASIC, {
      useWebhookService: true,
      webhookServiceConfig: { ...settings(url), authToken: 'token-1' },
    });
    deliver();
    await comment();
    await until('delivered', 'delivered');
    expect(received.map(({ path }) => path).sort()).toEqual(['/processed', '/raw']);
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      'Basic token-1',
      'Basic token-1',
    ]);
    expect(received.map(({ headers }) => headers['webhook-signature'])).toEqual([
      undefined,
      undefined,
    ]);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      actionType: 'added',
      notificationSource: 'comment',
      metadata: { organizationId: 'acme', documentId: 'd1' },
    });
    await call(BASIC, { webhookServiceConfig: { triggers: { 'comment.add': false } } });
    await comment();
    await until('delivered', 'delivered');
  });

  it('are attempted only once, and have no Authorization header without a token', async () => {
    const { url, received } = await receiver(() => 500);
    const { call, comment, deliver, until } = await deliveringWorld();
    const { rawNotificationUrl } = settings(url);
    await call(BASIC, { useWebhookService: true, webhookServiceConfig: { rawNotificationUrl } });
    deliver({ timeScale: 1e-9 });
    await comment();
    const [record] = await until('exhausted');
    expect(record).toMatchObject({ endpointId: 'raw', attempts: [{ status: 500 }] });
    expect(received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

describe('limits', () => {
  it('of an endpoint are kept in every second', SLOW, async () => {
    const { url, received } = await receiver();
    const { endpoint, comment, deliver, until } = await deliveringWorld();
    await endpoint({ url, rateLimit: 4 });
    deliver();
    await comment(10);
    const records = await until(...Array(10).fill('delivered'));
    // Start times: on a busy machine, some requests arrive late, together with the next ones.
    const times = records.flatMap(({ attempts }) => attempts.map(({ at }) => Date.parse(at)));
    expect(received).toHaveLength(10);
    const inSecond = times.map(
      (start) => times.filter((at) => at >= start && at < start + 1_000).length,
    );
    expect(Math.max(...inSecond)).toBeLessThanOrEqual(4);
  });

  it('prevent an unresponsive endpoint from delaying others', SLOW, async () => {
    const [slow, quick] = [await receiver(() => undefined), await receiver()];
    const { endpoint, comment, deliver } = await deliveringWorld();
    await endpoint({ url: slow.url });
    await endpoint({ url: quick.url });
    await comment(300);
    deliver();
    await eventually(() => expect(quick.received).toHaveLength(300));
    expect(slow.received.length).toBeLessThan(100);
  });
});

describe('a pending delivery', () => {
  it.each([
    ['its endpoint is deleted', `${ENDPOINTS}/delete`, {}],
    ['its endpoint is disabled', `${ENDPOINTS}/update`, { disabled: true }],
    [
      'advanced webhooks are disabled',
      '/v2/workspace/advancedwebhookconfig/update',
      { isEnabled: false },
    ],
  ])('is stopped when %s', async (_, path, settings) => {
    const { url, received } = await receiver(() => 500);
    const { endpoint, call, comment, deliver, deliveries, until } = await deliveringWorld();
    const endpointId = await endpoint({ url });
    const running = deliver({ timeScale: 0.000_1 });
    await comment();
    await eventually(async () => expect((await deliveries())[0]?.attempts).not.toEqual([]));
    await running.stop();
    const { http } = await call(
      path,
      path.startsWith(ENDPOINTS) ? { endpointId, ...settings } : settings,
    );
    expect(http).toBe(200);
    const [record] = await until('exhausted');
    expect(record?.attempts.at(-1)).toMatchObject({
      status: null,
      error: expect.stringMatching(/^not sent: /),
    });
    const before = received.length;
    deliver();
    await comment();
    await until('exhausted');
    expect(received).toHaveLength(before);
  });

  it.each([
    ['delivered', 200, []],
    ['exhausted', 500, [{ status: null, error: 'not sent: the endpoint was deleted' }]],
  ])(
    'that is in flight when its endpoint is deleted ends as %s after %i',
    async (state, status, stops) => {
      let respond: ServerResponse | undefined;
      const { url } = await receiver((_, __, response) => {
        respond = response;
        return undefined;
      });
      const { endpoint, call, comment, deliver, until } = await deliveringWorld();
      const endpointId = await endpoint({ url });
      deliver({ timeScale: 0.000_1 });
      await comment();
      await eventually(() => expect(respond).toBeDefined());
      await call(`${ENDPOINTS}/delete`, { endpointId });
      respond?.writeHead(status).end();
      const [record] = await until(state);
      expect(record?.attempts).toMatchObject([{ status }, ...stops]);
    },
  );

  it('of basic webhooks is stopped when they are disabled or their URL is removed', async () => {
    const { call, comment, until } = await deliveringWorld();
    const urls = {
      rawNotificationUrl: 'https://a.example',
      processedNotificationUrl: 'https://b.example',
    };
    await call(BASIC, { useWebhookService: true, webhookServiceConfig: urls });
    await comment();
    await call(BASIC, { webhookServiceConfig: { rawNotificationUrl: '' } });
    await until('exhausted', 'pending');
    await call(BASIC, { useWebhookService: false });
    await until('exhausted', 'exhausted');
  });

  it(
    'is released when the engine stops, and sent by the next engine with the same ID',
    SLOW,
    async () => {
      let answers = false;
      const { url, received } = await receiver(() => (answers ? 200 : undefined));
      const { endpoint, comment, deliver, until } = await deliveringWorld();
      await endpoint({ url });
      const first = deliver();
      await comment();
      await eventually(() => expect(received).toHaveLength(1));
      await first.stop();
      answers = true;
      deliver();
      const [record] = await until('delivered');
      expect(received.map(({ headers }) => headers['webhook-id'])).toEqual([
        record?.id,
        record?.id,
      ]);
      expect(record?.attempts).toHaveLength(1);
    },
  );
});

describe('several engines', () => {
  it('on one store send each delivery once', SLOW, async () => {
    const { url, received } = await receiver();
    const { path, endpoint, comment, deliver, deliveries } = await deliveringWorld();
    await endpoint({ url });
    await comment(400);
    const other = await openStore(path);
    const running = startDeliveries(other, { clock: systemClock, allowPrivateTargets: true });
    deliver();
    try {
      const isOver = async () =>
        expect((await deliveries()).every(({ state }) => state === 'delivered')).toBe(true);
      await eventually(isOver);
    } finally {
      await running.stop();
      await other.close();
    }
    expect(received).toHaveLength(400);
  });

  // Peers on PostgreSQL have a test of their own.
  it.skipIf(isPostgres)('deliver the events of another process without polling', async () => {
    const { url } = await receiver();
    const { path, credentials, endpoint, deliver, until } = await deliveringWorld();
    await endpoint({ url });
    const other = await openStore(path);
    onTestFinished(() => other.close());
    // The engine never polls.
    const sleep: Clock['sleep'] = (milliseconds, signal) =>
      systemClock.sleep(milliseconds < 400 ? milliseconds : 2 ** 30, signal);
    deliver({ clock: { ...systemClock, sleep } });
    const states: string[] = [];
    for (const webhookId of ['w1', 'w2', 'w3']) {
      const event = { event: 'custom.thing', webhookId, apiKey: credentials.apiKey };
      await enqueueEvent({ store: other, now: Date.now() }, event);
      states.push('delivered');
      await until(...states);
    }
  });

  it.each([
    // A process that shares the store with other machines cannot know.
    [
      'of a dead process is sent at once',
      '999999999:x',
      [isPostgres ? 'pending' : 'delivered', 'delivered'],
    ],
    ['of a running process is left alone', `${process.ppid}:x`, ['pending', 'delivered']],
  ])('a claim %s', async (_, owner, states) => {
    const { url } = await receiver();
    const { store, endpoint, comment, deliver, until } = await deliveringWorld();
    await endpoint({ url });
    await comment();
    const dueAt = Date.now() + 30_000;
    await store.write((database) =>
      database.updateTable('deliveries').set({ owner, dueAt }).execute(),
    );
    await comment();
    deliver();
    await until(...states);
  });
});

describe('an endpoint whose attempts all fail', () => {
  it(
    'is disabled after five days, and gets five more days when it is enabled again',
    SLOW,
    async () => {
      const { url } = await receiver(() => 500);
      const { endpoint, call, comment, deliver, deliveries } = await deliveringWorld();
      const endpointId = await endpoint({ url });
      // Five days are scaled to 1.3 s: longer than a busy machine takes from one comment to a check
      // of its endpoint.
      deliver({ timeScale: 3e-6 });
      const isDisabled = async () =>
        (await call(`${ENDPOINTS}/get`, {})).body.result?.data.endpoints[0].disabled;
      await comment();
      await eventually(async () => {
        await comment();
        expect(await isDisabled()).toBe(true);
      }, 100);
      // A delivery recorded at the same moment is stopped when it is due.
      await eventually(async () =>
        expect((await deliveries()).filter(({ state }) => state === 'pending')).toEqual([]),
      );
      await call(`${ENDPOINTS}/update`, { endpointId, disabled: false });
      await comment();
      expect(await isDisabled()).toBe(false);
    },
  );
});

describe('private targets', () => {
  it('are rejected unless allowed, and the attempt records the reason', async () => {
    const { url, received } = await receiver();
    const { endpoint, comment, deliver, deliveries } = await deliveringWorld();
    await endpoint({ url });
    await endpoint({ url: url.replace('127.0.0.1', 'localhost') });
    deliver({ allowPrivateTargets: false });
    await comment();
    await eventually(async () =>
      expect((await deliveries()).map(({ attempts }) => attempts[0]?.error)).toEqual([
        '127.0.0.1 is a private address, and deliveries to private addresses are not allowed',
        expect.stringMatching(
          /^(127\.0\.0\.1|::1) \(localhost\) is a private address, and deliveries to private addresses are not allowed$/,
        ),
      ]),
    );
    expect(received).toEqual([]);
  });
});

describe('a custom event', () => {
  it('is delivered like any other, to the given channels', async () => {
    const { url, received } = await receiver();
    const { endpoint, store, credentials, clock, deliver, until } = await deliveringWorld();
    await endpoint({ url: `${url}/a`, channels: ['a'] });
    await endpoint({ url: `${url}/b`, channels: ['b'] });
    deliver();
    const event = { event: 'custom.thing', webhookId: 'w1', apiKey: credentials.apiKey };
    const ids = await enqueueEvent({ store, now: clock.now(), channels: ['b'] }, event);
    const [record] = await until('delivered');
    expect(ids).toEqual([record?.id]);
    expect(received.map(({ path }) => path)).toEqual(['/b']);
  });
});
