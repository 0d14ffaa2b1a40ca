import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { hasPython } from '../python.ts';
import { SLOW } from '../slow.ts';
import { newSecret, send, unixNow } from '../webhooks/listener-fixture.ts';
import { opensslEncrypt, opensslKeys, opensslSignature } from '../webhooks/openssl.ts';
import { newUserInProcess } from './in-process.ts';
import { BIN, HOME, type User } from './svc.ts';

type Env = Readonly<Record<string, string>>;

const keys = opensslKeys();

/** Starts a process that ends with the test, and returns the first line of `stream`. */
async function startProcess(
  { env, home }: User,
  words: readonly [string, ...string[]],
  more: Env,
  stream: 1 | 2 = 1,
) {
  const [command, ...rest] = words;
  const child = spawn(command, rest, { cwd: home, env: { ...env, ...more } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output: string[] = [];
  child.stdout.on('data', (text) => output.push(String(text)));
  const [line] = await once(createInterface(stream === 1 ? child.stdout : child.stderr), 'line');
  return { line: String(line), output };
}

const findUrl = (line: string) => /http:[^\s"]+/.exec(line)?.[0] ?? '';

describe('a listener accepts only valid signatures', () => {
  const body = JSON.stringify({ event: 'comment.add', data: { text: 'Grüße 🚀' } });

  async function listener() {
    const user = await newUserInProcess();
    const secret = newSecret();
    await writeFile(join(user.home, 'secret'), secret);
    await writeFile(join(user.home, 'key.pem'), keys.privateKeys.pkcs1);
    const flags = [
      '--port',
      '0',
      '--secret-file',
      'secret',
      '--private-key',
      'key.pem',
      '-o',
      'ndjson',
    ];
    const { line, output } = await startProcess(
      user,
      [process.execPath, BIN, 'webhooks', 'listen', ...flags],
      {},
      2,
    );
    const deliver = (id: string, timestamp: number, signature: string, sent: string) =>
      send(findUrl(line), sent, {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      });
    const shown = () =>
      output
        .join('')
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
    return { secret, deliver, shown };
  }

  it('from the package of the standard', async () => {
    const { secret, deliver, shown } = await listener();
    const [now, standard] = [unixNow(), new Webhook(secret)];
    const signature = standard.sign('msg_1', new Date(now * 1000), body);
    expect((await deliver('msg_1', now, signature, body)).status).toBe(200);
    expect((await deliver('msg_2', now, signature, body)).status).toBe(401);
    expect((await deliver('msg_1', now - 1, signature, body)).status).toBe(401);
    expect((await deliver('msg_1', now, signature, `${body} `)).status).toBe(401);
    const old = now - 400;
    expect(
      (await deliver('msg_3', old, standard.sign('msg_3', new Date(old * 1000), body), body))
        .status,
    ).toBe(401);
    await eventually(() =>
      expect(shown()).toMatchObject([{ id: 'msg_1', verified: true, payload: JSON.parse(body) }]),
    );
  });

  it('from OpenSSL, with encryption', async () => {
    const { secret, deliver, shown } = await listener();
    const now = unixNow();
    const sealed = opensslEncrypt(body, keys.publicKeys.spki);
    for (const [id, sent] of [
      ['msg_plain', body],
      ['msg_sealed', sealed],
    ] as const) {
      const signature = opensslSignature(secret, id, now, Buffer.from(sent));
      expect((await deliver(id, now, signature, sent)).status).toBe(200);
    }
    const payloads = [JSON.parse(body), JSON.parse(body)];
    await eventually(() => expect(shown().map(({ payload }) => payload)).toEqual(payloads));
  });
});

const NODE = [process.execPath, 'good.mjs'] as const;
const PYTHON = ['python3', 'good.py'] as const;

/** Creates a service with an API key, and its commands. */
async function createService() {
  const user = await newUserInProcess();
  const { line } = await startProcess(
    user,
    [process.execPath, BIN, 'serve', '--port', '0', '-o', 'json'],
    {},
  );
  const { url, apiKey, authToken } = JSON.parse(line);
  const env = { SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken };
  const svc = async (...words: string[]) => {
    const { code, stdout, stderr } = await user.svc([...words, '--yes', '-o', 'json'], { env });
    expect(code, stderr).toBe(0);
    return JSON.parse(stdout);
  };
  /** Starts an example receiver with its settings in files. */
  const receiver = async ([command, file]: readonly [string, string], files: Env) => {
    const settings = { PORT: '0', EFFECTS: '1', ...files };
    const { line } = await startProcess(
      user,
      [command, join(HOME, 'examples', 'receivers', file)],
      settings,
    );
    const effects = async () => {
      const response = await fetch(new URL('/effects', findUrl(line)));
      return ((await response.json()) as { event: string }[]).map(({ event }) => event);
    };
    return { url: findUrl(line), effects };
  };
  const change = (content: string) => {
    const what = [
      '--org',
      'acme',
      '--document',
      'd1',
      '--editor',
      content,
      '--type',
      'text',
      '--content',
      content,
    ];
    return svc('crdt', 'add', ...what);
  };
  return { user, svc, receiver, change };
}

const RECEIVERS = [
  { language: 'Node', program: NODE, packings: ['plain', 'encoded', 'encrypted'] },
  { language: 'Python', program: PYTHON, packings: ['plain', 'encoded'] },
] as const;

const SWITCHES = {
  plain: ['--no-encode-data', '--no-encrypt-data'],
  encoded: ['--encode-data'],
  encrypted: [
    '--encrypt-data',
    '--public-key',
    keys.publicKeys.spki.replaceAll(/-----[^-]*-----|\s/g, ''),
  ],
} as const;

describe.each(RECEIVERS)(
  'the service delivers to a receiver in plain $language',
  ({ program, packings }) => {
    it.skipIf(program === PYTHON && !hasPython)(
      'advanced: plain, encoded, and encrypted',
      SLOW,
      async () => {
        const { user, svc, receiver, change } = await createService();
        await svc('webhooks', 'advanced', 'update', '--enable');
        const { id } = await svc('webhooks', 'endpoints', 'create', '--url', 'http://127.0.0.1:9/');
        const { secret } = await svc('webhooks', 'endpoints', 'secret', id);
        await writeFile(join(user.home, 'secret'), secret);
        await writeFile(join(user.home, 'key.pem'), keys.privateKeys.pkcs8);
        const { url, effects } = await receiver(program, {
          SECRET_FILE: 'secret',
          PRIVATE_KEY_FILE: 'key.pem',
        });
        await svc('webhooks', 'endpoints', 'update', id, '--url', url);
        for (const packing of packings) {
          await svc('webhooks', 'advanced', 'update', ...SWITCHES[packing]);
          await change(packing);
        }
        await eventually(async () =>
          expect(await effects()).toEqual(packings.map(() => 'crdt.update_data')),
        );
        const statesOf = async () =>
          (await svc('local', 'deliveries', 'list')).map(({ state }: { state: string }) => state);
        await eventually(async () =>
          expect(await statesOf()).toEqual(packings.map(() => 'delivered')),
        );
      },
    );

    it.skipIf(program === PYTHON && !hasPython)('basic, with its token', SLOW, async () => {
      const { user, svc, receiver, change } = await createService();
      const token = randomBytes(16).toString('hex');
      await writeFile(join(user.home, 'token'), token);
      const { url, effects } = await receiver(program, { AUTH_TOKEN_FILE: 'token' });
      const config = {
        useWebhookService: true,
        webhookServiceConfig: { authToken: token, rawNotificationUrl: url },
      };
      await writeFile(join(user.home, 'config.json'), JSON.stringify(config));
      await svc(
        'webhooks',
        'config',
        'update',
        '--data',
        '@config.json',
        '--trigger',
        'crdt.update_data=true',
      );
      await change('plain');
      await eventually(async () => expect((await effects()).length).toBe(1));
    });
  },
);
