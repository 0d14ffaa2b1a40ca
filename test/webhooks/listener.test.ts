import { generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import type { ListenerEvent } from '../../src/webhooks/listener.ts';
import { packBody } from '../../src/webhooks/payload.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { listening, newSecret, send, signed, target, unixNow } from './listener-fixture.ts';
import { hasOpenssl, opensslSignature } from './openssl.ts';

const FORGERIES = repeats(1_000);

const BODY = '{ "event": "comment.add",\n "data": {"text": "Grüße"} }';

const taken = (events: readonly ListenerEvent[]) =>
  events.flatMap((event) => (event.kind === 'received' ? [event.delivery] : []));

describe('a delivery that verifies', () => {
  it('is accepted if the standardwebhooks package signed it', async () => {
    const { url, secret, events } = await listening();
    const now = new Date();
    const signature = new Webhook(secret).sign('msg_1', now, BODY);
    const timestamp = String(Math.floor(now.getTime() / 1000));
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': signature,
    };
    expect(await send(url, BODY, headers)).toEqual({ status: 200, text: 'ok\n' });
    expect(taken(events)).toEqual([
      {
        id: 'msg_1',
        event: 'comment.add',
        form: 'advanced',
        verified: true,
        receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        forwarded: null,
        payload: JSON.parse(BODY),
      },
    ]);
  });

  it.skipIf(!hasOpenssl())(
    'is accepted if OpenSSL signed it, with header names in any case',
    async () => {
      const { url, secret } = await listening();
      const timestamp = unixNow();
      const signature = opensslSignature(secret, 'msg_1', timestamp, Buffer.from(BODY));
      const headers = {
        'WEBHOOK-ID': 'msg_1',
        'Webhook-Timestamp': String(timestamp),
        'wEBHOOK-sIGNATURE': signature,
      };
      expect((await send(url, BODY, headers)).status).toBe(200);
    },
  );

  it('is accepted with the configured token of basic webhooks', async () => {
    const authToken = randomBytes(16).toString('hex');
    const { url, events } = await listening({ proofs: { secrets: [], authToken } });
    const body = JSON.stringify({
      webhookId: 'wh_1',
      notificationSource: 'comment',
      actionType: 'newlyAdded',
    });
    expect((await send(url, body, { authorization: `Basic ${authToken}` })).status).toBe(200);
    expect(taken(events)).toMatchObject([
      { id: 'wh_1', event: 'comment_annotation.add', form: 'basic', verified: true },
    ]);
  });

  it('is decoded and decrypted, or accepted with the reason for the failure', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const sealed = packBody(BODY, { encode: false, encryptFor: publicKey });
    const encoded = packBody(BODY, { encode: true });
    const { url, secret, events } = await listening({ privateKey });
    for (const body of [sealed, encoded])
      expect((await send(url, body, signed(secret, body))).status).toBe(200);
    expect(taken(events).map(({ payload }) => payload)).toEqual([
      JSON.parse(BODY),
      JSON.parse(BODY),
    ]);

    const without = await listening({ proofs: { secrets: [secret] } });
    expect((await send(without.url, sealed, signed(secret, sealed))).status).toBe(200);
    expect(without.events).toMatchObject([
      {
        delivery: { event: 'unknown', payload: null },
        payloadProblem: 'the body is encrypted, but no private key was given',
      },
    ]);
  });

  it.each(['null', '[]', '"text"', '{"event":7}'])(
    'is accepted with the payload %s',
    async (body) => {
      const { url, secret, events } = await listening();
      expect((await send(url, body, signed(secret, body))).status).toBe(200);
      expect(taken(events)).toMatchObject([{ event: 'unknown', payload: JSON.parse(body) }]);
    },
  );
});

