import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type NetworkOptions, openNetwork } from '../../src/client/network.ts';
import { findProxy } from '../../src/client/proxy.ts';
import { listen } from '../listen.ts';
import { borrowAuthority } from './certificates.ts';
import { AUTH_TOKEN, errorOf, newClient, OPERATIONS, target } from './client-fixture.ts';
import { httpProxy, socksProxy } from './proxies.ts';

const ANSWER = '{"result":{"status":"success","data":{"id":"a"}}}';
/** A TLS service with this name, which records its requests. */
async function secureService(name: string, days?: number) {
  const seen: (string | undefined)[] = [];
  const authority = await borrowAuthority();
  const server = createHttpsServer(await authority.issue(name, days), (request, response) => {
    seen.push(request.headers['x-svc-auth-token'] as string | undefined);
    request.resume().on('end', () => response.end(ANSWER));
  });
  const host = await listen(server);
  return { seen, port: host.split(':')[1], authorities: await readFile(authority.file, 'utf8') };
}

/** Calls over the network, as the command line does. */
async function call(
  baseUrl: string,
  options: Partial<NetworkOptions> = {},
  effect: keyof typeof OPERATIONS = 'read',
) {
  const { close, ...way } = await openNetwork({
    baseUrl,
    environment: {},
    attemptTimeout: 30_000,
    ...options,
  });
  onTestFinished(close);
  const { client, events } = newClient({
    ...way,
    target: target(baseUrl),
    attemptTimeout: 30_000,
    insecureHttp: true,
  });
  const reply = client.call(OPERATIONS[effect], {});
  return { reply, events };
}

describe('TLS', () => {
  it('trusts the authorities of --ca-file in addition to the default ones', async () => {
    const { port, seen, authorities } = await secureService('IP:127.0.0.1');
    const { reply } = await call(`https://127.0.0.1:${port}`, { authorities });
    expect(await reply).toMatchObject({ data: { id: 'a' } });
    expect(seen).toEqual([AUTH_TOKEN]);
  });

  it.each([
    [
      'of an authority that nobody knows',
      'IP:127.0.0.1',
      1,
      false,
      'the certificate was issued by an unknown authority',
    ],
    [
      'for another host',
      'DNS:elsewhere.example.test',
      1,
      true,
      'the certificate is for another host',
    ],
    ['that is expired', 'IP:127.0.0.1', -1, true, 'the certificate has expired'],
  ])('rejects a certificate %s, and sends nothing', async (_, name, days, trusted, reason) => {
    const { port, seen, authorities } = await secureService(name, days);
    const { reply, events } = await call(
      `https://127.0.0.1:${port}`,
      trusted ? { authorities } : {},
      'once',
    );
    const error = await errorOf(reply);
    expect(error).toMatchObject({
      exitCode: 8,
      message: `cannot connect securely to 127.0.0.1:${port}: ${reason}`,
    });
    expect(error.hint).toContain('--ca-file');
    expect([seen, events.filter(({ kind }) => kind === 'retry')]).toEqual([[], []]);
  });

  it.each([{ trusted: true }, { trusted: false }])(
    'to a server that speaks plain http is 8 ($trusted)',
    async ({ trusted }) => {
      const authorities = await readFile((await borrowAuthority()).file, 'utf8');
      const host = await listen(createHttpServer((_, response) => response.end(ANSWER)));
      const { reply } = await call(`https://${host}`, trusted ? { authorities } : {}, 'once');
      expect((await errorOf(reply)).message).toBe(
        `cannot connect securely to ${host}: the server does not speak TLS`,
      );
    },
  );
});

