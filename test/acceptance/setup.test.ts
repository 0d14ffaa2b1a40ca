import { spawnSync } from 'node:child_process';
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
  it('asks for everything, shows what it will send, and sends that', { timeout: 20_000 }, async () => {
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

  it('asks in plain lines for a screen reader, and never moves the cursor', { timeout: 20_000 }, async () => {
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

  it('asks only for what flags leave open, and sends a signed event to the endpoint', { timeout: 20_000 }, async () => {
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
});
