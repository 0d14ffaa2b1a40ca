import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { borrowAuthority } from '../client/certificates.ts';
import { httpProxy } from '../client/proxies.ts';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { ADD_USERS } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';

const GET = ['webhooks', 'config', 'get', '-o', 'json'];
const CONFIG = { useWebhookService: true, webhookServiceConfig: {} };
const SECRETS = { SVC_API_KEY: 'key-1', SVC_AUTH_TOKEN: 'network-token-5d10aa' };

/**
 * Creates a TLS service with a private certificate authority that responds to everything with
 * success.
 */
async function startTlsService(name: string) {
  const authority = await borrowAuthority();
  const seen: string[] = [];
  const server = createServer(await authority.issue(name), (request, response) => {
    seen.push(String(request.headers['x-svc-auth-token']));
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      const users: { userId: string }[] = JSON.parse(body).data.users ?? [];
      const data =
        users.length > 0
          ? Object.fromEntries(users.map(({ userId }) => [userId, { success: true }]))
          : CONFIG;
      response.end(JSON.stringify(success(data).body));
    });
  });
  const port = (await listen(server)).split(':')[1];
  return { seen, port, file: authority.file };
}

describe('a private certificate authority', () => {
  it('is trusted with --ca-file, in calls and jobs', async () => {
    const { svc, start, home } = await newUserInProcess();
    const { seen, port, file } = await startTlsService('DNS:localhost');
    const env = { ...SECRETS, SVC_BASE_URL: `https://localhost:${port}` };
    await writeFile(join(home, 'users.ndjson'), '{"userId":"u1"}\n{"userId":"u2"}\n');
    expect(await start([...GET, '--ca-file', file], { env }).ended).toMatchObject({
      code: 0,
      stderr: '',
    });
    const added = await svc([...ADD_USERS, '--batch-size', '1', '--ca-file', file], { env });
    expect([added.code, JSON.parse(added.stdout)]).toEqual([
      0,
      expect.objectContaining({ succeeded: 2 }),
    ]);
    expect(seen).toEqual(Array.from({ length: 3 }, () => SECRETS.SVC_AUTH_TOKEN));
    const { code, stderr } = await svc(GET, { env });
    expect([code, stderr]).toEqual([8, expect.stringContaining('issued by an unknown authority')]);
    expect(seen).toHaveLength(3);
  });

  it('is trusted in a profile, which can be updated', async () => {
    const { svc, home } = await newUserInProcess();
    const { seen, port, file } = await startTlsService('DNS:localhost');
    const profile = ['profiles', 'add', 'corp', '--base-url', `https://localhost:${port}`];
    const credentials = ['--api-key', 'key-1', '--auth-token-stdin', '--insecure-storage'];
    const added = await svc([...profile, ...credentials, '--no-verify', '--ca-file', file], {
      stdin: 'profile-token-1',
    });
    expect(added.code).toBe(0);
    expect((await svc([...GET, '-p', 'corp'])).code).toBe(0);
    expect(seen).toEqual(['profile-token-1']);
    await writeFile(join(home, 'none.pem'), 'none');
    const update = ['profiles', 'update', 'corp', '--no-verify', '--ca-file', 'none.pem'];
    expect((await svc(update)).code).toBe(0);
    const { code, stderr } = await svc([...GET, '-p', 'corp']);
    expect([code, JSON.parse(stderr).error.message]).toEqual([
      3,
      expect.stringContaining("the CA file of profile 'corp' must be a PEM file"),
    ]);
    expect((await svc([...GET, '-p', 'corp', '--ca-file', file])).code).toBe(0);
  });

  it('is trusted in SSL_CERT_FILE, and a missing file is a warning', async () => {
    const { svc } = await newUserInProcess();
    const { port, file } = await startTlsService('DNS:localhost');
    const env = { ...SECRETS, SVC_BASE_URL: `https://localhost:${port}` };
    expect(await svc(GET, { env: { ...env, SSL_CERT_FILE: file } })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const both = { ...env, SSL_CERT_FILE: '/missing.pem' };
    const { code, stderr } = await svc([...GET, '--ca-file', file], { env: both });
    expect([code, JSON.parse(stderr).note]).toEqual([
      0,
      {
        level: 'warning',
        message: expect.stringMatching(/^ignored SSL_CERT_FILE: .*missing\.pem/),
      },
    ]);
  });

  it('causes one warning if certificate checks are disabled', async () => {
    const { svc } = await newUser();
    const { port } = await startTlsService('DNS:elsewhere.example.test');
    const env = {
      ...SECRETS,
      SVC_BASE_URL: `https://localhost:${port}`,
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    const { code, stderr } = await svc(GET, { env });
    expect(code).toBe(0);
    expect(JSON.parse(stderr)).toEqual({
      note: {
        level: 'warning',
        message: expect.stringContaining('NODE_TLS_REJECT_UNAUTHORIZED=0 '),
      },
    });
  });

  it('is wrong usage if its file is missing, and bad data if the file is invalid', async () => {
    const { svc, home } = await newUserInProcess();
    await writeFile(join(home, 'ca.txt'), 'none');
    const env = { ...SECRETS, SVC_BASE_URL: 'https://localhost:1' };
    expect((await svc([...GET, '--ca-file', 'ca.pem'], { env })).code).toBe(2);
    expect((await svc([...GET, '--ca-file', 'ca.txt'], { env })).code).toBe(3);
  });
});

describe('a proxy', () => {
  it('is used by calls and jobs, and its password is never shown', SLOW, async () => {
    const { svc, start } = await newUserInProcess();
    const { seen, port, file } = await startTlsService('DNS:service.example.test');
    const proxy = await httpProxy({ credentials: 'ada:proxy-pass-77' });
    const env = {
      ...SECRETS,
      SVC_BASE_URL: `https://service.example.test:${port}`,
      HTTPS_PROXY: `http://ada:proxy-pass-77@${proxy.host}`,
    };
    const read = await start([...GET, '--ca-file', file, '--debug'], { env }).ended;
    expect([read.code, read.stderr]).toEqual([0, expect.not.stringContaining('proxy-pass')]);
    const records = '{"userId":"u1"}\n{"userId":"u2"}\n';
    const add = [
      'users',
      'add',
      '--org',
      'acme',
      '--file',
      '-',
      '--input-format',
      'ndjson',
      '--ca-file',
      file,
    ];
    expect((await svc(add, { env, stdin: records })).code).toBe(0);
    expect(seen).toHaveLength(2);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT service.example.test:${port}`]));
    const refused = await svc([...GET, '--debug'], {
      env: { ...env, HTTPS_PROXY: `http://ada:wrong-pass-12@${proxy.host}` },
    });
    expect(refused.code).toBe(8);
    expect(refused.stderr).toContain(`through the proxy ${proxy.host}: it responded with HTTP 407`);
    expect(refused.stderr).not.toContain('wrong-pass');
  });

  it('is not used for this host or for hosts in NO_PROXY', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() => success(CONFIG));
    const nowhere = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
    expect((await svc(GET, { env: { ...env, ...nowhere } })).code).toBe(0);
    const elsewhere = {
      ...env,
      ...nowhere,
      SVC_BASE_URL: 'https://service.invalid',
      NO_PROXY: '.invalid',
    };
    const { code, stderr } = await svc([...GET, '--timeout', '5s'], { env: elsewhere });
    expect([code, stderr]).toEqual([8, expect.stringContaining('cannot reach service.invalid')]);
  });
});

