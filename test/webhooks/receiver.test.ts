import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { listening, send, signed } from './listener-fixture.ts';

const LIMITS = { body: 1000, totalBodies: 2500, headers: 300, request: 300 };

/** Writes raw bytes to a port, and returns everything received until the connection closes. */
async function raw(url: string, ...parts: readonly string[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  for (const part of parts) socket.write(part);
  return text(socket);
}

const head = (...lines: readonly string[]) =>
  ['POST /hook HTTP/1.1', ...lines, '', ''].join('\r\n');

describe('a request that is rejected before handling', () => {
  it.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '[::2]',
    'localhost.',
    '',
  ])('a request for the host %j', async (host) => {
    const { url, refusals, events } = await listening();
    expect(await raw(url, head(`Host: ${host}`, 'Content-Length: 0', 'Connection: close'))).toMatch(
      /^HTTP\/1.1 421 /,
    );
    expect(refusals).toEqual([`unexpected host ${host}`]);
    expect(events).toEqual([]);
  });

  it.each(['http://evil.example', 'null'])('from a page of %s', async (origin) => {
    const { url, refusals, events } = await listening();
    const own = head(
      'Host: localhost',
      `Origin: ${origin}`,
      'Content-Length: 0',
      'Connection: close',
    );
    expect(await raw(url, own)).toMatch(/^HTTP\/1.1 403 /);
    expect(refusals).toEqual([`unexpected origin ${origin}`]);
    expect(events).toEqual([]);
  });

  it('for two hosts, or without a host', async () => {
    const { url } = await listening();
    const two = head(
      'Host: 127.0.0.1',
      'Host: evil.example',
      'Content-Length: 0',
      'Connection: close',
    );
    expect(await raw(url, two)).toMatch(/^HTTP\/1.1 4(00|21) /);
    expect(await raw(url, head('Content-Length: 0'))).toMatch(/^HTTP\/1.1 400 /);
  });

  it.each([
    'localhost',
    'app.localhost:3000',
    '127.0.0.1',
    '127.8.0.1',
    '[::1]:80',
    'tunnel.example',
  ])('but not one for %s', async (host) => {
    const { url } = await listening({ receiver: { allowedHosts: ['tunnel.example'] } });
    expect(await raw(url, head(`Host: ${host}`, 'Content-Length: 0', 'Connection: close'))).toMatch(
      /^HTTP\/1.1 401 /,
    );
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    const { url, events } = await listening();
    expect((await send(url, '', {}, method)).status).toBe(405);
    expect(events).toEqual([]);
  });

  it('with a Content-Length over the limit, before reading the body', async () => {
    const { url, refusals } = await listening({ receiver: { limits: LIMITS } });
    const answer = await raw(url, head('Host: localhost', 'Content-Length: 1001'));
    expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*the body is longer than 1000 bytes/);
    expect(refusals).toEqual(['the body is longer than 1000 bytes']);
    const waiting = await raw(
      url,
      head('Host: localhost', 'Content-Length: 1001', 'Expect: 100-continue'),
    );
    expect(waiting).toMatch(/^HTTP\/1.1 413 /);
  });

  it('with 11 MB and the default limit', SLOW, async () => {
    const { url, secret } = await listening();
    const body = Buffer.alloc(11 * 1024 * 1024, 0x20);
    const { status } = await send(url, body, signed(secret, body));
    expect(status).toBe(413);
    const most = Buffer.from(JSON.stringify('x'.repeat(10 * 1024 * 1024 - 2)));
    expect((await send(url, most, signed(secret, most))).status).toBe(200);
  });

  it('with a chunked body over the limit', async () => {
    const { url, refusals } = await listening({ receiver: { limits: LIMITS } });
    const chunk = `190\r\n${'x'.repeat(400)}\r\n`;
    const answer = await raw(
      url,
      head('Host: localhost', 'Transfer-Encoding: chunked'),
      chunk,
      chunk,
      chunk,
      chunk,
    );
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(refusals).toEqual(['the body is longer than 1000 bytes']);
  });

  it('with invalid chunk lengths, or with chunks and a Content-Length', async () => {
    const { url, events } = await listening();
    const lie = await raw(
      url,
      head('Host: localhost', 'Transfer-Encoding: chunked'),
      '5\r\nabcdefgh\r\n0\r\n\r\n',
    );
    expect(lie).toMatch(/^(HTTP\/1.1 400 |$)/);
    const both = head('Host: localhost', 'Transfer-Encoding: chunked', 'Content-Length: 3');
    expect(await raw(url, both, '3\r\nabc\r\n0\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /);
    expect(events).toEqual([]);
  });

  it.each([
    ['a head that does not end', 'POST / HTTP/1.1\r\nHost: localhost\r\n'],
    ['a body that does not come', head('Host: localhost', 'Content-Length: 500')],
  ])('%s', async (_, start) => {
    const { url, events } = await listening({ receiver: { limits: LIMITS } });
    expect(await raw(url, start)).toMatch(/^HTTP\/1.1 408 /);
    expect(events).toEqual([]);
  });

  it('more concurrent bodies than the limit', async () => {
    const { url, refusals, secret } = await listening({
      receiver: { limits: { ...LIMITS, request: 5_000 } },
    });
    const slow = [1, 2].map(() => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(head('Host: localhost', 'Content-Length: 1000') + 'x'.repeat(999));
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const body = JSON.stringify('x'.repeat(700));
    expect((await send(url, body, signed(secret, body))).status).toBe(503);
    expect(refusals).toEqual(['too many requests at once']);
    for (const socket of slow) socket.destroy();
    await expect.poll(async () => (await send(url, body, signed(secret, body))).status).toBe(200);
    for (let count = 0; count < 5; count++)
      expect((await send(url, body, signed(secret, body))).status).toBe(200);
  });
});

it('keeps running after senders that disconnect', async () => {
  const { url, secret, failures } = await listening();
  for (let at = 0; at < 20; at++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(head('Host: localhost', 'Content-Length: 100') + 'x'.repeat(at), () =>
      socket.destroy(),
    );
  }
  expect((await send(url, '{}', signed(secret, '{}'))).status).toBe(200);
  expect(failures).toEqual([]);
});

it('responds with 500 and reports the error if the handler fails', async () => {
  const { url, secret, failures } = await listening({
    emit: () => Promise.reject(new Error('full')),
  });
  expect((await send(url, '{}', signed(secret, '{}'))).status).toBe(500);
  expect(failures).toEqual([new Error('full')]);
});
