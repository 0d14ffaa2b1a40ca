import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { borrowAuthority, PASSPHRASE, writeClientFiles } from '../client/certificates.ts';
import { httpProxy } from '../client/proxies.ts';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { findFreePort, hasHaproxy, hasNginx, startHaproxy, startNginx } from './gateways.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';

const GET = ['webhooks', 'config', 'get'];
const CONFIG = { useWebhookService: true, webhookServiceConfig: {} };
const PAIR = ['--client-cert', 'client.pem', '--client-key', 'client.key'];

/** Creates a user with the files of a client certificate, and a server's certificate for a gateway. */
async function createCertificateUser() {
  const user = await newUserInProcess();
  const authority = await borrowAuthority();
  await writeClientFiles(authority, user.home);
  const server = await authority.issue('IP:127.0.0.1');
  const files = { cert: join(user.home, 'server.pem'), ca: authority.file };
  await writeFile(files.cert, server.cert + server.key);
  let accepted = Number.POSITIVE_INFINITY;
  const service = await startMockService(({ body }) => {
    if (accepted-- === 0) return failure(403, 'PERMISSION_DENIED', 'not now');
    const users = (body.data['users'] ?? []) as readonly { userId: string }[];
    return success(
      users.length > 0
        ? Object.fromEntries(users.map(({ userId }) => [userId, { success: true }]))
        : CONFIG,
    );
  });
  /** Rejects the request after the next one. */
  const rejectSecond = () => {
    accepted = 1;
  };
  return { user, authority, files, service, rejectSecond };
}

/** Puts nginx with `ssl_verify_client on` in front of a service that counts its requests. */
async function startVerifyingNginx() {
  const { user, authority, files, service, rejectSecond } = await createCertificateUser();
  const port = await findFreePort();
  await startNginx(
    port,
    `server { listen 127.0.0.1:${port} ssl;
      ssl_certificate ${files.cert}; ssl_certificate_key ${files.cert};
      ssl_client_certificate ${files.ca}; ssl_verify_client on;
      location / { proxy_pass ${service.env.SVC_BASE_URL}; } }`,
  );
  const env = { ...service.env, SVC_BASE_URL: `https://127.0.0.1:${port}` };
  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}, stdin = '') =>
    user.svc([...words, '--ca-file', files.ca], { env: { ...env, ...more }, stdin });
  return { run, rejectSecond, user, authority, files, port, env, received: service.received };
}

