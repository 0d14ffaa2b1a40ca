import { generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { ListenerEvent } from '../../src/webhooks/listener.ts';
import { packBody } from '../../src/webhooks/payload.ts';
import { hasOpenssl, opensslSignature } from './openssl.ts';
import { listening, newSecret, send, signed, target, unixNow } from './world.ts';

const BODY = '{ "event": "comment.add",\n "data": {"text": "Grüße"} }';

const taken = (events: readonly ListenerEvent[]) =>
  events.flatMap((event) => (event.kind === 'taken' ? [event.delivery] : []));

describe('a delivery that verifies', () => {
  it("is taken when the standard's own package signed it", async () => {
    const { url, secret, events } = await listening();
    const now = new Date();
    const signature = new Webhook(secret).sign('msg_1', now, BODY);
    const timestamp = String(Math.floor(now.getTime() / 1000));
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
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

  it.skipIf(!hasOpenssl())('is taken when OpenSSL signed it, whatever the case of its headers', async () => {
    const { url, secret } = await listening();
    const timestamp = unixNow();
    const signature = opensslSignature(secret, 'msg_1', timestamp, Buffer.from(BODY));
    const headers = { 'WEBHOOK-ID': 'msg_1', 'Webhook-Timestamp': String(timestamp), 'wEBHOOK-sIGNATURE': signature };
    expect((await send(url, BODY, headers)).status).toBe(200);
  });

  it('is taken with the token of basic webhooks, as it is configured', async () => {
    const authToken = randomBytes(16).toString('hex');
    const { url, events } = await listening({ proofs: { secrets: [], authToken } });
    const body = JSON.stringify({ webhookId: 'wh_1', notificationSource: 'comment', actionType: 'newlyAdded' });
    expect((await send(url, body, { authorization: `Basic ${authToken}` })).status).toBe(200);
    expect(taken(events)).toMatchObject([
      { id: 'wh_1', event: 'comment_annotation.add', form: 'basic', verified: true },
    ]);
  });

  it('is decoded and decrypted, and where it cannot be, taken with the reason', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const sealed = packBody(BODY, { encode: false, encryptFor: publicKey });
    const encoded = packBody(BODY, { encode: true });
    const { url, secret, events } = await listening({ privateKey });
    for (const body of [sealed, encoded]) expect((await send(url, body, signed(secret, body))).status).toBe(200);
    expect(taken(events).map(({ payload }) => payload)).toEqual([JSON.parse(BODY), JSON.parse(BODY)]);

    const without = await listening({ proofs: { secrets: [secret] } });
    expect((await send(without.url, sealed, signed(secret, sealed))).status).toBe(200);
    expect(without.events).toMatchObject([
      { delivery: { event: 'unknown', payload: null }, fault: 'the body is encrypted, and no private key was given' },
    ]);
  });

  it.each(['null', '[]', '"text"', '{"event":7}'])('is taken though its payload is %s', async (body) => {
    const { url, secret, events } = await listening();
    expect((await send(url, body, signed(secret, body))).status).toBe(200);
    expect(taken(events)).toMatchObject([{ event: 'unknown', payload: JSON.parse(body) }]);
  });
});

describe('a delivery that does not verify', () => {
  const token = randomBytes(16).toString('hex');

  it.each([
    ['nothing', {}, 'it is not signed'],
    ['a token where signatures are asked for', { authorization: `Basic ${token}` }, 'it is not signed'],
    ['half a signature', { 'webhook-id': 'msg_1' }, 'the header webhook-timestamp is missing'],
  ])('with %s is answered 401 and goes nowhere', async (_, headers, reason) => {
    const to = await target();
    const { url, events } = await listening({ forwarding: { otherwise: to.url } });
    expect(await send(url, BODY, headers)).toEqual({ status: 401, text: 'unverified\n' });
    expect(events).toEqual([{ kind: 'refused', reason }]);
    expect(to.received).toEqual([]);
  });

  it.each([
    ['another token', [`Basic ${token}x`], 'the token is another one'],
    ['base64 of the token', [`Basic ${Buffer.from(token).toString('base64')}`], 'the token is another one'],
    ['another scheme', [`Bearer ${token}`], 'the header authorization is not Basic'],
    ['two tokens, one of them right', [`Basic ${token}`, 'Basic x'], 'there are 2 headers authorization'],
    ['no token', [], 'the header authorization is missing'],
  ])('with %s is answered 401', async (_, authorization, reason) => {
    const { url, events } = await listening({ proofs: { secrets: [], authToken: token } });
    const headers: Record<string, string | string[]> = authorization.length > 0 ? { authorization } : {};
    expect((await send(url, BODY, headers)).status).toBe(401);
    expect(events).toEqual([{ kind: 'refused', reason }]);
  });

  it('is refused in 1,000 forgeries, and nothing of them reaches a target', async () => {
    const to = await target();
    const { url, secret, events } = await listening({ forwarding: { otherwise: to.url } });
    const whole = signed(secret, BODY, 'msg_1');
    const printable = fc.string({ unit: fc.constantFrom(...'abcXYZ019+/=,. v'), maxLength: 60 });
    const forgery = fc.oneof(
      fc.tuple(fc.nat(BODY.length - 1), fc.constantFrom(...'{}x7 ')).map(([at, letter]) => {
        const body = BODY.slice(0, at) + letter + BODY.slice(at + 1);
        return { body: body === BODY ? `${BODY} ` : body, headers: whole };
      }),
      fc
        .constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature')
        .chain((name) => printable.map((value) => ({ body: BODY, headers: { ...whole, [name]: value } }))),
      fc.constant(null).map(() => ({ body: BODY, headers: signed(newSecret(), BODY) })),
    );
    for (const batch of inTens(fc.sample(forgery, 1000))) {
      const answers = await Promise.all(batch.map(({ body, headers }) => send(url, body, headers)));
      expect(answers.map(({ status }) => status)).toEqual(batch.map(() => 401));
    }
    expect(events.filter(({ kind }) => kind !== 'refused')).toEqual([]);
    expect(to.received).toEqual([]);
  });

  it('is taken and marked where the user said so', async () => {
    const { url, events } = await listening({ proofs: { secrets: [] }, skipVerify: true });
    expect((await send(url, BODY, {})).status).toBe(200);
    expect(taken(events)).toMatchObject([{ verified: false, form: 'basic', event: 'comment.add' }]);
  });

  it('is refused when it verifies and nests so deep that nobody could write it out, and the next one is taken', async () => {
    const { url, secret, events } = await listening();
    const deep = `{"event":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    expect((await send(url, deep, signed(secret, deep))).status).toBe(400);
    expect((await send(url, BODY, signed(secret, BODY))).status).toBe(200);
    expect(events.map((event) => event.kind)).toEqual(['refused', 'taken']);
  });

  it('is refused when it verifies and is no JSON text', async () => {
    const { url, secret, events } = await listening();
    expect((await send(url, 'a=b', signed(secret, 'a=b'))).status).toBe(400);
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    expect((await send(url, bytes, signed(secret, bytes))).status).toBe(401);
    const basic = await listening({ proofs: { secrets: [], authToken: token } });
    expect((await send(basic.url, bytes, { authorization: `Basic ${token}` })).status).toBe(400);
    expect([...events, ...basic.events].map((event) => event.kind)).toEqual(['refused', 'refused', 'refused']);
  });
});

function inTens<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / 10) }, (_, at) => items.slice(at * 10, at * 10 + 10));
}

describe('forwarding', () => {
  it('sends the bytes and headers as they came, but for those of one hop', async () => {
    const to = await target();
    const { url, secret } = await listening({ forwarding: { otherwise: to.url } });
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
    expect(got?.headers).toMatchObject({ 'x-custom': 'a, b', 'x-latin': 'caf\u00e9', ...signedOf(headers) });
    expect(got?.rawHeaders).toContain('X-Custom');
    expect(Object.keys(got?.headers ?? {})).not.toEqual(expect.arrayContaining(['x-hop']));
    expect(got?.headers['te']).toBeUndefined();
    expect(got?.headers['host']).toBe(to.url.host);
    new Webhook(secret).verify(BODY, got?.headers as Record<string, string>);
  });

  it('sends the payload alone where that is asked for', async () => {
    const to = await target();
    const { url, secret } = await listening({ forwarding: { otherwise: to.url, decoded: true } });
    const body = packBody(BODY, { encode: true });
    expect((await send(url, body, signed(secret, body))).status).toBe(200);
    expect(to.received[0]?.body.toString()).toBe(BODY);
    expect(to.received[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(to.received[0]?.headers['webhook-signature']).toBeUndefined();
  });

  it('goes to the first route that fits, else to the target for all', async () => {
    const [comments, all] = [await target(), await target()];
    const routes = [{ pattern: 'comment.*', target: comments.url }];
    const { url, secret, events } = await listening({ forwarding: { routes, otherwise: all.url } });
    for (const event of ['comment.add', 'huddle.join']) {
      const body = JSON.stringify({ event });
      expect((await send(url, body, signed(secret, body))).status).toBe(200);
    }
    expect(
      [comments, all].map(({ received }) => received.map(({ body }) => JSON.parse(body.toString()).event)),
    ).toEqual([['comment.add'], ['huddle.join']]);
    expect(taken(events).map(({ forwarded }) => forwarded)).toEqual([{ status: 200 }, { status: 200 }]);
  });

  it.each([301, 404, 500])(
    'answers 502 to a target that answers %i, and sends it again when it comes again',
    async (status) => {
      const to = await target((response, count) => {
        response.statusCode = count === 1 ? status : 204;
        response.setHeader('location', 'http://127.0.0.1:1/').end();
      });
      const { url, secret, events } = await listening({ forwarding: { otherwise: to.url } });
      const headers = signed(secret, BODY, 'msg_1');
      expect((await send(url, BODY, headers)).status).toBe(502);
      expect((await send(url, BODY, headers)).status).toBe(200);
      expect((await send(url, BODY, headers)).status).toBe(200);
      expect(to.received.length).toBe(2);
      expect(events).toMatchObject([
        { kind: 'taken', accepted: false, delivery: { forwarded: { status } } },
        { kind: 'taken', accepted: true, delivery: { forwarded: { status: 204 } } },
        { kind: 'repeated', id: 'msg_1', event: 'comment.add' },
      ]);
    },
  );

  it('answers 502 where nothing listens, and where no answer comes in time', async () => {
    const gone = new URL('http://127.0.0.1:1/');
    const refused = await listening({ forwarding: { otherwise: gone } });
    expect((await send(refused.url, BODY, signed(refused.secret, BODY))).status).toBe(502);
    expect(taken(refused.events)).toMatchObject([{ forwarded: { status: null, error: 'connection refused' } }]);
    const silent = await target(() => undefined);
    const waiting = await listening({ forwarding: { otherwise: silent.url, how: { timeout: 100 } } });
    expect((await send(waiting.url, BODY, signed(waiting.secret, BODY))).status).toBe(502);
    expect(taken(waiting.events)).toMatchObject([{ forwarded: { status: null, error: 'no answer within 0.1 s' } }]);
  });

  it('answers only after the target, and sends what comes twice at once only once', async () => {
    let open = () => {};
    const to = await target((response) => {
      open = () => response.end();
    });
    const { url, secret } = await listening({ forwarding: { otherwise: to.url } });
    const headers = signed(secret, BODY);
    let answers = 0;
    const both = [1, 2].map(() => send(url, BODY, headers).then(({ status }) => [status, ++answers]));
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