describe('a proxy', () => {
  const elsewhere = (port: string | undefined) => `https://service.example.test:${port}`;

  it('opens a tunnel by host name, and does not see the request', async () => {
    const { port, seen, authorities } = await secureService('DNS:service.example.test');
    const proxy = await httpProxy();
    const environment = { HTTPS_PROXY: `http://${proxy.host}` };
    const { reply } = await call(elsewhere(port), { environment, authorities });
    expect(await reply).toMatchObject({ data: { id: 'a' } });
    expect(proxy).toMatchObject({
      asked: [`CONNECT service.example.test:${port}`],
      shown: [undefined],
    });
    expect(seen).toEqual([AUTH_TOKEN]);
  });

  it('receives the credentials in its address, which no other server receives', async () => {
    const { port, seen, authorities } = await secureService('DNS:service.example.test');
    const proxy = await httpProxy({ credentials: 'ada:p@ss/word' });
    const environment = { https_proxy: `ada:p%40ss%2Fword@${proxy.host}` };
    const { reply, events } = await call(elsewhere(port), { environment, authorities });
    await reply;
    expect(proxy.shown).toEqual([`Basic ${Buffer.from('ada:p@ss/word').toString('base64')}`]);
    expect(seen).toHaveLength(1);
    expect(JSON.stringify(events)).not.toMatch(/p%40ss|p@ss|YWRh/);
  });

  it('forwards plain HTTP if that is allowed', async () => {
    const host = await listen(createHttpServer((_, response) => response.end(ANSWER)));
    const proxy = await httpProxy();
    const baseUrl = `http://service.example.test:${host.split(':')[1]}`;
    const { reply } = await call(baseUrl, { environment: { HTTP_PROXY: proxy.host } });
    expect(await reply).toMatchObject({ data: { id: 'a' } });
    expect(proxy.asked).toEqual([`POST ${baseUrl}/v2/things`]);
  });

  it('can be a SOCKS 5 proxy, which resolves the host name itself', async () => {
    const { port, authorities } = await secureService('DNS:service.example.test');
    const proxy = await socksProxy();
    const environment = { ALL_PROXY: `socks5h://${proxy.host}` };
    const { reply } = await call(elsewhere(port), { environment, authorities });
    await reply;
    expect(proxy.asked).toEqual([`service.example.test:${port}`]);
  });

  it('does not weaken certificate checks of the service', async () => {
    const { port, seen, authorities } = await secureService('DNS:other.example.test');
    const proxy = await httpProxy();
    const environment = { HTTPS_PROXY: `http://${proxy.host}` };
    const { reply } = await call(elsewhere(port), { environment, authorities }, 'once');
    expect((await errorOf(reply)).message).toContain('the certificate is for another host');
    expect(seen).toEqual([]);
  });

  it.each([
    ['asks for credentials', { credentials: 'ada:secret-7f21' }, 'it responded with HTTP 407'],
    ['refuses', { refuses: 403 }, 'it responded with HTTP 403'],
    ['cannot connect', { refuses: 502 }, 'it responded with HTTP 502'],
  ])(
    'that %s exits with 8 even for a write, and is named without its password',
    async (_, options, reason) => {
      const proxy = await httpProxy(options);
      const environment = { HTTPS_PROXY: `http://ada:hunter2-91@${proxy.host}` };
      const error = await errorOf((await call(elsewhere('443'), { environment }, 'once')).reply);
      expect(error).toMatchObject({
        exitCode: 8,
        message: `cannot connect to service.example.test through the proxy ${proxy.host}: ${reason}`,
      });
      expect(error.hint).toContain('HTTPS_PROXY');
      expect(`${error.message}${error.hint}${error.stack}`).not.toContain('hunter2');
    },
  );

  it('that is unreachable exits with 8, and nothing was sent', async () => {
    const server = createServer();
    const host = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const { reply } = await call(elsewhere('443'), { environment: { HTTPS_PROXY: host } }, 'once');
    expect(await errorOf(reply)).toMatchObject({
      exitCode: 8,
      message: `cannot connect to service.example.test through the proxy ${host}: connection refused`,
    });
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['hangs up', (socket) => socket.destroy()],
    [
      'resets the connection, as one that hangs up does on Windows',
      (socket) => socket.once('data', () => socket.resetAndDestroy()),
    ],
  ])('that %s exits with 8', async (_, leave) => {
    const host = await listen(createServer(leave));
    const { reply } = await call(elsewhere('443'), { environment: { HTTPS_PROXY: host } }, 'once');
    expect((await errorOf(reply)).exitCode).toBe(8);
  });
});