describe.skipIf(!hasNginx)('a client certificate behind nginx (skipped without nginx)', () => {
  it('is sent from flags, variables, one PEM file, and PKCS#12', SLOW, async () => {
    const { run, received } = await startVerifyingNginx();
    const passphrase = { SVC_CLIENT_KEY_PASSPHRASE: PASSPHRASE };
    const runs = [
      await run([...GET, ...PAIR]),
      await run(GET, { SVC_CLIENT_CERT: 'client.pem', SVC_CLIENT_KEY: 'client.key' }),
      await run([...GET, '--client-cert', 'client.pem', '--client-key', 'locked.key'], passphrase),
      await run([...GET, '--client-cert', 'both.pem'], passphrase),
      await run([...GET, '--client-cert', 'client.p12'], passphrase),
    ];
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
    expect(received).toHaveLength(runs.length);
  });

  it('is sent by every batch of a job', SLOW, async () => {
    const { run, received } = await startVerifyingNginx();
    const records = Array.from({ length: 9 }, (_, at) => `{"userId":"u${at}"}\n`).join('');
    const add = ['users', 'add', '--org', 'acme', '--file', '-', '--input-format', 'ndjson'];
    const added = await run([...add, '--batch-size', '1', '-o', 'json', ...PAIR], {}, records);
    expect([added.code, JSON.parse(added.stdout)]).toEqual([
      0,
      expect.objectContaining({ succeeded: 9 }),
    ]);
    expect(received).toHaveLength(9);
  });

  it('is used again by a job that is resumed in another folder', async () => {
    const { run, rejectSecond, user, env } = await startVerifyingNginx();
    rejectSecond();
    await writeFile(join(user.home, 'users.ndjson'), '{"userId":"u1"}\n{"userId":"u2"}\n');
    const add = ['users', 'add', '--org', 'acme', '--file', 'users.ndjson'];
    const { code, stderr } = await run([
      ...add,
      '--batch-size',
      '1',
      '--concurrency',
      '1',
      ...PAIR,
    ]);
    expect([code, stderr]).toEqual([11, expect.stringContaining('not now')]);
    const cwd = join(user.home, 'elsewhere');
    await mkdir(cwd);
    const resumed = await user.svc(['jobs', 'resume', '-o', 'json'], { env, cwd });
    expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([
      0,
      expect.objectContaining({ succeeded: 2 }),
    ]);
  });

  it('is asked for with its flag if none was sent, and a write is certainly not applied', async () => {
    const { run, port, received } = await startVerifyingNginx();
    const add = ['users', 'add', '--org', 'acme', '--user', 'ada'];
    for (const words of [GET, add]) {
      const { code, stderr } = await run([...words, '-o', 'json']);
      expect([code, JSON.parse(stderr).error]).toEqual([
        4,
        expect.objectContaining({
          message: `127.0.0.1:${port} requires a client certificate (HTTP 400)`,
          hint: 'add --client-cert and --client-key, or save them in the profile',
        }),
      ]);
    }
    expect(received).toEqual([]);
  });

  it('of another authority is reported as rejected', async () => {
    const { run, user, port, received } = await startVerifyingNginx();
    await writeClientFiles(await borrowAuthority(), user.home);
    const { code, stderr } = await run([...GET, ...PAIR]);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(
        `127.0.0.1:${port} rejected the client certificate (HTTP 400): the server could not verify it`,
      ),
    ]);
    expect(received).toEqual([]);
  });

  it('is checked by doctor', SLOW, async () => {
    const { run } = await startVerifyingNginx();
    const doctor = async (...words: string[]) => {
      const { code, stdout } = await run(['doctor', '-o', 'json', ...words]);
      const checks: { name: string; state: string; detail: string }[] = JSON.parse(stdout);
      return { code, answer: checks.find(({ name }) => name === 'answer') };
    };
    expect(await doctor()).toMatchObject({
      code: 4,
      answer: { state: 'fail', detail: expect.stringContaining('requires a client certificate') },
    });
    expect((await doctor(...PAIR)).answer).toMatchObject({ state: 'ok' });
  });

  it('is saved in a profile with its passphrase, which whoami masks', SLOW, async () => {
    const { run, user, env, received } = await startVerifyingNginx();
    const { SVC_BASE_URL, SVC_API_KEY, SVC_AUTH_TOKEN } = env;
    const add = ['profiles', 'add', 'prod', '--base-url', SVC_BASE_URL, '--api-key', SVC_API_KEY];
    const lockedPair = ['--client-cert', 'client.pem', '--client-key', 'locked.key'];
    const withToken = [...add, '--auth-token-stdin', '--insecure-storage'];
    const refused = await user.svc([...withToken, ...lockedPair], { stdin: SVC_AUTH_TOKEN });
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('locked.key is encrypted, and its passphrase is not set'),
    ]);
    const unset = { SVC_BASE_URL: '', SVC_API_KEY: '', SVC_AUTH_TOKEN: '' };
    const passphrase = { SVC_CLIENT_KEY_PASSPHRASE: PASSPHRASE };
    const added = await run(
      [...withToken, ...lockedPair],
      { ...unset, ...passphrase },
      SVC_AUTH_TOKEN,
    );
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining('verified')]);
    expect((await run([...GET, '-p', 'prod'], unset)).code).toBe(0);
    expect(received).toHaveLength(2);
    const { stdout } = await run(['whoami', '--all', '-o', 'json'], unset);
    const settings: { setting: string; value: string; source: string }[] = JSON.parse(stdout);
    const shown = Object.fromEntries(settings.map(({ setting, value }) => [setting, value]));
    expect(shown).toMatchObject({
      clientCert: join(user.home, 'client.pem'),
      clientKey: join(user.home, 'locked.key'),
    });
    expect(stdout).not.toContain(PASSPHRASE);
    expect(settings.find(({ setting }) => setting === 'clientKeyPassphrase')).toMatchObject({
      source: expect.stringContaining("profile 'prod'"),
    });
    const shownProfile = await run(['profiles', 'show', 'prod', '-o', 'json'], unset);
    expect(shownProfile.stdout).not.toContain(PASSPHRASE);
  });

  it('of a profile is not sent to another address', async () => {
    const { run, user, env } = await startVerifyingNginx();
    const add = ['profiles', 'add', 'other', '--base-url', 'https://other.example.test'];
    const saved = await user.svc([...add, '--no-verify', ...PAIR]);
    expect(saved.code).toBe(0);
    const { code, stderr } = await run([...GET, '-p', 'other'], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining('but SVC_BASE_URL is')]);
  });
});

