import { execFile, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SLOW } from '../slow.ts';
import { target } from '../webhooks/listener-fixture.ts';
import { type Dialogue, startDialogue, startDialogueInProcess } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, type ResponseHandler, startMockService, success } from './mock-service.ts';
import { BIN, newUser } from './svc.ts';
import { startInTerminal } from './terminal.ts';

const DOWN = '\u001b[B';
const ADVANCED_OFF = {
  isEnabled: false,
  encryptData: false,
  encodeData: false,
  publicKey: '',
  enableDataProtection: false,
};
const TIME = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' };
const SECRET = `whsec_${Buffer.from('no secret of anybody, 24').toString('base64')}`;

/** Flags for all settings of an endpoint except its URL. */
const ENDPOINT = [
  '--filter-type',
  'huddle.join',
  '--rate-limit',
  '5',
  '--uid',
  'u',
  '--description',
  'd',
  '--metadata',
  'a=b',
  '--channel',
  'c',
];

/** Creates a service with advanced webhooks on or off that records requests. */
async function startWebhookService(isEnabled: boolean, endpoints: readonly object[] = []) {
  const answer: ResponseHandler = ({ path, body }) => {
    if (path.endsWith('/endpoints/get')) return success({ endpoints, done: true });
    if (path.endsWith('/advancedwebhookconfig/get')) return success({ ...ADVANCED_OFF, isEnabled });
    if (path.endsWith('/advancedwebhookconfig/update'))
      return success({ ...ADVANCED_OFF, isEnabled: true });
    if (path.endsWith('/endpoints/create'))
      return success({ id: 'ep_1', disabled: false, ...TIME, ...body.data });
    if (path.endsWith('/endpoints/secret/get'))
      return success({ endpointId: 'ep_1', secret: SECRET });
    return failure(404, 'NOT_FOUND', 'no such path');
  };
  const { env, received } = await startMockService(answer);
  const user = await newUserInProcess();
  const sent = (part: string) =>
    received.filter(({ path }) => path.endsWith(part)).map(({ body }) => body.data);
  return { ...user, env: { ...user.env, ...env }, received, sent };
}

/** Returns the text from the last plan on. Each change of the settings shows a new one. */
const lastPlan = (text: string) => text.slice(text.lastIndexOf('\nEndpoint\n'));

/** Keys that choose the option at an index, below the row that ends the list. */
const option = (index: number) => `${DOWN.repeat(index + 1)}\r`;
const CHANNELS = option(2);
const RATE_LIMIT = option(3);
const DESCRIPTION = option(4);
const UID = option(5);
const METADATA = option(6);

async function answers(to: Dialogue, pairs: readonly (readonly [string, string])[]): Promise<void> {
  for (const [question, keys] of pairs) await to.answer(question, keys);
}