describe('the proxy of a URL', () => {
  const HTTPS = { HTTPS_PROXY: 'http://p.test:1' };

  it.each<[string, Record<string, string>, string | undefined]>([
    ['https://a.test', HTTPS, 'p.test:1'],
    ['http://a.test', HTTPS, undefined],
    ['http://a.test', { HTTP_PROXY: 'p.test:2' }, 'p.test:2'],
    ['https://a.test', { HTTP_PROXY: 'p.test:2' }, undefined],
    ['https://a.test', { ALL_PROXY: 'socks5://p.test:3' }, 'p.test:3'],
    ['https://a.test', { ...HTTPS, ALL_PROXY: 'http://p.test:3' }, 'p.test:1'],
    ['https://a.test', { ...HTTPS, https_proxy: 'http://lower.test:1' }, 'lower.test:1'],
    ['https://a.test', { ...HTTPS, https_proxy: '' }, 'p.test:1'],
    ['https://a.test', {}, undefined],
    ['https://localhost', HTTPS, undefined],
    ['https://127.0.0.9', HTTPS, undefined],
    ['https://[::1]:8443', HTTPS, undefined],
    ['https://a.test', { ...HTTPS, NO_PROXY: '*' }, undefined],
    ['https://a.test', { ...HTTPS, NO_PROXY: 'b.test, a.test' }, undefined],
    ['https://a.test', { ...HTTPS, NO_PROXY: 'b.test A.TEST' }, undefined],
    ['https://x.a.test', { ...HTTPS, NO_PROXY: 'a.test' }, undefined],
    ['https://x.a.test', { ...HTTPS, NO_PROXY: '.a.test' }, undefined],
    ['https://x.a.test', { ...HTTPS, NO_PROXY: '*.a.test' }, undefined],
    ['https://a.test.', { ...HTTPS, NO_PROXY: 'a.test' }, undefined],
    ['https://xa.test', { ...HTTPS, NO_PROXY: 'a.test' }, 'p.test:1'],
    ['https://a.test', { ...HTTPS, NO_PROXY: 'x.a.test' }, 'p.test:1'],
    ['https://a.test:8443', { ...HTTPS, NO_PROXY: 'a.test:8443' }, undefined],
    ['https://a.test', { ...HTTPS, NO_PROXY: 'a.test:443' }, undefined],
    ['https://a.test', { ...HTTPS, NO_PROXY: 'a.test:8443' }, 'p.test:1'],
    ['https://[fd00::1]', { ...HTTPS, NO_PROXY: 'fd00::1' }, undefined],
    ['https://[fd00::1]:8443', { ...HTTPS, NO_PROXY: '[fd00::1]:8443' }, undefined],
    ['https://[fd00::1]', { ...HTTPS, NO_PROXY: '[fd00::2]' }, 'p.test:1'],
    ['https://a.test', { ...HTTPS, NO_PROXY: '', no_proxy: ',, ,' }, 'p.test:1'],
  ])('of %s with %j is %s', (url, environment, host) => {
    expect(findProxy(new URL(url), environment)?.host).toBe(host);
  });

  it.each([
    'ftp://p.test',
    'http://',
    'socks4://ada:hunter2@p.test',
    'http://ada:hunter2@:1',
    '://',
  ])('%j is usage, and is not repeated', async (address) => {
    const error = await errorOf(
      (async () => findProxy(new URL('https://a.test'), { HTTPS_PROXY: address }))(),
    );
    expect(error.exitCode).toBe(2);
    expect(error.message).toBe('HTTPS_PROXY is not a valid proxy address');
    expect(error.hint).not.toContain('hunter2');
  });
});
