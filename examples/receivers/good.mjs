// A receiver of webhooks in plain Node.js (22 or later), without a dependency: the things that every receiver has to do,
// in the order in which it has to do them. `svc webhooks test` grades it.
//
//   SECRET_FILE=secret.txt node good.mjs        deliveries signed as Standard Webhooks describe it
//   AUTH_TOKEN_FILE=token.txt node good.mjs     basic deliveries
//
// PORT (3000; 0 takes a free one), PRIVATE_KEY_FILE (for encrypted payloads, PEM), EFFECTS=1 (GET /effects lists what was
// applied; for tests only).

import { constants, createDecipheriv, createHmac, privateDecrypt, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isUtf8 } from 'node:buffer';

const MOST_BYTES = 10 * 1024 * 1024;
const TOLERANCE = 5 * 60;
const REMEMBERED = 100_000;

/** An answer other than 200. */
export class Refusal extends Error {
  constructor(status, reason) {
    super(reason);
    this.status = status;
  }
}

export const steps = {
  /** The path and the method come first: everything else costs more. */
  route({ method }) {
    if (method !== 'POST') throw new Refusal(405, 'only POST');
  },

  /** The bytes as they came. A text made of them, or JSON, is not what was signed. */
  async readBody(request) {
    if (Number(request.headers['content-length']) > MOST_BYTES) throw new Refusal(413, 'too long');
    const chunks = [];
    let length = 0;
    // Ends with an error where the connection ends before the body does.
    for await (const chunk of request) {
      length += chunk.length;
      if (length > MOST_BYTES) throw new Refusal(413, 'too long');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  },

  /** Compared in constant time, so that nobody can find out a token or a signature letter by letter. */
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
    // After a change of secret there are several, separated by spaces.
    if (!signatures.split(' ').some((one) => this.isEqual(one, expected))) throw new Refusal(401, 'wrong signature');
    this.checkTime(timestamp);
  },

  /** The token stands there as it is, not as base64. */
  verifyToken({ authorization = '' }, token) {
    if (token !== undefined && !this.isEqual(authorization, `Basic ${token}`)) throw new Refusal(401, 'wrong token');
  },

  /** Signed as well: without this, what was listened to could be sent again at any later time. */
  checkTime(timestamp) {
    if (!/^\d+$/.test(timestamp)) throw new Refusal(400, 'no timestamp');
    if (Math.abs(Date.now() / 1000 - Number(timestamp)) > TOLERANCE) throw new Refusal(400, 'out of time');
  },

  /** Plain, base64-encoded or encrypted, as it was configured; only verified bytes get here. */
  unpack(body, { privateKey }) {
    if (!isUtf8(body)) throw new Refusal(400, 'no UTF-8');
    const payload = this.parse(body.toString());
    if (typeof payload.encodedPayload === 'string') return this.decode(payload);
    if (typeof payload.encryptedData === 'string') return this.decrypt(payload, privateKey);
    return payload;
  },

  decode({ encodedPayload }) {
    return this.parse(Buffer.from(encodedPayload, 'base64').toString());
  },

  decrypt({ encryptedData, encryptedKey, iv }, privateKey) {
    if (privateKey === undefined) throw new Refusal(422, 'no key to open it with');
    const oaep = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
    const key = privateDecrypt(oaep, Buffer.from(encryptedKey, 'base64'));
    const decipher = createDecipheriv('aes-256-cbc', key, Buffer.from(iv, 'base64'));
    return this.parse(Buffer.concat([decipher.update(encryptedData, 'base64'), decipher.final()]).toString());
  },

  parse(json) {
    try {
      return Object(JSON.parse(json));
    } catch {
      throw new Refusal(400, 'no JSON');
    }
  },

  /**
   * Deliveries come at least once, and in any order: what came before is taken again and does nothing. A real receiver
   * keeps the ids where it keeps what it applies, in the same transaction.
   */
  applyOnce(id, payload, world) {
    const { applied } = world;
    if (applied.has(id)) return;
    this.apply(id, payload, world);
    if (applied.size > REMEMBERED) applied.delete(applied.keys().next().value);
  },

  /** Here something would happen. What is of an unknown type is left alone, and taken all the same. */
  apply(id, payload, { applied }) {
    applied.set(id, [...(applied.get(id) ?? []), eventOf(payload)]);
  },
};

/** A basic payload names what happened by its source and action. */
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

/** @param settings secret or token, and privateKey; `steps` may be others, which is how faulty.mjs goes wrong */
export function createReceiver(settings, step = steps) {
  const world = { ...settings, applied: new Map() };
  const take = async (request) => {
    step.route(request);
    const body = await step.readBody(request);
    step.verify(request.headers, body, world);
    const payload = step.unpack(body, world);
    // A basic delivery carries the id of its event in the payload.
    step.applyOnce(request.headers['webhook-id'] ?? payload.webhookId, payload, world);
  };
  // Who sends too slowly, or nothing more, holds a place here for so long.
  return createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, async (request, response) => {
    if (settings.showsEffects && request.method === 'GET' && request.url === '/effects') {
      response.end(JSON.stringify([...world.applied].flatMap(([id, events]) => events.map((event) => ({ id, event })))));
      return;
    }
    try {
      await take(request);
      // 2xx only now: a sender does not send again what was taken.
      response.end('ok\n');
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500;
      // What is left of the body is not waited for.
      response.writeHead(status, { connection: 'close' }).end(`${error instanceof Refusal ? error.message : 'failed'}\n`);
      request.resume();
    }
  });
}

/** Listens as the environment says, and gives the server. */
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