describe('svc webhooks setup', () => {
  it.each([100, 80])(
    'asks for the URL and events, and for more on request, at %d columns',
    async (columns) => {
      const { env, sent } = await startWebhookService(false);
      const receiver = await target((response) => response.writeHead(401).end());
      const screen = startDialogue(['webhooks', 'setup', '--allow-unknown-event'], env, columns);
      await screen.answer('? Advanced webhooks are disabled', '\r');
      await screen.answer('[1/3] Endpoint URL', 'example.com\r');
      await screen.answer(
        'not a valid http(s) URL; did you mean https://example.com?',
        `\u0015${receiver.url.href}\r`,
      );
      await screen.answer('Send a test request', 'y\r');
      await screen.shows('rejected the invalid signature, as expected');
      // By search, by browsing, and an unknown event.
      await screen.answer('28 more • type to search', 'reaction_d');
      await screen.answer('[2/3] Events to receive reaction_d', '\r');
      // The search is cleared after a choice.
      await screen.shows('❯ Continue with the 1 selected');
      expect(screen.text()).toMatch(/^\? \[2\/3\] Events to receive$/m);
      await screen.answer('28 more • type to search', DOWN);
      await screen.answer('❯ [ ] all of thread', ' ');
      await screen.answer('❯ [x] all of thread', ' ');
      await screen.answer('❯ [ ] all of thread', 'thread.link_copy');
      await screen.answer('not in the list', '\r');
      await screen.answer('Continue with the 2 selected', '\r');
      await answers(screen, [
        ['[3/3] Create it? (127.0.0.1', 'x\r'],
        ['answer y, n or o', '\u0015o\r'],
        ['Change a setting', CHANNELS],
        ['Channels', 'acme, team-ü\r'],
        ['only letters, digits', '\u0015acme, team-1\r'],
        ['Change a setting', RATE_LIMIT],
        ['Rate limit', '0\r'],
        ['expected number', '\u0015acme\r'],
        ["'acme' is not a whole number", '\u00155 per second\r'],
        ['Change a setting', DESCRIPTION],
        ['Description', "Grüße, 日本 'a' $HOME\r"],
        ['Change a setting', UID],
        ['Custom ID', 'hook-1\r'],
        ['Change a setting', METADATA],
        ['Metadata', 'team\r'],
        ['use the form key=value', '\u0015team=web, note=a=b\r'],
        ['Change a setting', '\r'],
        ['[3/3] Create it?', '\r'],
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
      expect(receiver.received[0]?.headers).toMatchObject({
        'webhook-signature': expect.stringMatching(/^v1,/),
      });
      const shown = screen.text();
      expect(shown).toContain('svc webhooks advanced update --enable\n');
      expect(shown.match(new RegExp(SECRET, 'g'))).toHaveLength(1);
      const box = shown.trimEnd().split('\n');
      const top = box.indexOf(`╭${'─'.repeat(58)}╮`);
      expect(box.slice(top, top + 6)).toEqual([
        `╭${'─'.repeat(58)}╮`,
        '│ Signing secret: store it where your receiver can read it │',
        `│${' '.repeat(58)}│`,
        `│ ${SECRET.padEnd(56)} │`,
        `╰${'─'.repeat(58)}╯`,
        'Test the receiver:',
      ]);
      const tested = box
        .slice(top + 6)
        .join('\n')
        .replace(/ \\\n +/g, ' ')
        .trim();
      expect(tested).toBe(
        `svc webhooks endpoints secret ep_1 -q | svc webhooks test ${receiver.url.href} --secret-file /dev/stdin`,
      );
      expect(shown.split('\n').every((line) => line.length <= columns)).toBe(true);

      const [, command = ''] =
        /^ {2}(svc webhooks endpoints create (?:.* \\\n)+.*)$/m.exec(lastPlan(shown)) ?? [];
      const { stdout } = spawnSync(
        'bash',
        ['-c', `svc() { '${process.execPath}' bin/svc.js "$@" --dry-run; }\n${command}`],
        {
          env,
          encoding: 'utf8',
        },
      );
      expect(JSON.parse(stdout).body.data).toEqual(endpoint);
      const [, request = ''] =
        /^ {2}POST (?:.*)\n([\s\S]*?)\n\n/m.exec(lastPlan(screen.text(1000))) ?? [];
      expect(JSON.parse(request)).toEqual({ data: endpoint });
    },
  );

  it('uses plain lines for screen readers and never moves the cursor', async () => {
    const { env, sent } = await startWebhookService(false);
    const screen = startDialogue(['webhooks', 'setup'], { ...env, ACCESSIBLE: '1' }, 40);
    await answers(screen, [
      ['Advanced webhooks are disabled', 'y\r'],
      ['Endpoint URL', '\r'],
      ['an answer is required', 'https://example.com/hook\r'],
      ['Send a test request', 'maybe\r'],
      ['answer y or n', '\r'],
      ['or groups, separated by commas (Enter: all events):', '16, comment.ad\r'],
      ["'comment.ad': unknown event type", '16, comment.reaction_add, huddle\r'],
      ['Step 3 of 3: Create it?', 'maybe\r'],
      ['answer y, n or o', 'y\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.text()).toContain(
      `\nSigning secret: store it where your\nreceiver can read it\n${SECRET}\nTest the receiver:\n`,
    );
    const [created] = sent('/endpoints/create');
    expect(created).toMatchObject({
      url: 'https://example.com/hook',
      filterTypes: ['comment.reaction_add', 'huddle.create', 'huddle.join'],
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(screen.movesCursor()).toBe(false);
  });

  it(
    'points out answers that look wrong, and lets the user change every answer before it creates the endpoint',
    SLOW,
    async () => {
      const url = 'http://localhost:3000/hook';
      const used = { id: 'ep_used', url, filterTypes: ['huddle.join'], disabled: false, ...TIME };
      const { env, sent } = await startWebhookService(true, [
        used,
        { ...used, id: 'ep_other', url: `${url}/2` },
      ]);
      const screen = startDialogueInProcess(['webhooks', 'setup'], env);
      await answers(screen, [
        ['[1/3] Endpoint URL', 'localhost:3000/hook\r'],
        [
          'ep_used already delivers huddle.join to this URL ? An endpoint for this URL exists',
          'another',
        ],
        ['❯ Add another endpoint for this URL', '\r'],
        ['Send a test request', '\r'],
        ['[2/3] Events to receive', 'huddle.j'],
        ['❯ [ ] huddle.join', ' '],
        ['❯ [x] huddle.join', ' '],
        ['❯ [ ] huddle.join', 'coment.add'],
        ["unknown event type; did you mean 'comment.add'?", '\u0015\r'],
        ['[3/3] Create it?', 'o\r'],
        ['Change a setting', CHANNELS],
        ['Channels', '5\r'],
        ["'5' looks like a rate limit. Use it as a channel?", '\r'],
        ['Channels', 'comment.add\r'],
        ["'comment.add' is an event type. Use it as a channel?", 'y\r'],
        ['Change a setting', METADATA],
        ['Metadata', 'a="b,c"\r'],
        ['Change a setting', CHANNELS],
        ['Channels (comma-separated) (-: all channels) (comment.add)', '-\r'],
        ['Change a setting', METADATA],
        ['Metadata (key=value,…) (-: none) (a="b,c")', 'c=d\r'],
        ['Change a setting', '\r'],
        ['[3/3] Create it?', '\r'],
      ]);
      expect(await screen.ended, screen.text()).toBe(0);
      expect(sent('/endpoints/create')).toEqual([
        { url, metadata: { c: 'd' }, uid: expect.any(String) },
      ]);
    },
  );

  it('changes settings in plain lines, and creates nothing if the user declines', async () => {
    const { env, sent } = await startWebhookService(true);
    const plain = { ...env, ACCESSIBLE: '1' };
    const screen = startDialogue(
      ['webhooks', 'setup', '--url', 'localhost/hook', '--rate-limit', '5'],
      plain,
      40,
    );
    await answers(screen, [
      ['Step 1 of 2: Events to receive', 'coment.add\r'],
      ["'coment.add': unknown event type; did you mean 'comment.add'?", '\r'],
      ['Step 2 of 2: Create it?', 'o\r'],
      ['5. rate limit', '5\r'],
      ['Rate limit (deliveries per second) (Enter: 5; -: no limit):', '7/s\r'],
      ['list (Enter: Continue with these settings):', '\r'],
      ['Step 2 of 2: Create it?', 'o\r'],
      ['7 per second', '\r'],
      ['(y, n, o = more options; Enter: yes):', 'n\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(2);
    expect(screen.text()).toContain('svc: not confirmed; nothing was changed');
    expect(screen.text(1000)).toContain('--url http://localhost/hook');
    expect(screen.movesCursor()).toBe(false);
    expect(sent('/endpoints/create')).toEqual([]);
  });

  it(
    'asks only for settings that are not passed as flags, and names a command that tests the receiver',
    SLOW,
    async () => {
      const user = await newUser();
      const receiver = await target();
      const words = ['--url', receiver.url.href, ...ENDPOINT];
      const screen = startDialogue(['webhooks', 'setup', '--local', ...words], user.env);
      await screen.answer('Advanced webhooks are disabled', 'y\r');
      await screen.answer('[1/1] Create it? (embedded service)', 'y\r');
      expect(await screen.ended, screen.text()).toBe(0);
      expect(screen.text()).toContain('  svc webhooks snippet --lang node\n');
      const [, command = ''] = /Test the receiver:\n([\s\S]*)$/.exec(screen.text()) ?? [];
      const svc = `svc() { '${process.execPath}' '${BIN}' "$@"; }`;
      const tested = promisify(execFile)(
        'bash',
        ['-c', `${svc}\n${command.trimEnd()} --only valid`],
        { env: { ...user.env, PATH: process.env['PATH'] } },
      );
      await expect(tested).resolves.toMatchObject({ stdout: expect.stringContaining('valid') });
      expect(receiver.received).not.toHaveLength(0);
    },
  );

  const QUESTIONS = [
    ['Advanced webhooks are disabled', 'y\r'],
    ['Endpoint URL', 'https://example.com/hook\r'],
    ['Send a test request', '\r'],
    ['Events to receive', '\r'],
    ['Create it?', 'o\r'],
    ['Change a setting', '\r'],
    ['Create it?', 'y\r'],
  ] as const;

  it.each([
    ['Ctrl-C', '\u0003', {}, 1],
    ['Ctrl-D', '\u0004', {}, 4],
    ['Ctrl-C', '\u0003', { ACCESSIBLE: '1' }, 2],
    ['Ctrl-D', '\u0004', { ACCESSIBLE: '1' }, 5],
  ])(
    'leaves nothing behind when it is stopped with %s at any prompt (%#)',
    SLOW,
    async (_, key, more, step) => {
      const { env, sent } = await startWebhookService(false);
      const stopAt = async (last: number) => {
        // Plain prompts need a real terminal.
        const start = last === 0 || 'ACCESSIBLE' in more ? startDialogue : startDialogueInProcess;
        const screen = start(['webhooks', 'setup'], { ...env, ...more });
        await answers(screen, QUESTIONS.slice(0, last));
        await screen.answer(QUESTIONS[last]?.[0] ?? '', key);
        expect(await screen.ended, screen.text()).toBe(130);
        expect(screen.text()).toMatch(/^svc: canceled; no endpoint was created$/m);
      };
      // Ctrl-D and plain prompts of the same kind use the same code, so they are tested at some
      // prompts only.
      const stops = QUESTIONS.keys().filter((at) => at % step === 0);
      const work = async () => {
        for (const last of stops) await stopAt(last);
      };
      await Promise.all([work(), work(), work()]);
      expect(sent('/endpoints/create')).toEqual([]);
      expect(sent('/advancedwebhookconfig/update')).toEqual([]);
    },
  );

  it('can be stopped while a receiver does not respond to a test request', SLOW, async () => {
    const { env, sent } = await startWebhookService(true);
    const silent = await target(() => undefined);
    for (const more of [{}, { ACCESSIBLE: '1' }]) {
      const screen = startDialogue(['webhooks', 'setup'], { ...env, ...more });
      await screen.answer('Endpoint URL', `${silent.url.href}\r`);
      await screen.answer('Send a test request', 'y\r');
      await screen.answer('waiting for a response', '\u0003');
      expect(await screen.ended, screen.text()).toBe(130);
      expect(screen.text()).toContain('svc: canceled; no endpoint was created');
    }
    expect(sent('/endpoints/create')).toEqual([]);
  });

  it('reports the created endpoint if its secret cannot be read', async () => {
    const { env } = await startMockService(({ path, body }) => {
      if (path.endsWith('/endpoints/get')) return success({ endpoints: [], done: true });
      if (path.endsWith('/advancedwebhookconfig/get'))
        return success({ ...ADVANCED_OFF, isEnabled: true });
      if (path.endsWith('/endpoints/create'))
        return success({ id: 'ep_1', disabled: false, ...TIME, ...body.data });
      return failure(403, 'PERMISSION_DENIED', 'Not allowed.');
    });
    const user = await newUser();
    const words = ['webhooks', 'setup', '--url', 'https://example.com/hook'];
    const screen = startDialogueInProcess(words, { ...user.env, ...env });
    await answers(screen, [
      ['Events to receive', '\r'],
      ['Create it?', 'y\r'],
    ]);
    expect(await screen.ended).toBe(4);
    expect(screen.text(500)).toContain(
      'Not allowed.; the endpoint ep_1 was created (PERMISSION_DENIED)\nhint: to delete it, run svc webhooks endpoints delete ep_1',
    );
  });

  it('reports that advanced webhooks are on if the endpoint could not be created', async () => {
    const { env } = await startMockService(({ path }) => {
      if (path.endsWith('/advancedwebhookconfig/get')) return success(ADVANCED_OFF);
      if (path.endsWith('/advancedwebhookconfig/update'))
        return success({ ...ADVANCED_OFF, isEnabled: true });
      return failure(400, 'INVALID_ARGUMENT', 'url must be a valid http(s) URL.');
    });
    const user = await newUser();
    const screen = startDialogueInProcess(
      ['webhooks', 'setup', '--url', 'https://example.com/hook'],
      { ...user.env, ...env },
    );
    await answers(screen, [
      ['Advanced webhooks are disabled', 'y\r'],
      ['Events to receive', '\r'],
      ['Create it?', 'y\r'],
    ]);
    expect(await screen.ended).toBe(3);
    expect(screen.text(500).replaceAll(/\s+/g, ' ')).toContain(
      'advanced webhooks are now enabled; to disable them again, run svc webhooks advanced update --disable',
    );
  });

  it('changes the events of an endpoint that has the URL already', async () => {
    const url = 'https://example.com/hook';
    const used = { id: 'ep_used', url, filterTypes: ['huddle.join'], disabled: false, ...TIME };
    const { env, sent } = await startWebhookService(true, [used]);
    const screen = startDialogueInProcess(['webhooks', 'setup', '--url', url], env);
    await answers(screen, [
      ['❯ Change the events of ep_used', '\r'],
      ['Events to receive', 'comment.add'],
      ['❯ [ ] comment.add', ' '],
      ['tab continues with the 2 selected', '\t'],
      ['Change ep_used?', '\r'],
    ]);
    await screen.ended;
    expect(sent('/endpoints/update')).toEqual([
      { endpointId: 'ep_used', filterTypes: ['huddle.join', 'comment.add'] },
    ]);
    expect(screen.text(500)).toContain(
      'svc webhooks endpoints update ep_used --filter-type huddle.join --filter-type comment.add',
    );
  });

  it('runs to the end with --dry-run and prints the request', async () => {
    const { env, received } = await startWebhookService(false);
    const screen = startDialogueInProcess(
      ['webhooks', 'setup', '--dry-run', '--url', 'https://example.com/hook'],
      env,
    );
    await screen.answer('Events to receive', '\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect(screen.text()).toContain('"url": "http://127.0.0.1:');
    expect(received).toEqual([]);
  });

  it('names the command to use without a terminal', async () => {
    const { svc } = await newUserInProcess();
    const setups = [
      [['webhooks', 'setup'], 'svc webhooks endpoints create --url https://example.com/hook'],
      [
        [
          'webhooks',
          'setup',
          '--local',
          '--filter-type',
          'comment.add',
          '--metadata',
          'a b=c',
          '--disabled',
        ],
        "svc --local webhooks endpoints create --url https://example.com/hook --filter-type comment.add --disabled --metadata 'a b=c'",
      ],
    ] as const;
    for (const [words, command] of setups) {
      expect(await svc(words)).toEqual({
        code: 2,
        stdout: '',
        stderr: `svc: this command is interactive and requires a terminal\nhint: non-interactive: ${command}\n`,
      });
    }
  });

  it.each([
    ['--url', 'nonsense', /^svc: --url: not a valid/],
    [
      '--filter-type',
      'coment.add',
      /^svc: unknown event type 'coment.add'\nhint: did you mean 'comment.add'\?/,
    ],
  ])('rejects an invalid %s before the first prompt', async (flag, value, message) => {
    const { env } = await startWebhookService(true);
    const screen = startDialogueInProcess(['webhooks', 'setup', flag, value], env);
    expect(await screen.ended).toBe(2);
    expect(screen.text()).toMatch(message);
  });

  it('asks for the name of a protected profile before it writes', async () => {
    const service = await startWebhookService(true);
    const { home, svc, sent } = service;
    await writeFile(join(home, 'token'), 'token-of-prod');
    const base = [
      '--base-url',
      service.env.SVC_BASE_URL ?? '',
      '--api-key',
      'key-1',
      '--auth-token-file',
      'token',
    ];
    const added = await svc([
      'profiles',
      'add',
      'prod',
      ...base,
      '--protected',
      '--insecure-storage',
      '--no-verify',
    ]);
    expect(added.code, added.stderr).toBe(0);
    const { SVC_BASE_URL: _, SVC_API_KEY: _key, SVC_AUTH_TOKEN: _token, ...env } = service.env;
    for (const [typed, code] of [
      ['\u0003', 130],
      ['prd\r', 2],
      ['prod\r', 0],
    ] as const) {
      const screen = startDialogueInProcess(
        ['webhooks', 'setup', '--url', 'https://example.com/hook'],
        env,
      );
      await answers(screen, [
        ['Events to receive', '\r'],
        ['Create it? (profile prod, 127.0.0.1', 'y\r'],
        ['Type the profile name', typed],
      ]);
      expect(await screen.ended, screen.text()).toBe(code);
      expect(sent('/endpoints/create')).toHaveLength(code === 0 ? 1 : 0);
    }
  });

  it('fits 40 columns', async () => {
    const { env, sent } = await startWebhookService(true);
    const screen = startDialogueInProcess(['webhooks', 'setup'], env, 40);
    const long = `https://example.com/${'long/'.repeat(12)}`;
    await answers(screen, [
      ['Endpoint URL', `${long}\r`],
      ['Send a test request', '\r'],
      ['Events to receive', 'custom_list'],
      ['Events to receive custom_list', '\r'],
      ['Continue with the 1 selected', '\r'],
      ['Create it?', 'y\r'],
    ]);
    expect(await screen.ended, screen.text()).toBe(0);
    expect(sent('/endpoints/create')).toMatchObject([
      { url: long, filterTypes: ['comment_annotation.custom_list_change'] },
    ]);
    const line = '─'.repeat(40);
    const lines = screen.text().trimEnd().split('\n');
    expect(lines.slice(lines.indexOf(line), lines.indexOf(line) + 7)).toEqual([
      line,
      'Signing secret: store it where your',
      'receiver can read it',
      SECRET,
      line,
      'Test the receiver:',
      '  svc webhooks endpoints secret ep_1 \\',
    ]);
    // Each prompt appears once, with its answer.
    for (const question of ['Endpoint URL', 'Events to receive', 'Create it']) {
      expect(screen.text().split(question)).toHaveLength(2);
    }
  });
});

describe('svc webhooks setup with all settings and --yes', () => {
  it('prints the secret as a field of the result if stdout is not a terminal, and no box', async () => {
    const { env, home } = await newUser();
    const words = ['--url', 'localhost:1/hook', ...ENDPOINT, '--yes'];
    const all = [process.execPath, BIN, 'webhooks', 'setup', '--local', ...words];
    const { ended, screen, kill } = startInTerminal(
      'sh',
      ['-c', '"$@" > "$HOME/result"', 'sh', ...all],
      { env },
    );
    onTestFinished(kill);
    expect(await ended, screen()).toBe(0);
    const result = await readFile(join(home, 'result'), 'utf8');
    expect(result).toMatch(/^url +http:\/\/localhost:1\/hook$/m);
    expect(result).toMatch(/^secret +whsec_[\w+/]{32}$/m);
    expect(`${result}${screen()}`.match(/whsec_/g)).toHaveLength(1);
    expect(screen()).not.toContain('╭');
  });
});

describe('svc webhooks snippet', () => {
  it('prints code that verifies what svc webhooks send sends', async () => {
    const { svc, home } = await newUserInProcess();
    const receiver = await target();
    await writeFile(join(home, 'secret'), SECRET);
    const sent = await svc([
      'webhooks',
      'send',
      'comment.add',
      '--url',
      receiver.url.href,
      '--secret-file',
      join(home, 'secret'),
    ]);
    expect(sent.code, sent.stderr).toBe(0);
    const { stdout } = await svc(['webhooks', 'snippet', '--lang', 'node']);
    await writeFile(
      join(home, 'verify.mjs'),
      stdout.slice(0, stdout.indexOf('import { createServer }')),
    );
    const { verifyDelivery } = await import(pathToFileURL(join(home, 'verify.mjs')).href);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    expect(verifyDelivery(Buffer.from(body), headers, SECRET)).toBe(true);
    expect(verifyDelivery(Buffer.from(`${body} `), headers, SECRET)).toBe(false);
  });

  it('asks for the language on a terminal, and requires --lang elsewhere', async () => {
    const { svc, env } = await newUserInProcess();
    expect(await svc(['webhooks', 'snippet'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'svc: --lang is required\nhint: known languages: node, python, go, ruby, php\n',
    });
    const screen = startDialogue(['webhooks', 'snippet'], env);
    await screen.answer('Language', `${DOWN.repeat(4)}\r`);
    expect(await screen.ended).toBe(0);
    expect(screen.text()).toContain('\n<?php\n');
  });
});

describe('an unknown event type', () => {
  it('is refused in flags and data of svc webhooks endpoints create, unless it is allowed', async () => {
    const { svc } = await newUserInProcess();
    const create = [
      'webhooks',
      'endpoints',
      'create',
      '--local',
      '--dry-run',
      '--url',
      'https://example.com/hook',
    ];
    const hint =
      "hint: did you mean 'comment.add'? --allow-unknown-event accepts unknown event types\n";
    const filter = ['--filter-type', 'coment.add'];
    const [inFlag, inData, allowed] = await Promise.all([
      svc([...create, ...filter]),
      svc([...create, '--data', '{"filterTypes":["coment.add"]}']),
      svc([...create, ...filter, '--allow-unknown-event']),
    ]);
    expect(inFlag).toEqual({
      code: 2,
      stdout: '',
      stderr: `svc: unknown event type 'coment.add'\n${hint}`,
    });
    expect(inData).toEqual({ ...inFlag, code: 3 });
    expect(JSON.parse(allowed.stdout).body.data.filterTypes).toEqual(['coment.add']);
    expect(allowed.stderr).toContain(
      "warning: 'coment.add' is not a known event type; did you mean 'comment.add'?",
    );
  });
});
