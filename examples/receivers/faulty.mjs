// The receiver of good.mjs with one fault. Each fault is a common mistake.
//
//   FAULT=ignores-timestamp SECRET_FILE=secret.txt node faulty.mjs
//
// `svc webhooks test` detects every fault. Without FAULT, the program lists them.

import { createHmac } from 'node:crypto';
import { Refusal, start, steps } from './good.mjs';

const MINUTE = 60;

/** The steps that each fault replaces. */
const FAULTS = {
  'accepts-any-signature': {
    verify({ 'webhook-timestamp': timestamp, 'webhook-signature': signature }) {
      if (!signature) throw new Refusal(401, 'not signed');
      this.checkTime(timestamp);
    },
  },
  'accepts-unsigned': {
    verify(headers, body, world) {
      if (headers['webhook-signature']) steps.verify.call(this, headers, body, world);
    },
  },
  'accepts-any-token': {
    verifyToken({ authorization }) {
      if (!authorization) throw new Refusal(401, 'no token');
    },
  },
  'verifies-what-it-parsed': {
    verify(headers, body, world) {
      steps.verify.call(this, headers, Buffer.from(JSON.stringify(this.parse(body.toString()))), world);
    },
  },
  'knows-one-signature': {
    verify(headers, body, world) {
      if (headers['webhook-signature']?.includes(' ')) throw new Refusal(401, 'wrong signature');
      steps.verify.call(this, headers, body, world);
    },
  },
  'ignores-timestamp': { checkTime() {} },
  'believes-the-future': {
    checkTime(timestamp) {
      if (Date.now() / 1000 - Number(timestamp) > 5 * MINUTE) throw new Refusal(400, 'timestamp out of range');
    },
  },
  'joins-chunks-as-text': {
    async readBody(request) {
      let text = '';
      for await (const chunk of request) text += chunk;
      if (text.length > 10_000_000) throw new Refusal(413, 'too long');
      return Buffer.from(text);
    },
  },
  'crashes-on-encoded': { decode: () => process.exit(1) },
  'does-not-decode': { decode: (payload) => payload },
  'refuses-encrypted': {
    decrypt() {
      throw new Refusal(422, 'unknown format');
    },
  },
  'refuses-duplicates': {
    applyOnce(id, payload, world) {
      if (world.applied.has(id)) throw new Refusal(409, 'known');
      this.apply(id, payload, world);
    },
  },
  'applies-duplicates': {
    applyOnce(id, payload, world) {
      this.apply(id, payload, world);
    },
  },
  'wants-order': {
    apply(id, payload, world) {
      if (payload.event === 'comment.add' && world.last === 'comment.update') throw new Refusal(409, 'too late');
      world.last = payload.event;
      steps.apply.call(this, id, payload, world);
    },
  },
  'refuses-unknown-events': {
    apply(id, payload, world) {
      if (!/^(comment|comment_annotation|huddle)[.]/.test(payload.event)) throw new Refusal(422, 'unknown');
      steps.apply.call(this, id, payload, world);
    },
  },
  'hangs-on-cut': {
    readBody: (request) =>
      new Promise((resolve) => {
        const chunks = [];
        request.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
        request.on('end', () => resolve(Buffer.concat(chunks)));
        if (Number(request.headers['content-length']) > 10_000_000) resolve(Buffer.alloc(0));
      }),
    /** Keeps the connection open after an error. */
    server: (server) => server.on('clientError', () => {}),
  },
  'takes-cut': {
    server: (server) =>
      server.on('clientError', (_, socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
  },
  'takes-any-length': {
    async readBody(request) {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  },
  'crashes-on-long': {
    async readBody(request) {
      if (Number(request.headers['content-length']) > 10_000_000) process.exit(1);
      return steps.readBody.call(this, request);
    },
  },
  'takes-any-method': {
    route({ method }) {
      if (method !== 'POST') throw new Refusal(200, 'hello');
    },
  },
};

const fault = FAULTS[process.env.FAULT];
if (!fault) {
  console.error(`FAULT is one of: ${Object.keys(FAULTS).join(', ')}`);
  process.exit(2);
}
const { server: change, ...changed } = fault;
const server = start({ ...steps, ...changed });
change?.(server);
