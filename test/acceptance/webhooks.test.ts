import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { hasPython } from '../python.ts';
import { SLOW } from '../slow.ts';
import { newSecret, send, signed, target } from '../webhooks/listener-fixture.ts';
import { newUserInProcess } from './in-process.ts';
import { BIN, type User } from './svc.ts';
import { startInTerminal, startTerminal } from './terminal.ts';

/** A running command, its output so far, and its end. */
function start(
  { env, home }: User,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const child = spawn(process.execPath, [BIN, ...words], { env: { ...env, ...more }, cwd: home });
  onTestFinished(() => void child.kill('SIGKILL'));
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    written.stdout += text;
  });
  child.stderr.on('data', (text) => {
    written.stderr += text;
  });
  return { child, written, ended: once(child, 'close').then(([code]) => code) };
}

/** Starts a listener and waits until it is ready. */
async function listen(
  user: User,
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const started = start(user, ['webhooks', 'listen', '--port', '0', ...words], more);
  const ready = () =>
    /\blistening on (http:\/\/127\.0\.0\.1:\d+)/.exec(started.written.stderr)?.[1];
  await eventually(() => expect(ready(), started.written.stderr).toBeDefined());
  return { ...started, url: ready() ?? '' };
}

async function secretFile({ home }: User) {
  const secret = newSecret();
  const path = join(home, 'secret');
  await writeFile(path, `${secret}\n`);
  return { secret, path };
}

async function serve(user: User) {
  const { child } = start(user, ['serve', '--port', '0', '-o', 'json']);
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url, apiKey, authToken } = JSON.parse(line);
  return { SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken };
}

const BODY = '{"event":"comment.add","data":{"text":"Grüße"}}';

describe('svc webhooks', () => {
  it('listens, prints, forwards, and exits after the given number of deliveries', async () => {
    const user = await newUserInProcess();
    const { secret, path } = await secretFile(user);
    const to = await target();
    const words = [
      '--secret-file',
      path,
      '--forward-to',
      to.url.href,
      '--exit-after',
      '2',
      '-o',
      'ndjson',
    ];
    const { url, written, ended } = await listen(user, words);
    expect((await send(url, BODY, signed(newSecret(), BODY))).status).toBe(401);
    expect((await send(url, BODY, signed(secret, BODY, 'msg_1'))).status).toBe(200);
    const sent = await user.svc([
      'webhooks',
      'send',
      'huddle.join',
      '--url',
      url,
      '--secret-file',
      path,
    ]);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(await ended).toBe(0);
    const lines = written.stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        id: 'msg_1',
        event: 'comment.add',
        form: 'advanced',
        verified: true,
        forwarded: { status: 200 },
      },
      { event: 'huddle.join', verified: true },
    ]);
    expect(to.received[0]?.body.toString()).toBe(BODY);

    const replayed = await user.svc([
      'webhooks',
      'replay',
      'msg_1',
      '--forward-to',
      to.url.href,
      '-o',
      'json',
    ]);
    expect(replayed.code).toBe(0);
    expect(to.received.map(({ headers }) => headers['webhook-id'])).toContain('msg_1');
    expect(to.received.length).toBe(3);
  });

  it.skipIf(!hasPython)(
    'forwards verifiable deliveries to a receiver in Python, and reports its failures',
    async () => {
      const user = await newUserInProcess();
      const { secret, path } = await secretFile(user);
      const python = spawn('python3', [join(import.meta.dirname, 'python-target.py')]);
      onTestFinished(() => void python.kill());
      python.stdin.write(`${secret}\n`);
      const [port] = await once(createInterface(python.stdout), 'line');
      const there = `http://127.0.0.1:${port}/hook`;
      const { url, written } = await listen(user, ['--secret-file', path, '--forward-to', there]);
      expect((await send(url, BODY, signed(secret, BODY))).status).toBe(200);
      expect(written.stdout).toMatch(/forwarded: 204\n$/);
      const direct = await user.svc([
        'webhooks',
        'send',
        'comment.add',
        '--url',
        there,
        '--secret-file',
        path,
      ]);
      expect(direct.code).toBe(0);
      const unsigned = await user.svc(['webhooks', 'send', 'comment.add', '--url', there]);
      expect(unsigned).toMatchObject({ code: 8, stderr: expect.stringContaining('HTTP 400') });
    },
  );

  it('verifies a saved delivery with exit code 0, or rejects it with 14', async () => {
    const user = await newUserInProcess();
    const { secret, path } = await secretFile(user);
    await writeFile(join(user.home, 'body'), BODY);
    await writeFile(join(user.home, 'headers'), JSON.stringify(signed(secret, BODY)));
    const words = [
      'webhooks',
      'verify',
      '--body',
      'body',
      '--headers',
      'headers',
      '--secret-file',
      path,
    ];
    const good = await user.svc(words);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(good.stdout)).toEqual(JSON.parse(BODY));
    await writeFile(join(user.home, 'body'), `${BODY} `);
    const bad = await user.svc([...words, '-o', 'json']);
    expect(bad).toMatchObject({ code: 14, stdout: '' });
    expect(JSON.parse(bad.stderr).error).toMatchObject({
      code: 'verification_failed',
      exitCode: 14,
    });
  });

  it(
    'exits with 130 after Ctrl-C and 143 after SIGTERM, even with a hanging target',
    SLOW,
    async () => {
      const user = await newUserInProcess();
      const { secret, path } = await secretFile(user);
      const silent = await target(() => undefined);
      const { url, child, written, ended } = await listen(user, [
        '--secret-file',
        path,
        '--forward-to',
        silent.url.href,
      ]);
      const cut = send(url, BODY, signed(secret, BODY)).catch(() => 'cut');
      await expect.poll(() => silent.received.length).toBe(1);
      child.kill('SIGINT');
      expect(await ended).toBe(130);
      expect(await cut).toBe('cut');
      expect(written.stderr).toContain('0 deliveries accepted\n');
      const idle = await listen(user, ['--secret-file', path]);
      idle.child.kill('SIGTERM');
      expect(await idle.ended).toBe(143);
    },
  );

  it('exits with 141 if the reader of its output exits', async () => {
    const user = await newUserInProcess();
    const { secret, path } = await secretFile(user);
    const { url, child, ended } = await listen(user, ['--secret-file', path]);
    child.stdout.destroy();
    await expect
      .poll(() =>
        send(url, BODY, signed(secret, BODY)).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .not.toBe(200);
    expect(await ended).toBe(141);
  });
});

