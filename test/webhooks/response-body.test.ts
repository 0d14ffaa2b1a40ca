import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createSocketServer } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpSender } from '../../src/service/deliveries/http-sender.ts';
import { listen } from '../listen.ts';

const SECRET = 'whsec_plJ3nmyCDGBKInavdOK15jsl';

function createSend(timeout = 400) {
  const sender = createHttpSender({ allowPrivateTargets: true, timeout });
  onTestFinished(() => sender.close());
  return (url: string) => {
    return sender.send({ url, headers: {}, body: '{}', secrets: [SECRET, 'top secret token'] });
  };
}

/** Sends a request to a receiver that responds with a body. */
async function respond(
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
  status = 500,
) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status, headers).end(body));
  });
  return createSend()(`http://${await listen(server)}`);
}

describe('the response of a receiver', () => {
  it('is kept with its status and its duration', async () => {
    expect(await respond('KeyError: targetComment\n')).toEqual({
      status: 500,
      error: null,
      reason: 'http 5xx',
      milliseconds: expect.any(Number),
      body: 'KeyError: targetComment',
    });
    expect(await respond('ok', {}, 200)).toMatchObject({ status: 200, reason: null, body: 'ok' });
  });

  it.each([
    ['empty', '', {}, null],
    ['white space', ' \r\n', {}, null],
    ['compressed', gzipSync('KeyError'), { 'content-encoding': 'gzip' }, 'KeyError'],
    ['compressed with Brotli', brotliCompressSync('é'), { 'content-encoding': 'br' }, 'é'],
    [
      'an image',
      Buffer.from('89504e470d0a1a0a0000', 'hex'),
      { 'content-type': 'image/png' },
      'binary data (image/png)',
    ],
    ['compressed without saying so', gzipSync('KeyError'), {}, 'binary data'],
    ['not in its encoding', 'KeyError', { 'content-encoding': 'gzip' }, 'binary data'],
    [
      'a compression bomb',
      gzipSync(Buffer.alloc(50_000_000)),
      { 'content-encoding': 'gzip' },
      'binary data',
    ],
    [
      'in Latin-1',
      Buffer.from('caf\xe9', 'latin1'),
      { 'content-type': 'text/plain; charset=iso-8859-1' },
      'café',
    ],
    [
      'partly not UTF-8',
      Buffer.from('a long text with caf\xe9', 'latin1'),
      {},
      'a long text with caf\ufffd',
    ],
    ['of an unknown charset', 'text', { 'content-type': 'text/plain; charset=x-none' }, 'text'],
    [
      'of a type that is not a type',
      Buffer.from([0]),
      { 'content-type': '<script>' },
      'binary data',
    ],
  ])('that is %s is kept as text or described', async (_, body, headers, expected) => {
    expect((await respond(body, headers)).body).toBe(expected);
  });

  it('keeps the first 1 kB of a long text, between two characters', async () => {
    expect((await respond('x'.repeat(1_024))).body).toBe('x'.repeat(1_024));
    expect((await respond('x'.repeat(5_000_000))).body).toBe(`${'x'.repeat(1_024)}…`);
    expect((await respond(`x${'é'.repeat(2_000)}`)).body).toBe(`x${'é'.repeat(511)}…`);
    expect((await respond('😀'.repeat(2_000))).body).toBe(`${'😀'.repeat(256)}…`);
  });

  it('keeps the start of a body that never ends, without the start of a secret', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200).write(`expected ${SECRET.slice(0, 20)}`);
    });
    const url = `http://${await listen(server)}`;
    expect(await createSend(100)(url)).toMatchObject({ status: 200, body: 'expected…' });
  });

  it('contains no secret', async () => {
    const key = Buffer.from(SECRET.slice(6), 'base64').toString('hex');
    const texts = [
      `bad signature, expected key ${SECRET}`,
      JSON.stringify({ headers: { authorization: 'Basic top secret token' } }),
      `key=${encodeURIComponent('top secret token')}`,
      'postgres://app:hunter2@db/app',
      'DATABASE_PASSWORD=hunter2-of-the-app',
      'Authorization: Bearer hunter2.hunter2.hunter2',
      '{"client_secret":"hunter2"}',
      `${'x'.repeat(1_010)} ${SECRET}`,
    ];
    for (const text of texts) {
      const { body } = await respond(text);
      expect(body).not.toMatch(/hunter2|top secret|top%20|plJ3|nmyC/);
      expect(body).not.toContain(key);
    }
    expect((await respond('KeyError: token, secret: not found')).body).toBe(
      'KeyError: token, secret: not found',
    );
  });
});

describe('the reason of a failure', () => {
  it.each([
    [201, null],
    [307, 'redirect'],
    [404, 'http 4xx'],
    [503, 'http 5xx'],
    [999, 'other'],
  ])('follows from the status %d', async (status, reason) => {
    expect(await respond('', {}, status)).toMatchObject({ status, reason });
  });

  it('follows from the error of the connection', async () => {
    const send = createSend(200);
    const reasonOf = async (url: string) => (await send(url)).reason;
    const plain = `https://${await listen(createServer())}`;
    const secure = `https://${await listen(createSecureServer())}`;
    const silent = `http://${await listen(createServer())}`;
    const reset = createSocketServer((socket) => {
      socket.on('data', () => socket.resetAndDestroy());
    });
    expect(await reasonOf('http://127.0.0.1:1')).toBe('connection refused');
    expect(await reasonOf('http://name.invalid')).toBe('dns');
    expect(await reasonOf(plain)).toBe('tls');
    expect(await reasonOf(secure)).toBe('tls');
    expect(await reasonOf(silent)).toBe('timeout');
    expect(await reasonOf(`http://${await listen(reset)}`)).toBe('reset');
  });
});
