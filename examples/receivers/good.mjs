// A webhook receiver in plain Node.js (22 or later) without dependencies. It shows the steps of every receiver, in the
// right order. `svc webhooks test` grades it.
//
//   SECRET_FILE=secret.txt node good.mjs        advanced deliveries, signed according to Standard Webhooks
//   AUTH_TOKEN_FILE=token.txt node good.mjs     basic deliveries
//
// Other variables: PORT (default: 3000; 0 chooses a free port), PRIVATE_KEY_FILE (PEM, for encrypted payloads), and
// EFFECTS=1 (GET /effects lists the applied deliveries; for tests only).

import { constants, createDecipheriv, createHmac, privateDecrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isUtf8 } from 'node:buffer';

const MAX_BYTES = 10 * 1024 * 1024;
const TOLERANCE = 5 * 60;
const MAX_REMEMBERED = 100_000;

/** A response other than 200. */
export class Refusal extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

export const steps = {
  /** Checks the method first, because it is the cheapest check. */
  route({ method }) {
    if (method !== 'POST') throw new Refusal(405, 'only POST');
  },

  /** Reads the raw bytes. The signature covers these, not decoded text or parsed JSON. */
  async readBody(request) {
    if (Number(request.headers['content-length']) > MAX_BYTES) throw new Refusal(413, 'too long');
    const chunks = [];
    let length = 0;
    // Throws if the connection ends before the body does.
    for await (const chunk of request) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new Refusal(413, 'too long');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  },

  /** Compares in constant time, so that an attacker can't guess a token or a signature character by character. */
  isEqual(given, expected) {
    const [a, b] = [Buffer.from(given), Buffer.from(expected)];
    return a.length === b.length && timingSafeEqual(a, b);
  },

  verify(headers, body, { secret, token }) {
    if (secret === undefined) return this.verifyToken(headers, token);
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
    if (!id || id.includes('.') || !timestamp || !signatures) throw new Refusal(401, 'not signed');
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    // After a change of the secret, the header contains several signatures, separated by spaces.
    if (!signatures.split(' ').some((one) => this.isEqual(one, expected))) throw new Refusal(401, 'wrong signature');
    this.checkTime(timestamp);
  },

  /** The header contains the token itself, not base64. */
  verifyToken({ authorization = '' }, token) {
    if (token !== undefined && !this.isEqual(authorization, `Basic ${token}`)) throw new Refusal(401, 'wrong token');
  },

  /** Rejects old timestamps. Otherwise an attacker could replay a recorded delivery at any time. */
  checkTime(timestamp) {
    if (!/^\d+$/.test(timestamp)) throw new Refusal(400, 'no timestamp');
    if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE) throw new Refusal(400, 'timestamp out of range');
  },

  /** Unpacks a verified payload: plain, base64-encoded, or encrypted, depending on the configuration. */
  unpack(body, { privateKey }) {
    if (!isUtf8(body)) throw new Refusal(400, 'not UTF-8');
    const payload = this.parse(body.toString());
    if (typeof payload.encodedPayload === 'string') return this.decode(payload);
    if (typeof payload.encryptedData === 'string') return this.decrypt(payload, privateKey);
    return payload;
  },

  decode({ encodedPayload }) {
    return this.parse(Buffer.from(encodedPayload, 'base64').toString());
  },

  decrypt({ encryptedData, encryptedKey, iv }, privateKey) {
    if (privateKey === undefined) throw new Refusal(422, 'no private key');
    const oaep = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    const key = privateDecrypt(oaep, Buffer.from(encryptedKey, 'base64'));
    const decipher = createDecipheriv('aes-256-cbc', key, Buffer.from(iv, 'base64'));
    return this.parse(Buffer.concat([decipher.update(encryptedData, 'base64'), decipher.final()]).toString());
  },

  parse(json) {
    try {
      return Object(JSON.parse(json));
    } catch {
      throw new Refusal(400, 'not JSON');
    }
  },

  /**
   * Accepts a repeated delivery without applying it again. Deliveries arrive at least once and in any order. A real
   * receiver stores the IDs in the same transaction as the effects.
   */
  applyOnce(id, payload, world) {
    const { applied } = world;
    if (applied.has(id)) return;
    this.apply(id, payload, world);
    if (applied.size > MAX_REMEMBERED) applied.delete(applied.keys().next().value);
  },

  /** Applies an event. A real receiver does its work here. It ignores events of unknown types and responds with 200. */
  apply(id, payload, { applied }) {
    applied.set(id, [...(applied.get(id) ?? []), eventOf(payload)]);
  },
};

/** Returns the event of a payload. Basic payloads contain a source and an action instead. */
function eventOf({ event, notificationSource, actionType }) {
  if (event !== undefined) return event;
  return BASIC_EVENTS.get(`${notificationSource} ${actionType}`) ?? `${notificationSource}.${actionType}`;
}

const BASIC_EVENTS = new Map([
  ['comment newlyAdded', 'comment_annotation.add'],
  ['comment added', 'comment.add'],
  ['comment updated', 'comment.update'],
  ['comment deleted', 'comment.delete'],
  ['huddle created', 'huddle.create'],
  ['huddle joined', 'huddle.join'],
  ['crdt updateData', 'crdt.update_data'],
]);

/** @param settings secret or token, and privateKey @param step the steps; faulty.mjs replaces some of them */
export function createReceiver(settings, step = steps) {
  const world = { ...settings, applied: new Map() };
  const receive = async (request) => {
    step.route(request);
    const body = await step.readBody(request);
    step.verify(request.headers, body, world);
    const payload = step.unpack(body, world);
    // A basic delivery contains the ID of its event in the payload.
    step.applyOnce(request.headers['webhook-id'] ?? payload.webhookId, payload, world);
  };
  // The timeouts limit how long a slow or silent client can hold a connection.
  return createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, async (request, response) => {
    if (settings.showsEffects && request.method === 'GET' && request.url === '/effects') {
      response.end(JSON.stringify([...world.applied].flatMap(([id, events]) => events.map((event) => ({ id, event })))));
      return;
    }
    try {
      await receive(request);
      // Respond with 2xx only now, because the sender does not repeat an accepted delivery.
      response.end('ok\n');
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      // Don't wait for the rest of the body.
      response.writeHead(status, { connection: 'close' }).end(`${error instanceof Refusal ? error.message : 'failed'}\n`);
      request.resume();
    }
  });
}

/** Starts the server with the settings in the environment. */
export function start(step = steps, env = process.env) {
  const read = (name) => (env[name] ? readFileSync(env[name], 'utf8').trim() : undefined);
  const settings = { secret: read('SECRET_FILE'), token: read('AUTH_TOKEN_FILE'), privateKey: read('PRIVATE_KEY_FILE') };
  if (!settings.secret && !settings.token) throw new Error('SECRET_FILE or AUTH_TOKEN_FILE is missing');
  const server = createReceiver({ ...settings, showsEffects: env.EFFECTS === '1' }, step);
  server.listen(Number(env.PORT ?? 3000), '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}/hook`);
  });
  return server;
}

if (import.meta.filename === process.argv[1]) start();