/** Returns the memory use of a process in megabytes. */
async function readMemoryUse({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024) / 1e6;
}

describe.skipIf(process.platform !== 'linux')('svc webhooks listen without deliveries', () => {
  it.each([
    { words: ['--local'], most: 100 },
    { words: ['--insecure-skip-verify'], most: 85 },
  ])('uses less than $most MB with $words', async ({ words, most }) => {
    const { child } = await listen(await newUserInProcess(), words);
    await expect.poll(() => readMemoryUse(child)).toBeLessThan(most);
  });
});

describe('svc webhooks listen next to svc serve', () => {
  it('creates an endpoint, receives deliveries, and always deletes the endpoint', async () => {
    const user = await newUserInProcess();
    const env = await serve(user);
    const endpoints = async () => {
      const { stdout } = await user.svc(['webhooks', 'endpoints', 'list', '-o', 'json'], { env });
      return JSON.parse(stdout).map(({ url }: { url: string }) => url);
    };
    const killed = await listen(user, ['-o', 'ndjson'], env);
    expect(await endpoints()).toEqual([killed.url]);
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect((await endpoints()).length).toBe(1);

    const { url, child, written, ended } = await listen(user, ['-o', 'ndjson'], env);
    expect(await endpoints()).toEqual([url]);
    const crdt = [
      '--org',
      'acme',
      '--document',
      'd1',
      '--editor',
      'e1',
      '--type',
      'text',
      '--content',
      'hello',
    ];
    expect((await user.svc(['crdt', 'add', ...crdt], { env })).code).toBe(0);
    await expect.poll(() => written.stdout).toContain('crdt.update_data');
    expect(JSON.parse(written.stdout)).toMatchObject({ form: 'advanced', verified: true });
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(await endpoints()).toEqual([]);
  });
});