describe('a delivery that does not verify', () => {
  const token = randomBytes(16).toString('hex');

  it.each([
    ['nothing', {}, 'the delivery is not signed'],
    [
      'a token where signatures are asked for',
      { authorization: `Basic ${token}` },
      'the delivery is not signed',
    ],
    ['half a signature', { 'webhook-id': 'msg_1' }, 'the header webhook-timestamp is missing'],
  ])('with %s gets a 401 and is not forwarded', async (_, headers, reason) => {
    const to = await target();
    const { url, events } = await listening({ forwarding: { defaultTarget: to.url } });
    expect(await send(url, BODY, headers)).toEqual({ status: 401, text: 'unverified\n' });
    expect(events).toEqual([{ kind: 'rejected', reason }]);
    expect(to.received).toEqual([]);
  });

  it.each([
    ['another token', [`Basic ${token}x`], 'the token does not match'],
    [
      'base64 of the token',
      [`Basic ${Buffer.from(token).toString('base64')}`],
      'the token does not match',
    ],
    [
      'another scheme',
      [`Bearer ${token}`],
      'the authorization header does not use the Basic scheme',
    ],
    [
      'two tokens, one of them right',
      [`Basic ${token}`, 'Basic x'],
      'the authorization header appears 2 times',
    ],
    ['no token', [], 'the authorization header is missing'],
  ])('with %s gets a 401', async (_, authorization, reason) => {
    const { url, events } = await listening({ proofs: { secrets: [], authToken: token } });
    const headers: Record<string, string | string[]> =
      authorization.length > 0 ? { authorization } : {};
    expect((await send(url, BODY, headers)).status).toBe(401);
    expect(events).toEqual([{ kind: 'rejected', reason }]);
  });

  it(`is rejected in ${FORGERIES} forgeries, which never reach a target`, SLOW, async () => {
    const to = await target();
    const { url, secret, events } = await listening({ forwarding: { defaultTarget: to.url } });
    const whole = signed(secret, BODY, 'msg_1');
    const printable = fc.string({ unit: fc.constantFrom(...'abcXYZ019+/=,. v'), maxLength: 60 });
    const forgery = fc.oneof(
      fc.tuple(fc.nat(BODY.length - 1), fc.constantFrom(...'{}x7 ')).map(([at, letter]) => {
        const body = BODY.slice(0, at) + letter + BODY.slice(at + 1);
        return { body: body === BODY ? `${BODY} ` : body, headers: whole };
      }),
      fc
        .constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature')
        .chain((name) =>
          printable.map((value) => ({ body: BODY, headers: { ...whole, [name]: value } })),
        ),
      fc.constant(null).map(() => ({ body: BODY, headers: signed(newSecret(), BODY) })),
    );
    for (const batch of inTens(fc.sample(forgery, FORGERIES))) {
      const answers = await Promise.all(batch.map(({ body, headers }) => send(url, body, headers)));
      expect(answers.map(({ status }) => status)).toEqual(batch.map(() => 401));
    }
    expect(events.filter(({ kind }) => kind !== 'rejected')).toEqual([]);
    expect(to.received).toEqual([]);
  });

  it('is accepted and marked with skipVerify', async () => {
    const { url, events } = await listening({ proofs: { secrets: [] }, skipVerify: true });
    expect((await send(url, BODY, {})).status).toBe(200);
    expect(taken(events)).toMatchObject([{ verified: false, form: 'basic', event: 'comment.add' }]);
  });

  it('is rejected if it verifies but nests too deeply, and the next one is accepted', async () => {
    const { url, secret, events } = await listening();
    const deep = `{"event":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    expect((await send(url, deep, signed(secret, deep))).status).toBe(400);
    expect((await send(url, BODY, signed(secret, BODY))).status).toBe(200);
    expect(events.map((event) => event.kind)).toEqual(['rejected', 'received']);
  });

  it('is rejected if it verifies but is not JSON', async () => {
    const { url, secret, events } = await listening();
    expect((await send(url, 'a=b', signed(secret, 'a=b'))).status).toBe(400);
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    expect((await send(url, bytes, signed(secret, bytes))).status).toBe(401);
    const basic = await listening({ proofs: { secrets: [], authToken: token } });
    expect((await send(basic.url, bytes, { authorization: `Basic ${token}` })).status).toBe(400);
    expect([...events, ...basic.events].map((event) => event.kind)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ]);
  });
});

function inTens<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / 10) }, (_, at) =>
    items.slice(at * 10, at * 10 + 10),
  );
}

describe('forwarding', () => {
  it('sends the original bytes and headers, except hop-by-hop headers', async () => {
    const to = await target();
    const { url, secret } = await listening({ forwarding: { defaultTarget: to.url } });
    const headers = {
      ...signed(secret, BODY),
      'X-Custom': ['a', 'b'],
      'X-Latin': 'caf\u00e9',
      Connection: 'X-Hop, close',
      'X-Hop': '1',
      TE: 'trailers',
    };
    expect((await send(url, BODY, headers)).status).toBe(200);
    const [got] = to.received;
    expect(got?.body.toString()).toBe(BODY);
    expect(got?.headers).toMatchObject({
      'x-custom': 'a, b',
      'x-latin': 'caf\u00e9',
      ...signedOf(headers),
    });
    expect(got?.rawHeaders).toContain('X-Custom');
    expect(Object.keys(got?.headers ?? {})).not.toEqual(expect.arrayContaining(['x-hop']));
    expect(got?.headers['te']).toBeUndefined();
    expect(got?.headers['host']).toBe(to.url.host);
    new Webhook(secret).verify(BODY, got?.headers as Record<string, string>);
  });

  it('sends only the decoded payload with isDecoded', async () => {
    const to = await target();
    const { url, secret } = await listening({
      forwarding: { defaultTarget: to.url, isDecoded: true },
    });
    const body = packBody(BODY, { encode: true });
    expect((await send(url, body, signed(secret, body))).status).toBe(200);
    expect(to.received[0]?.body.toString()).toBe(BODY);
    expect(to.received[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(to.received[0]?.headers['webhook-signature']).toBeUndefined();
  });

  it('sends to the first matching route, otherwise to the default target', async () => {
    const [comments, all] = [await target(), await target()];
    const routes = [{ pattern: 'comment.*', target: comments.url }];
    const { url, secret, events } = await listening({
      forwarding: { routes, defaultTarget: all.url },
    });
    for (const event of ['comment.add', 'huddle.join']) {
      const body = JSON.stringify({ event });
      expect((await send(url, body, signed(secret, body))).status).toBe(200);
    }
    expect(
      [comments, all].map(({ received }) =>
        received.map(({ body }) => JSON.parse(body.toString()).event),
      ),
    ).toEqual([['comment.add'], ['huddle.join']]);
    expect(taken(events).map(({ forwarded }) => forwarded)).toMatchObject([
      { status: 200 },
      { status: 200 },
    ]);
  });

  it.each([301, 404, 500])(
    'answers 502 to a target that answers %i, and sends it again when it comes again',
    async (status) => {
      const to = await target((response, count) => {
        response.statusCode = count === 1 ? status : 204;
        response.setHeader('location', 'http://127.0.0.1:1/').end();
      });
      const { url, secret, events } = await listening({ forwarding: { defaultTarget: to.url } });
      const headers = signed(secret, BODY, 'msg_1');
      expect((await send(url, BODY, headers)).status).toBe(502);
      expect((await send(url, BODY, headers)).status).toBe(200);
      expect((await send(url, BODY, headers)).status).toBe(200);
      expect(to.received.length).toBe(2);
      expect(events).toMatchObject([
        { kind: 'received', accepted: false, delivery: { forwarded: { status } } },
        { kind: 'received', accepted: true, delivery: { forwarded: { status: 204 } } },
        { kind: 'duplicate', id: 'msg_1', event: 'comment.add' },
      ]);
    },
  );

  it('responds with 502 if the target is down or does not respond in time', async () => {
    const gone = new URL('http://127.0.0.1:1/');
    const refused = await listening({ forwarding: { defaultTarget: gone } });
    expect((await send(refused.url, BODY, signed(refused.secret, BODY))).status).toBe(502);
    expect(taken(refused.events)).toMatchObject([
      { forwarded: { status: null, error: 'connection refused' } },
    ]);
    const silent = await target(() => undefined);
    const waiting = await listening({
      forwarding: { defaultTarget: silent.url, postOptions: { timeout: 100 } },
    });
    expect((await send(waiting.url, BODY, signed(waiting.secret, BODY))).status).toBe(502);
    expect(taken(waiting.events)).toMatchObject([
      { forwarded: { status: null, error: 'no response within 0.1 s' } },
    ]);
  });

  it('responds only after the target, and forwards concurrent duplicates once', async () => {
    let open = () => {};
    const to = await target((response) => {
      open = () => response.end();
    });
    const { url, secret } = await listening({ forwarding: { defaultTarget: to.url } });
    const headers = signed(secret, BODY);
    let answers = 0;
    const both = [1, 2].map(() =>
      send(url, BODY, headers).then(({ status }) => [status, ++answers]),
    );
    await expect.poll(() => to.received.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answers).toBe(0);
    open();
    expect((await Promise.all(both)).map(([status]) => status)).toEqual([200, 200]);
    expect(to.received.length).toBe(1);
  });
});

const signedOf = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('webhook-')));

describe('a relay', () => {
  it('signs deliveries with its own secret, for the target and the recording', async () => {
    const to = await target();
    const relaySecret = newSecret();
    const recorded: { headers: unknown }[] = [];
    const recording = {
      add: async (delivery: { headers: unknown }) => void recorded.push(delivery),
    };
    const { url, secret, events } = await listening({
      relaySecret,
      recording,
      forwarding: { defaultTarget: to.url },
    });
    expect((await send(url, BODY, signed(relaySecret, BODY))).status).toBe(401);
    expect((await send(url, BODY, signed(secret, BODY, 'msg_1'))).status).toBe(200);
    const { headers = {}, body = '' } = to.received[0] ?? {};
    expect(() =>
      new Webhook(relaySecret).verify(body, headers as Record<string, string>),
    ).not.toThrow();
    expect(headers['webhook-id']).toBe('msg_1');
    expect(recorded[0]?.headers).toContainEqual([
      'webhook-signature',
      headers['webhook-signature'],
    ]);
    expect(taken(events)).toMatchObject([
      { id: 'msg_1', verified: true, forwarded: { milliseconds: expect.any(Number) } },
    ]);
  });

  it('passes on only the requested events, and accepts the others', async () => {
    const to = await target();
    const { url, secret, events } = await listening({
      events: ['huddle.*'],
      forwarding: { defaultTarget: to.url },
    });
    for (const event of ['comment.add', 'huddle.join']) {
      const body = JSON.stringify({ event });
      expect((await send(url, body, signed(secret, body))).status).toBe(200);
    }
    expect(to.received.map(({ body }) => body.toString())).toEqual(['{"event":"huddle.join"}']);
    expect(events).toMatchObject([
      { kind: 'filtered', event: 'comment.add' },
      { kind: 'received' },
    ]);
  });
});

describe('a replay of the latest delivery', () => {
  it('has the same ID and body, and a signature of now', async () => {
    const to = await target();
    let now = Date.now();
    const clock = { ...systemClock, now: () => now };
    const { url, secret, events, replayLast } = await listening({
      clock,
      forwarding: { defaultTarget: to.url },
    });
    expect(await replayLast()).toBe(false);
    await send(url, BODY, signed(secret, BODY, 'msg_1'));
    await send(url, BODY, signed(secret, BODY, 'msg_2'));
    now += 3_600_000;
    expect(await replayLast()).toBe(true);
    const replayed = to.received[2];
    expect(replayed?.body.toString()).toBe(BODY);
    expect(replayed?.headers).toMatchObject({
      'webhook-id': 'msg_2',
      'webhook-timestamp': String(Math.floor(now / 1000)),
    });
    expect(replayed?.headers['webhook-signature']).not.toBe(
      to.received[1]?.headers['webhook-signature'],
    );
    expect(events[2]).toMatchObject({
      kind: 'replayed',
      delivery: {
        id: 'msg_2',
        replayedAt: new Date(now).toISOString(),
        forwarded: { status: 200 },
      },
    });
  });
});