describe('plain http to another host', () => {
  const URL = 'http://service.example.test';

  it('is rejected for every source of the address', async () => {
    const { svc } = await newUserInProcess();
    const add = [
      'profiles',
      'add',
      'plain',
      '--base-url',
      URL,
      '--api-key',
      'key-1',
      '--auth-token-stdin',
    ];
    expect((await svc([...add, '--insecure-storage'], { stdin: 'profile-token-38c1' })).code).toBe(
      0,
    );
    const runs = await Promise.all([
      svc([...GET, '--base-url', URL], { env: SECRETS }),
      svc(GET, { env: { ...SECRETS, SVC_BASE_URL: URL } }),
      svc([...GET, '-p', 'plain']),
      svc(['api', '/v2/any', '-p', 'plain', '--dry-run']),
    ]);
    for (const { code, stderr } of runs) {
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('would send the credentials in the clear'),
      ]);
    }
  });

  it('is allowed with --insecure-http', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => success(CONFIG));
    const asProxy = { ...SECRETS, SVC_BASE_URL: URL, HTTP_PROXY: env.SVC_BASE_URL };
    expect((await svc([...GET, '--insecure-http'], { env: asProxy })).code).toBe(0);
    expect(received.map(({ path }) => path)).toEqual([`${URL}/v2/workspace/webhookconfig/get`]);
  });
});

describe('stored credentials', () => {
  it('are not sent to an address inside a path', async () => {
    const { svc } = await newUserInProcess();
    const [own, other] = [
      await startMockService(() => success({})),
      await startMockService(() => success({})),
    ];
    const host = other.env.SVC_BASE_URL.replace('http:', '');
    const paths = [
      other.env.SVC_BASE_URL,
      `${other.env.SVC_BASE_URL}/v2/x`,
      'https:/x',
      'HTTP://x/y',
      `\\\\${host}/x`,
    ];
    for (const path of paths) {
      expect([path, (await svc(['api', path], { env: own.env })).code]).toEqual([path, 2]);
    }
    for (const path of [
      `${host}/v2/x`,
      `@${host.slice(2)}/x`,
      `.${host.slice(2)}/x`,
      ':80/x',
      '/..//x',
    ]) {
      await svc(['api', path], { env: own.env });
    }
    expect(other.received).toEqual([]);
    expect(own.received).toHaveLength(5);
  });
});