describe('svc webhooks listen --local', () => {
  it(
    'receives deliveries that another process sends through the embedded service',
    SLOW,
    async () => {
      const user = await newUserInProcess();
      const { written, child, ended } = await listen(user, ['--local', '-o', 'ndjson']);
      const sent = await user.svc([
        'webhooks',
        'send',
        'comment.add',
        '--via-service',
        '--local',
        '-o',
        'json',
      ]);
      expect(sent, sent.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(sent.stdout)).toMatchObject([{ event: 'comment.add', state: 'delivered' }]);
      expect(JSON.parse(written.stdout)).toMatchObject({
        event: 'comment.add',
        form: 'advanced',
        verified: true,
      });
      child.kill('SIGTERM');
      expect(await ended).toBe(143);
    },
  );
});

describe('svc serve and svc webhooks listen on terminals', () => {
  it('log requests, show latencies, replay, and restore the settings', SLOW, async () => {
    const user = await newUserInProcess();
    const service = startTerminal(['serve', '--port', '0'], user.env);
    onTestFinished(() => service.kill());
    await service.shows('Press Ctrl-C to stop.');
    const variables = Array.from(
      service.screen().matchAll(/export (SVC_\w+)=(\S+)/g),
      ([, name, value]) => [name, value],
    );
    const env = { ...user.env, ...Object.fromEntries(variables) };
    const to = await target();
    const listener = startTerminal(
      ['webhooks', 'listen', '--port', '0', '--forward-to', to.url.href],
      env,
    );
    onTestFinished(() => listener.kill());
    await listener.shows('press r to replay');
    expect(listener.screen()).toMatch(/signing secret of this machine: whsec_\S{32}/);
    expect(listener.screen()).toContain(
      'Enabled advanced webhooks; to disable them again, run svc webhooks advanced update',
    );
    listener.type('r');
    await listener.shows('no delivery to replay yet');

    const headers = { 'x-svc-api-key': env.SVC_API_KEY, 'x-svc-auth-token': env.SVC_AUTH_TOKEN };
    const data = {
      organizationId: 'acme',
      documentId: 'd1',
      editorId: 'e1',
      type: 'text',
      data: 'hello',
    };
    const response = await fetch(`${env.SVC_BASE_URL}/v2/crdt/add`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ data }),
    });
    expect(response.status, await response.text()).toBe(200);
    await listener.shows('forwarded: 200');
    listener.type('r');
    await listener.shows('replayed: 200');
    expect(listener.screen()).toMatch(
      /crdt\.update_data +advanced +d1 +[\d.]+ ms {2}forwarded: 200/,
    );
    expect(listener.raw()).toContain('\u001b[32mforwarded: 200\u001b[39m');
    expect(to.received.map(({ headers }) => headers['webhook-id']).length).toBe(2);

    listener.type('\u0003');
    await listener.shows('Disable advanced webhooks again?');
    expect(listener.screen()).toContain('1 delivery accepted, 1 replayed');
    listener.type('\r');
    expect(await listener.ended).toBe(130);
    expect(listener.screen()).toContain('Disabled advanced webhooks again');
    const lines = service.screen().split('\r\n');
    expect(lines).toContainEqual(
      expect.stringMatching(/^\d\d:\d\d:\d\d {2}POST {2}webhooks advanced update +200 +[\d.]+ ms$/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/POST {2}crdt add +200 +[\d.]+ ms$/));
    service.type('\u0003');
    expect(await service.ended).toBe(130);
  });

  it('leave the terminal alone in the background', async () => {
    const user = await newUserInProcess();
    const script = `set -m; ${process.execPath} ${BIN} webhooks listen --local --port 0 & echo pid $!; wait -n; echo ended`;
    const shell = startInTerminal('bash', ['-c', script], { env: user.env });
    onTestFinished(() => shell.kill());
    await shell.shows('pid ');
    // The background job leads a process group of its own.
    onTestFinished(
      () => void process.kill(Number(/pid (\d+)/.exec(shell.screen())?.[1]), 'SIGKILL'),
    );
    await shell.shows('Enabled advanced webhooks');
    expect(shell.screen()).not.toContain('press r');
    expect(shell.screen()).not.toContain('ended');
  });
});
