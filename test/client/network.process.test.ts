import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpTransport } from '../../src/client/http-transport.ts';
import { type NetworkOptions, openNetwork } from '../../src/client/network.ts';
import { createNetworkFailure } from '../../src/client/network-failure.ts';
import { findProxy } from '../../src/client/proxy.ts';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
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
    [
      'that is expired',
      'IP:127.0.0.1',
      -1,
      true,
      "the certificate expired on DATE (this machine's clock says DATE)",
    ],
  ])('rejects a certificate %s, and sends nothing', async (_, name, days, trusted, reason) => {
    const { port, seen, authorities } = await secureService(name, days);
    const { reply, events } = await call(
      `https://127.0.0.1:${port}`,
      trusted ? { authorities } : {},
      'once',
    );
    const error = await errorOf(reply);
    expect(error.exitCode).toBe(8);
    expect(error.message.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'DATE')).toBe(
      `cannot connect securely to 127.0.0.1:${port}: ${reason}`,
    );
    expect(error.hint).toContain(days < 0 ? 'the clock of this machine' : '--ca-file');
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

describe('a server', () => {
  it.each<[string, (socket: Socket) => unknown, string]>([
    [
      'without TLS 1.2 and 1.3',
      (socket) => socket.once('data', () => socket.end(fatalAlert(70))),
      'connect securely to HOST: the server supports neither TLS 1.2 nor TLS 1.3',
    ],
    [
      'that does not know the host name',
      (socket) => socket.once('data', () => socket.end(fatalAlert(112))),
      'connect securely to HOST: the server has no certificate for this host name',
    ],
    [
      'that closes the connection during the handshake',
      (socket) => socket.once('data', () => socket.end()),
      'reach HOST: the server closed the connection',
    ],
  ])('%s has not applied a write', async (_, respond, problem) => {
    const host = await listen(createServer(respond));
    const error = await errorOf((await call(`https://${host}`, {}, 'once')).reply);
    expect([error.exitCode, error.message]).toEqual([8, `cannot ${problem.replace('HOST', host)}`]);
  });

  it('that never completes the handshake has not applied a write', async () => {
    const host = await listen(createServer((socket) => void socket.resume()));
    const { transport, close } = createHttpTransport({ attemptTimeout: 50 });
    onTestFinished(close);
    const thrown: unknown = await transport({
      url: `https://${host}/v2/x`,
      headers: {},
      credentials: {},
      body: '{}',
    }).catch((error: unknown) => error);
    expect(createNetworkFailure(thrown, host)).toMatchObject({
      applied: 'no',
      error: { message: `cannot reach ${host}: no response within 0.05 s` },
    });
  });
});

/** A fatal alert of TLS, as of RFC 8446, section 6. */
function fatalAlert(description: number): Buffer {
  return Buffer.of(21, 3, 3, 0, 2, 2, description);
}

describe('a connection that is used again', () => {
  it('has no time limit for connecting', SLOW, async () => {
    const authority = await borrowAuthority();
    const server = createHttpsServer(await authority.issue('IP:127.0.0.1'), (_, response) => {
      setTimeout(() => response.end(ANSWER), 1_500);
    });
    const { transport, close } = createHttpTransport({
      attemptTimeout: 20_000,
      connectTimeout: 1_200,
      tls: { ca: [await readFile(authority.file, 'utf8')] },
    });
    onTestFinished(close);
    const url = `https://${await listen(server)}/`;
    // More requests than connections: the others wait for a connection of the first ones.
    const requests = Array.from({ length: 34 }, () =>
      transport({ url, headers: {}, credentials: {}, body: '' }),
    );
    for (const response of await Promise.all(requests)) expect(response.httpStatus).toBe(200);
  });
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

  it('can be a SOCKS 5 proxy that requires credentials', async () => {
    const { port, authorities } = await secureService('DNS:service.example.test');
    const proxy = await socksProxy({ credentials: 'ada:p@ss/word' });
    const environment = { ALL_PROXY: `socks5://ada:p%40ss%2Fword@${proxy.host}` };
    const { reply } = await call(elsewhere(port), { environment, authorities });
    expect(await reply).toMatchObject({ data: { id: 'a' } });
    expect(proxy.shown).toEqual(['ada:p@ss/word']);
  });

  it('can use TLS, with an authority of --ca-file', async () => {
    const { port, seen, authorities } = await secureService('DNS:service.example.test');
    const authority = await borrowAuthority();
    const secure = await authority.issue('IP:127.0.0.1');
    const proxy = await httpProxy({ secure, credentials: 'ada:secret' });
    const environment = { HTTPS_PROXY: `https://ada:secret@${proxy.host}` };
    const both = `${authorities}\n${await readFile(authority.file, 'utf8')}`;
    const { reply } = await call(elsewhere(port), { environment, authorities: both });
    expect(await reply).toMatchObject({ data: { id: 'a' } });
    expect([proxy.asked, seen]).toEqual([[`CONNECT service.example.test:${port}`], [AUTH_TOKEN]]);
  });

  it('connects to IPv6 addresses in brackets', async () => {
    const proxy = await httpProxy({ refuses: 403 });
    const environment = { HTTPS_PROXY: proxy.host };
    await errorOf((await call('https://[2001:db8::1]:8443', { environment }, 'once')).reply);
    expect(proxy.asked).toContain('CONNECT [2001:db8::1]:8443');
    const socks = await socksProxy({ refuses: 4 });
    const other = { ALL_PROXY: `socks5://${socks.host}` };
    const url = 'https://[2001:db8::1]:8443';
    await errorOf((await call(url, { environment: other }, 'once')).reply);
    expect(socks.asked).toContain(`[20010db8${'0'.repeat(23)}1]:8443`);
  });

  const proxies: readonly [string, () => Promise<string>][] = [
    ['HTTP', async () => `http://${(await httpProxy()).host}`],
    ['SOCKS', async () => `socks5://${(await socksProxy()).host}`],
  ];

  it.each(proxies)(
    'over %s connects to IP addresses, and checks certificates',
    async (_, start) => {
      const environment = { HTTPS_PROXY: await start() };
      const { port, authorities } = await secureService('IP:192.0.2.1');
      const url = `https://192.0.2.1:${port}`;
      const { reply } = await call(url, { environment, authorities });
      expect(await reply).toMatchObject({ data: { id: 'a' } });
      const other = await call(`https://192.0.2.2:${port}`, { environment, authorities }, 'once');
      expect((await errorOf(other.reply)).message).toContain('the certificate is for another host');
    },
  );

  it.each(proxies)('over %s is not blamed for a failure of the service', async (_, start) => {
    const environment = { HTTPS_PROXY: await start() };
    const other = await secureService('DNS:other.example.test');
    const plain = await listen(createHttpServer((_, response) => response.end(ANSWER)));
    const closing = await listen(createServer((socket) => socket.once('data', () => socket.end())));
    const messageOf = async (port: string | undefined) => {
      const { authorities } = other;
      const { reply } = await call(elsewhere(port), { environment, authorities }, 'once');
      const { exitCode, message } = await errorOf(reply);
      return [exitCode, message.replace(/:\d+/, '')];
    };
    const host = 'service.example.test';
    expect(await messageOf(other.port)).toEqual([
      8,
      `cannot connect securely to ${host}: the certificate is for another host`,
    ]);
    expect(await messageOf(plain.split(':')[1])).toEqual([
      8,
      `cannot connect securely to ${host}: the server does not speak TLS`,
    ]);
    expect(await messageOf(closing.split(':')[1])).toEqual([
      8,
      expect.stringMatching(`^cannot reach ${host}: `),
    ]);
    expect(other.seen).toEqual([]);
  });

  it('that does not use TLS is named if its address begins with https', async () => {
    const { host } = await httpProxy();
    const environment = { HTTPS_PROXY: `https://${host}` };
    const error = await errorOf((await call(elsewhere('443'), { environment }, 'once')).reply);
    expect(error).toMatchObject({
      exitCode: 8,
      message: `cannot connect securely to the proxy ${host}: the server does not speak TLS`,
      hint: 'if the proxy does not use TLS, write http:// instead of https:// in HTTPS_PROXY',
    });
  });

  it('whose certificate is untrusted is named', async () => {
    const secure = await (await borrowAuthority()).issue('IP:127.0.0.1');
    const { host } = await httpProxy({ secure });
    const environment = { HTTPS_PROXY: `https://${host}` };
    const error = await errorOf((await call(elsewhere('443'), { environment }, 'once')).reply);
    expect(error.message).toBe(
      `cannot connect securely to the proxy ${host}: the certificate was issued by an unknown authority`,
    );
    expect(error.hint).toContain('--ca-file');
  });

  it.each<[string, Parameters<typeof socksProxy>[0], string]>([
    ['requires credentials', { credentials: 'ada:secret-7f21' }, 'it requires credentials'],
    ['cannot reach the service', { refuses: 4 }, 'it could not connect'],
    ['forbids the connection', { refuses: 2 }, 'it does not allow the connection'],
    ['is a web server', { greets: 'HTTP/1.1 400 Bad Request' }, 'it is not a SOCKS 5 proxy'],
    ['hangs up', { greets: '' }, 'it closed the connection'],
    ['hangs up in the middle', { greets: '\u0005' }, 'it closed the connection'],
  ])('over SOCKS that %s is named', async (_, options, reason) => {
    const proxy = await socksProxy(options);
    const environment = { ALL_PROXY: `socks5://${proxy.host}` };
    const error = await errorOf((await call(elsewhere('443'), { environment }, 'once')).reply);
    expect(error).toMatchObject({
      exitCode: 8,
      message: `cannot connect to service.example.test through the proxy ${proxy.host}: ${reason}`,
    });
    expect(`${error.message}${error.hint}${error.stack}`).not.toContain('secret-7f21');
  });

  it.each([
    ['http', 5_000, 50, 'the connection timed out'],
    ['socks5', 5_000, 50, 'the connection timed out'],
    ['http', 50, 5_000, 'no response within 0.05 s'],
    ['socks5', 50, 5_000, 'no response within 0.05 s'],
  ])(
    'that never responds is abandoned, and its connection is closed (%s, %i, %i)',
    async (scheme, attemptTimeout, connectTimeout, reason) => {
      const closed = Promise.withResolvers<void>();
      const host = await listen(
        createServer((socket) => void socket.on('close', () => closed.resolve()).resume()),
      );
      const proxy = findProxy(new URL(elsewhere('443')), { HTTPS_PROXY: `${scheme}://${host}` });
      const { transport, close } = createHttpTransport({
        attemptTimeout,
        connectTimeout,
        proxy,
      });
      onTestFinished(close);
      const thrown: unknown = await transport({
        url: `${elsewhere('443')}/v2/x`,
        headers: {},
        credentials: {},
        body: '{}',
      }).catch((error: unknown) => error);
      expect(createNetworkFailure(thrown, 'service.example.test', { proxy })).toMatchObject({
        applied: 'no',
        retry: 'unsent',
        error: {
          message: `cannot connect to service.example.test through the proxy ${host}: ${reason}`,
        },
      });
      await closed.promise;
    },
  );

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
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: 'b.test,10.0.0.0/8' }, undefined],
    ['https://11.1.2.3', { ...HTTPS, NO_PROXY: '10.0.0.0/8' }, 'p.test:1'],
    ['https://192.168.5.9', { ...HTTPS, NO_PROXY: '192.168.4.0/22' }, undefined],
    ['https://192.168.8.9', { ...HTTPS, NO_PROXY: '192.168.4.0/22' }, 'p.test:1'],
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: '10.1.2.3/32' }, undefined],
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: '0.0.0.0/0' }, undefined],
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: '10.0.0.0/33' }, 'p.test:1'],
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: '10.0.0/8,/8,10.0.0.0/' }, 'p.test:1'],
    ['https://10.a.test', { ...HTTPS, NO_PROXY: '10.0.0.0/8' }, 'p.test:1'],
    ['https://[fd00::1]', { ...HTTPS, NO_PROXY: 'fc00::/7' }, undefined],
    ['https://[fd00::1]', { ...HTTPS, NO_PROXY: '[fd00::]/8' }, undefined],
    ['https://[2001:db8::1]', { ...HTTPS, NO_PROXY: 'fc00::/7' }, 'p.test:1'],
    ['https://[fd00::1]', { ...HTTPS, NO_PROXY: 'FD00:0:0::0001' }, undefined],
    ['https://10.1.2.3:8443', { ...HTTPS, NO_PROXY: '10.0.0.0/8:8443' }, undefined],
    ['https://[fd00::1]:8443', { ...HTTPS, NO_PROXY: '[fd00::]/8:443' }, 'p.test:1'],
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: '2.3,.2.3,*.3' }, 'p.test:1'],
    ['https://a.test', { ...HTTPS, NO_PROXY: '*:8443' }, 'p.test:1'],
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: '10.*' }, undefined],
    ['https://10.1.2.3', { ...HTTPS, NO_PROXY: '10.1.*' }, undefined],
    ['https://100.1.2.3', { ...HTTPS, NO_PROXY: '10.*' }, 'p.test:1'],
    ['https://10.a.test', { ...HTTPS, NO_PROXY: '10.*' }, 'p.test:1'],
    ['https://a.test', { HTTPS_PROXY: 'http://p.test' }, 'p.test:80'],
    ['https://a.test', { HTTPS_PROXY: 'https://p.test/' }, 'p.test:443'],
    ['https://a.test', { HTTPS_PROXY: 'socks5h://P.test' }, 'p.test:1080'],
    ['https://a.test', { HTTPS_PROXY: 'http://[::1]:3128' }, '[::1]:3128'],
    ['https://a.test', { HTTPS_PROXY: ' http://p.test:1\r\n' }, 'p.test:1'],
  ])('of %s with %j is %s', (url, environment, host) => {
    expect(findProxy(new URL(url), environment)?.host).toBe(host);
  });

  const encoding = expect.stringContaining('@ as %40');
  const example = expect.stringContaining('http://proxy.example.com:3128');

  it.each<[string, string, unknown]>([
    ['ftp://p.test', 'its scheme is not http, https, or socks5', example],
    ['socks4://ada:hunter2@p.test', 'its scheme is not http, https, or socks5', example],
    ['http://', 'it has no valid host and port', example],
    ['://', 'it contains more than a scheme, user, host, and port', example],
    ['http://p.test:99999', 'it has no valid host and port', example],
    ['http://p.test:0', 'it has no valid host and port', example],
    ['http://ada:hunter2@:1', 'a character must be encoded, or the host is missing', encoding],
    ['http://ada:hunter2#1@p.test:1', 'a character must be encoded', encoding],
    ['http://ada:hunter2@x#1@p.test:1', 'a character must be encoded', encoding],
    ['http://ada:hunter2/1@p.test:1', 'a character must be encoded', encoding],
    ['http://ada:1/hunter2@p.test:1', 'a character must be encoded', encoding],
    ['http://ada:hunter2?@p.test:1', 'a character must be encoded', encoding],
    ['http://ada:hunter2%@p.test:1', 'a character must be encoded', encoding],
    ['http://ada:hunter2 x@p.test:1', 'a character must be encoded', encoding],
    [
      'http://p.test:1/proxy.pac',
      'it contains more than a scheme, user, host, and port',
      expect.stringContaining('proxy auto-configuration'),
    ],
    ['http://p.test:1?x=y', 'it contains more than a scheme, user, host, and port', example],
    ['http://p .test:1', 'it contains a space', example],
    ['http://${PROXY_HOST}:3128', 'it has no valid host and port', example],
    ['$PROXY', 'it has no valid host and port', example],
    ['“http://p.test:1”', 'it is in quotation marks', 'remove the quotation marks from the value'],
    [
      `socks5://hunter2:${'é'.repeat(128)}@p.test`,
      'its user name or password is longer than 255 bytes',
      expect.stringContaining('SOCKS 5'),
    ],
    ['"http://p.test:1"', 'it is in quotation marks', 'remove the quotation marks from the value'],
  ])('%j is usage, and is not repeated', async (address, problem, hint) => {
    const error = await errorOf(
      (async () => findProxy(new URL('https://a.test'), { HTTPS_PROXY: address }))(),
    );
    expect(error).toMatchObject({
      exitCode: 2,
      message: `HTTPS_PROXY is not a valid proxy address: ${problem}`,
      hint,
    });
    expect(error.hint).not.toContain('hunter2');
  });
});