describe.skipIf(!hasHaproxy)('a client certificate behind HAProxy (skipped without it)', () => {
  it.each([
    ['TLSv1.3', 4, 'requires a client certificate'],
    ['TLSv1.2', 8, 'cannot connect securely'],
  ])('is asked for by an alert of %s', SLOW, async (version, expected, message) => {
    const { user, files, service } = await createCertificateUser();
    const port = await findFreePort();
    const host = new URL(service.env.SVC_BASE_URL).host;
    await startHaproxy(
      port,
      `frontend f
  bind 127.0.0.1:${port} ssl crt ${files.cert} ca-file ${files.ca} verify required ssl-max-ver ${version}
  default_backend b
backend b
  server s ${host}`,
    );
    const env = { ...service.env, SVC_BASE_URL: `https://127.0.0.1:${port}` };
    const run = (...words: readonly string[]) =>
      user.svc([...words, '--ca-file', files.ca], { env });
    const add = ['users', 'add', '--org', 'acme', '--user', 'ada'];
    for (const words of [GET, add]) {
      const { code, stderr } = await run(...words);
      expect([code, stderr]).toEqual([expected, expect.stringContaining(message)]);
      expect(stderr).toContain('add --client-cert and --client-key');
    }
    expect(service.received).toEqual([]);
    expect((await run(...GET, ...PAIR)).code).toBe(0);
    await writeClientFiles(await borrowAuthority(), user.home);
    const rejected = await run(...GET, ...PAIR);
    expect([rejected.code, rejected.stderr]).toEqual([
      4,
      expect.stringContaining(
        'rejected the client certificate: the server does not trust its authority',
      ),
    ]);
  });
});

describe('a client certificate', () => {
  it('reaches the service through a proxy, and not the proxy itself', async () => {
    const { user, files, authority } = await createCertificateUser();
    const names: unknown[] = [];
    const { key, cert } = await authority.issue('DNS:service.example.test');
    const ca = await readFile(files.ca);
    const server = createServer({ key, cert, ca, requestCert: true }, (request, response) => {
      names.push((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
      request.resume().on('end', () => response.end(JSON.stringify(success(CONFIG).body)));
    });
    const port = (await listen(server)).split(':')[1];
    const proxy = await httpProxy();
    const env = {
      SVC_BASE_URL: `https://service.example.test:${port}`,
      SVC_API_KEY: 'key-1',
      SVC_AUTH_TOKEN: 'token-of-the-key-0001',
      HTTPS_PROXY: `http://${proxy.host}`,
    };
    const { code } = await user.svc([...GET, ...PAIR, '--ca-file', files.ca], { env });
    expect([code, names]).toEqual([0, ['a server']]);
  });
});
