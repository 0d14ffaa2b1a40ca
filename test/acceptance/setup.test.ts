import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NODE_VERIFICATION, PYTHON_VERIFICATION } from '../../src/commands/setup/verification-code.ts';
import { target } from '../webhooks/world.ts';
import { type Dialogue, dialogue } from './dialogue.ts';
import { type Answerer, failure, mockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';

const DOWN = '\u001b[B';
const ADVANCED_OFF = {
  isEnabled: false,
  encryptData: false,
  encodeData: false,
  publicKey: '',
  enableDataProtection: false,
};
const TIME = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
/** The functions that are shown, as programs that verify a delivery from two files. */
const CODE = {
  node: {
    program: process.execPath,
    first: 'import { createHmac',
    last: 'timingSafeEqual(one, expected));\n}',
    call: (file: string, secret: string) =>
      `import { readFileSync } from 'node:fs';\nconst headers = JSON.parse(readFileSync('headers.json'));\nconsole.log(verified(readFileSync('${file}'), headers, '${secret}'));`,
  },
  python: {
    program: 'python3',
    first: 'import base64',
    last: 'for one in given)',
    call: (file: string, secret: string) =>
      `import json\nprint(verified(open("${file}", "rb").read(), json.load(open("headers.json")), "${secret}"))`,
  },
} as const;
const SECRET = `whsec_${Buffer.from('no secret of anybody, 24').toString('base64')}`;

/** A service with advanced webhooks, off or on, that keeps what it was sent. */
async function webhookService(isEnabled: boolean) {
  const answer: Answerer = ({ path, body }) => {
    if (path.endsWith('/advancedwebhookconfig/get')) return success({ ...ADVANCED_OFF, isEnabled });
    if (path.endsWith('/advancedwebhookconfig/update')) return success({ ...ADVANCED_OFF, isEnabled: true });
    if (path.endsWith('/endpoints/create')) return success({ id: 'ep_1', disabled: false, ...TIME, ...body.data });
    if (path.endsWith('/endpoints/secret/get')) return success({ endpointId: 'ep_1', secret: SECRET });
    return failure(404, 'NOT_FOUND', 'no such path');
  };
  const { env, received } = await mockService(answer);
  const user = await newUser();
  const sent = (part: string) => received.filter(({ path }) => path.endsWith(part)).map(({ body }) => body.data);
  return { ...user, env: { ...user.env, ...env }, received, sent };
}

/** The answers of a whole dialogue, but for the URL and what comes after the endpoint was made. */
const REST: readonly (readonly [string, string])[] = [
  ['Events to receive', '\r'],
  ['Channels', '\r'],
  ['Most deliveries', '\r'],
  ['What it is for', '\r'],
  ['Id of your own', '\r'],
  ['Metadata', '\r'],
];

async function answers(to: Dialogue, pairs: readonly (readonly [string, string])[]): Promise<void> {
  for (const [question, keys] of pairs) await to.answer(question, keys);
}

describe('svc webhooks setup', () => {
  it('asks for everything, shows what it will send, and sends that', async () => {
    const { env, sent } = await webhookService(false);
    const receiver = await target((response) => response.writeHead(401).end());
    const screen = dialogue(['webhooks', 'setup'], env);
    await screen.answer('Advanced webhooks are off', 'y\r');
    await screen.answer('Where deliveries go', 'example.com\r');
    await screen.answer('not a valid http(s) URL', `\u0015${receiver.url.href}\r`);
    await screen.answer('Send a test request', 'y\r');
    await screen.shows('it refuses what it cannot verify, as it should');
    // By search, by walking down, and one that is not known.
    await screen.answer('Events to receive', 'reaction_d');
    await screen.answer('Events to receive reaction_d', '\r');
    await screen.answer('Go on with the 1 chosen', DOWN);
    await screen.answer('❯ [ ] all of thread', ' ');
    await screen.answer('❯ [x] all of thread', ' ');
    await screen.answer('❯ [ ] all of thread', 'thread.link_copy');
    await screen.answer('not a known one', '\r');
    await screen.answer('Go on with the 2 chosen', '\r');
    await answers(screen, [
      ['Channels', 'acme, team-ü\r'],
      ['only letters, digits', '\u0015acme, team-1\r'],
      ['Most deliveries', '0\r'],
      ['expected number', '\u00155\r'],
      ['What it is for', "Grüße, 日本 'a' $HOME\r"],
      ['Id of your own', 'hook-1\r'],
      ['Metadata', 'team=web\r'],
      ['More metadata', 'note=a=b\r'],
      ['More metadata', '\r'],
      ['Create this endpoint?', 'y\r'],
      ['Send a test event', 'n\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(0);
    const endpoint = {
      url: receiver.url.href,
      filterTypes: ['comment.reaction_delete', 'thread.link_copy'],
      channels: ['acme', 'team-1'],
      rateLimit: 5,
      description: "Grüße, 日本 'a' $HOME",
      uid: 'hook-1',
      metadata: { team: 'web', note: 'a=b' },
    };
    expect(sent('/endpoints/create')).toEqual([endpoint]);
    expect(sent('/advancedwebhookconfig/update')).toEqual([{ isEnabled: true }]);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers).toMatchObject({ 'webhook-signature': expect.stringMatching(/^v1,/) });
    const shown = screen.text();
    expect(shown).toContain('svc webhooks advanced update --enable\n');
    expect(shown.match(new RegExp(SECRET, 'g'))).toHaveLength(1);

    const [, command = ''] = /^ {2}(svc webhooks endpoints create .*)$/m.exec(screen.text(1000)) ?? [];
    const { stdout } = spawnSync(
      'bash',
      ['-c', `svc() { '${process.execPath}' bin/svc.js "$@" --dry-run; }\n${command}`],
      {
        env,
        encoding: 'utf8',
      },
    );
    expect(JSON.parse(stdout).body.data).toEqual(endpoint);
    const [, request = ''] = /^ {2}POST (?:.*)\n([\s\S]*?)\n\n/m.exec(screen.text(1000)) ?? [];
    expect(JSON.parse(request)).toEqual({ data: endpoint });
  });

  it('asks in plain lines for a screen reader, and never moves the cursor', async () => {
    const { env, sent } = await webhookService(false);
    const screen = dialogue(['webhooks', 'setup'], { ...env, ACCESSIBLE: '1' }, 40);
    await answers(screen, [
      ['Advanced webhooks are off', 'y\r'],
      ['Where deliveries go', '\r'],
      ['an answer is needed', 'https://example.com/hook\r'],
      ['Send a test request', 'maybe\r'],
      ['answer y or n', '\r'],
      ['choose, or take back (Enter: all events):', 'reaction\r'],
      ["with 'reaction':", '16, comment.add, huddle\r'],
      ['choose, or take back (Enter: the 4 chosen):', 'comment.add\r'],
      ['choose, or take back (Enter: the 3 chosen):', '\r'],
      ...REST.slice(1),
      ['Create this endpoint?', 'y\r'],
      ['Send a test event', '\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(0);
    const [created] = sent('/endpoints/create');
    expect(created).toMatchObject({
      url: 'https://example.com/hook',
      filterTypes: ['comment.reaction_add', 'huddle.create', 'huddle.join'],
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(screen.movesCursor()).toBe(false);
  });

  it('asks only for what flags leave open, and sends a signed event to the endpoint', async () => {
    const user = await newUser();
    const receiver = await target();
    const words = ['--url', receiver.url.href, '--filter-type', 'huddle.join', '--rate-limit', '5', '--uid', 'u'];
    const more = ['--description', 'd', '--metadata', 'a=b', '--channel', 'c'];
    const screen = dialogue(['webhooks', 'setup', '--local', ...words, ...more], user.env);
    await screen.answer('Advanced webhooks are off', 'y\r');
    await screen.answer('Create this endpoint? (embedded service)', 'y\r');
    await screen.answer('Send a test event', 'y\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.text()).toContain('huddle.join: it answered 200, so it took it');
    const [delivery] = receiver.received;
    const secret = /whsec_\S+/.exec(screen.text(1000))?.[0] ?? '';
    for (const [name, body] of [
      ['good', delivery?.body],
      ['bad', `${delivery?.body} `],
    ] as const) {
      await writeFile(join(user.home, name), body ?? '');
    }
    await writeFile(join(user.home, 'headers.json'), JSON.stringify(delivery?.headers));
    const shown = screen.text(1000);
    expect(shown).toContain(NODE_VERIFICATION);
    expect(shown).toContain(PYTHON_VERIFICATION);
    for (const language of ['node', 'python'] as const) {
      const program = shown.slice(
        shown.indexOf(CODE[language].first),
        shown.indexOf(CODE[language].last) + CODE[language].last.length,
      );
      for (const [file, verified] of [
        ['good', 'true'],
        ['bad', 'false'],
      ] as const) {
        await writeFile(join(user.home, 'program.mjs'), `${program}\n${CODE[language].call(file, secret)}\n`);
        const { stdout, stderr } = spawnSync(CODE[language].program, [join(user.home, 'program.mjs')], {
          cwd: user.home,
        });
        expect(stdout.toString().trim().toLowerCase(), `${language} ${file}: ${stderr}`).toBe(verified);
      }
    }
  });

  const QUESTIONS = [
    ['Advanced webhooks are off', 'y\r'],
    ['Where deliveries go', 'https://example.com/hook\r'],
    ['Send a test request', '\r'],
    ...REST,
    ['Create this endpoint?', 'y\r'],
  ] as const;

  it.each([
    ['Ctrl-C', '\u0003', {}, 1],
    ['Ctrl-D', '\u0004', {}, 4],
    ['Ctrl-C', '\u0003', { ACCESSIBLE: '1' }, 1],
    ['Ctrl-D', '\u0004', { ACCESSIBLE: '1' }, 4],
  ])('leaves nothing behind when it is stopped with %s at any question (%#)', async (_, key, more, step) => {
    const { env, sent } = await webhookService(false);
    const stopAt = async (last: number) => {
      const screen = dialogue(['webhooks', 'setup'], { ...env, ...more });
      await answers(screen, QUESTIONS.slice(0, last));
      await screen.answer(QUESTIONS[last]?.[0] ?? '', key);
      expect(await screen.ended, screen.text()).toBe(130);
      expect(screen.text()).toMatch(/^svc: stopped; no endpoint was made$/m);
    };
    // Ctrl-D goes the same way, so it is tried at some.
    const stops = QUESTIONS.keys().filter((at) => at % step === 0);
    const work = async () => {
      for (const last of stops) await stopAt(last);
    };
    await Promise.all([work(), work(), work()]);
    expect(sent('/endpoints/create')).toEqual([]);
    expect(sent('/advancedwebhookconfig/update')).toEqual([]);
  });

  it('can be stopped while a receiver leaves a test request without an answer', async () => {
    const { env, sent } = await webhookService(true);
    const silent = await target(() => undefined);
    for (const more of [{}, { ACCESSIBLE: '1' }]) {
      const screen = dialogue(['webhooks', 'setup'], { ...env, ...more });
      await screen.answer('Where deliveries go', `${silent.url.href}\r`);
      await screen.answer('Send a test request', 'y\r');
      await screen.answer('waiting for an answer', '\u0003');
      expect(await screen.ended, screen.text()).toBe(130);
      expect(screen.text()).toContain('svc: stopped; no endpoint was made');
    }
    expect(sent('/endpoints/create')).toEqual([]);
  });

  it('says that the endpoint is there when it is stopped afterwards', async () => {
    for (const more of [{}, { ACCESSIBLE: '1' }]) {
      const { env } = await webhookService(true);
      const screen = dialogue(['webhooks', 'setup', '--url', 'https://example.com/hook'], { ...env, ...more });
      await answers(screen, [...REST, ['Create this endpoint?', 'y\r'], ['Send a test event', '\u0003']]);
      expect(await screen.ended).toBe(130);
      expect(screen.text()).toContain(
        'svc: stopped; the endpoint ep_1 is there\nhint: svc webhooks endpoints delete ep_1 takes it away',
      );
    }
  });

  it('says that advanced webhooks are on when the endpoint could not be made', async () => {
    const { env } = await mockService(({ path }) => {
      if (path.endsWith('/advancedwebhookconfig/get')) return success(ADVANCED_OFF);
      if (path.endsWith('/advancedwebhookconfig/update')) return success({ ...ADVANCED_OFF, isEnabled: true });
      return failure(400, 'INVALID_ARGUMENT', 'url must be a valid http(s) URL.');
    });
    const user = await newUser();
    const screen = dialogue(['webhooks', 'setup', '--url', 'https://example.com/hook'], { ...user.env, ...env });
    await answers(screen, [['Advanced webhooks are off', 'y\r'], ...REST, ['Create this endpoint?', 'y\r']]);
    expect(await screen.ended).toBe(3);
    expect(screen.text(500)).toContain('advanced webhooks are on now: svc webhooks advanced update --disable');
  });

  it('walks through with --dry-run, and prints the request', async () => {
    const { env, received } = await webhookService(false);
    const screen = dialogue(['webhooks', 'setup', '--dry-run', '--url', 'https://example.com/hook'], env);
    await answers(screen, REST);
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.text()).toContain('"url": "http://127.0.0.1:');
    expect(received).toEqual([]);
  });

  it('says what to run where nobody can be asked', async () => {
    const { svc } = await newUser();
    const setups = [
      [['webhooks', 'setup'], 'svc webhooks endpoints create --url https://example.com/hook'],
      [
        ['webhooks', 'setup', '--local', '--filter-type', 'comment.add', '--metadata', 'a b=c', '--disabled'],
        "svc --local webhooks endpoints create --url https://example.com/hook --filter-type comment.add --disabled --metadata 'a b=c'",
      ],
      [
        ['webhooks', 'config', 'setup', '--enable', '--trigger', 'comment.add=false', '--auth-token-stdin'],
        'svc webhooks config update --enable --trigger comment.add=false --auth-token-stdin',
      ],
      [['email', 'setup', '--api-key-file', 'a key'], "svc email update --api-key-file 'a key'"],
    ] as const;
    for (const [words, command] of setups) {
      expect(await svc(words)).toEqual({
        code: 2,
        stdout: '',
        stderr: `svc: this command asks questions, and nobody can be asked here\nhint: without questions: ${command}\n`,
      });
    }
  });

  it('refuses a flag that is wrong before it asks anything', async () => {
    const { env } = await webhookService(true);
    const screen = dialogue(['webhooks', 'setup', '--url', 'nonsense'], env);
    expect(await screen.ended).toBe(2);
    expect(screen.text()).toMatch(/^svc: --url: not a valid/);
  });

  it('has the name of a protected profile typed before it writes', async () => {
    const service = await webhookService(true);
    const { home, svc, sent } = service;
    await writeFile(join(home, 'token'), 'token-of-prod');
    const base = ['--base-url', service.env.SVC_BASE_URL ?? '', '--api-key', 'key-1', '--auth-token-file', 'token'];
    const added = await svc(['profiles', 'add', 'prod', ...base, '--protected', '--insecure-storage']);
    expect(added.code, added.stderr).toBe(0);
    const { SVC_BASE_URL: _, SVC_API_KEY: _key, SVC_AUTH_TOKEN: _token, ...env } = service.env;
    for (const [typed, code] of [
      ['\u0003', 130],
      ['prd\r', 2],
      ['prod\r', 0],
    ] as const) {
      const screen = dialogue(['webhooks', 'setup', '--url', 'https://example.com/hook'], env);
      await answers(screen, [
        ...REST,
        ['Create this endpoint? (profile prod, 127.0.0.1', 'y\r'],
        ['Type the name', typed],
      ]);
      if (code === 0) await screen.answer('Send a test event', '\r');
      expect(await screen.ended, screen.text()).toBe(code);
      expect(sent('/endpoints/create')).toHaveLength(code === 0 ? 1 : 0);
    }
  });

  it('fits 40 columns', async () => {
    const { env, sent } = await webhookService(true);
    const screen = dialogue(['webhooks', 'setup'], env, 40);
    const long = `https://example.com/${'long/'.repeat(12)}`;
    await answers(screen, [
      ['Where deliveries go', `${long}\r`],
      ['Send a test request', '\r'],
      ['Events to receive', 'custom_list'],
      ['Events to receive custom_list', '\r'],
      ['Go on with the 1 chosen', '\r'],
      ...REST.slice(1),
      ['Create this endpoint?', 'y\r'],
      ['Send a test event', '\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(0);
    expect(sent('/endpoints/create')).toMatchObject([
      { url: long, filterTypes: ['comment_annotation.custom_list_change'] },
    ]);
    // Each question stands there once, as it was answered.
    for (const question of ['Where deliveries go', 'Events to receive', 'Channels']) {
      expect(screen.text().split(question)).toHaveLength(2);
    }
  });
});

const TOKEN = 'token-of-deliveries-4711';
const WEBHOOKS_OFF = {
  useWebhookService: false,
  webhookServiceConfig: { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' },
};

describe('svc webhooks config setup', () => {
  it('asks for each setting, shows what changes, and sends only that', async () => {
    const user = await newUser();
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(join(user.home, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    const { env, received } = await mockService(({ path, body }) =>
      success(
        path.endsWith('/get')
          ? WEBHOOKS_OFF
          : { useWebhookService: true, webhookServiceConfig: body.data['webhookServiceConfig'] },
      ),
    );
    const screen = dialogue(['webhooks', 'config', 'setup'], { ...user.env, ...env });
    await answers(screen, [
      ['Deliver events as basic webhooks?', 'y\r'],
      ['Token that each delivery carries', `${TOKEN}\r`],
      ['URL for unprocessed events', 'ftp://x\r'],
      ['not a valid http(s) URL', '\u0015https://example.com/raw\r'],
      ['URL for processed events', '\r'],
      ['Encode what is delivered', '\r'],
      ['Encrypt what is delivered', 'y\r'],
      ['RSA public key', 'nonsense\r'],
      ['this is no RSA public key', `${join(user.home, 'key.pem')}\r`],
      ['Leave personal data out', '\r'],
      ['Events to deliver', 'comment.delete'],
      ['❯ [x] comment.delete', '\r'],
      ['Go on with the 16 chosen', '\r'],
      ['Make these changes?', 'y\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(0);
    const config = {
      authToken: TOKEN,
      rawNotificationUrl: 'https://example.com/raw',
      encryptData: true,
      publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
      triggers: { 'comment.delete': false },
    };
    expect(received.at(-1)?.body.data).toEqual({ useWebhookService: true, webhookServiceConfig: config });
    const shown = screen.text(1000);
    expect(shown).toContain('  useWebhookService: false → true\n');
    expect(shown).toContain('  authToken: (none) → ****4711\n');
    expect(shown).toContain('  rawNotificationUrl: (none) → https://example.com/raw\n');
    expect(shown).toContain('  triggers comment.delete: (none) → false\n');
    expect(shown).toContain('  triggers comment.add: (none) → true\n');
    expect(shown).toMatch(/^ {2}svc webhooks config update --enable .* --auth-token-stdin$/m);
    expect(screen.raw()).not.toContain(TOKEN);
  });

  it('keeps what Enter is pressed for, in plain lines too, and sends nothing then', async () => {
    const stored = {
      useWebhookService: true,
      webhookServiceConfig: {
        authToken: TOKEN,
        rawNotificationUrl: 'https://example.com/raw',
        processedNotificationUrl: '',
        triggers: { 'comment.add': true, 'comment.delete': false },
      },
    };
    const { env, received } = await mockService(() => success(stored));
    const user = await newUser();
    for (const more of [{}, { ACCESSIBLE: '1' }]) {
      const screen = dialogue(['webhooks', 'config', 'setup'], { ...user.env, ...env, ...more });
      await answers(screen, [
        ['Deliver events as basic webhooks?', '\r'],
        ['Token that each delivery carries (Enter keeps it, - removes it)', '\r'],
        ['URL for unprocessed events', '\r'],
        ['URL for processed events', '\r'],
        ['Encode what is delivered', '\r'],
        ['Encrypt what is delivered', '\r'],
        ['Leave personal data out', '\r'],
        ['the 1 chosen', '\r'],
      ]);
      expect(await screen.ended, screen.text()).toBe(0);
      expect(screen.text()).toContain('everything is so already; nothing was sent');
    }
    expect(received.every(({ path }) => path.endsWith('/get'))).toBe(true);

    const screen = dialogue(['webhooks', 'config', 'setup', '--disable'], { ...user.env, ...env, ACCESSIBLE: '1' });
    await answers(screen, [
      ['Token that each delivery carries', '-\r'],
      ['URL for unprocessed events (Enter: https://example.com/raw; -: none):', '-\r'],
      ['URL for processed events', '\r'],
      ['Encode what is delivered', '\r'],
      ['Encrypt what is delivered', '\r'],
      ['Leave personal data out', '\r'],
      ['the 1 chosen', 'comment.add, comment.delete\r'],
      ['chosen: comment.delete', '\r'],
      ['Disable basic webhooks? Deliveries stop at once.', 'y\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(0);
    expect(received.at(-1)?.body.data).toEqual({
      useWebhookService: false,
      webhookServiceConfig: {
        authToken: '',
        rawNotificationUrl: '',
        triggers: { 'comment.add': false, 'comment.delete': true },
      },
    });
  });
});

describe('svc email setup', () => {
  it('leads the embedded service to what was answered, and starts from there the next time', async () => {
    const user = await newUser();
    const first = dialogue(['email', 'setup', '--local', '--from-company', 'Grüße & Co'], user.env);
    await answers(first, [
      ['Send e-mail?', 'y\r'],
      ['Who sends it', '\r'],
      ['API key of the e-mail provider', `${TOKEN}\r`],
      ['Sender address', 'hello@example.com\r'],
      ['Go on with the 7 chosen', '\r'],
      ['Make these changes?', 'y\r'],
    ]);
    expect(await first.ended, first.text()).toBe(0);
    expect(first.raw()).not.toContain(TOKEN);
    const stored = await user.svc(['email', 'get', '--local', '-o', 'json', '--show-secrets']);
    expect(JSON.parse(stored.stdout)).toMatchObject({
      useEmailService: true,
      emailServiceConfig: { type: 'custom', apiKey: TOKEN, fromEmail: 'hello@example.com', fromCompany: 'Grüße & Co' },
    });
    const second = dialogue(['email', 'setup', '--local', '--type', 'extprovider'], { ...user.env, ACCESSIBLE: '1' });
    await answers(second, [
      ['Send e-mail? (y or n; Enter: yes)', '\r'],
      ['API key of the e-mail provider (Enter keeps it', `\u007fother${'\u007f'.repeat(5)}\r`],
      ['Sender address (Enter: hello@example.com; -: none):', '\r'],
      ['Sender name (Enter: Grüße & Co; -: none):', 'Acme\r'],
      ['the 7 chosen', '\r'],
      ['Make these changes?', 'y\r'],
    ]);
    expect(await second.ended, second.text()).toBe(0);
    expect(second.text()).toContain('What changes\n  type: custom → extprovider\n  fromCompany: Grüße & Co → Acme\n\n');
  });
});
