import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { ReplayFlags } from '../../../src/commands/webhooks/flags.ts';
import { replayCommand } from '../../../src/commands/webhooks/replay.ts';
import { openRecording, type RecordedDelivery } from '../../../src/webhooks/recording.ts';
import { createSignatureHeaders } from '../../../src/webhooks/signature.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { newSecret, target } from '../../webhooks/listener-fixture.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

const HOUR = 3_600_000;

/** Deliveries that were recorded so many hours ago, and what replays them. */
async function recorded(...hours: readonly number[]) {
  const folder = await createTemporaryFolder();
  const [secret, token] = [newSecret(), randomBytes(16).toString('hex')];
  await writeFile(join(folder, 'secret'), secret);
  await writeFile(join(folder, 'token'), token);
  const recording = await openRecording(join(folder, 'webhooks'));
  for (const [at, ago] of hours.entries()) {
    const id = `msg_${at}`;
    const time = Date.now() - ago * HOUR;
    const body = `{"event":"comment.add", "n":${at}}`;
    const signed = createSignatureHeaders(secret, { id, timestamp: Math.floor(time / 1000), body });
    const headers: [string, string][] = [
      ['Host', 'there'],
      ['X-Kept', 'yes'],
      ...Object.entries(signed),
    ];
    await recording.add(delivery({ id, body, headers, receivedAt: new Date(time).toISOString() }));
  }
  await recording.add(
    delivery({ id: 'wh_1', form: 'basic', event: 'huddle.join', body: '{"n":"basic"}' }),
  );
  const replay = async (
    words: readonly string[],
    options: ReplayFlags,
    world: FakeContextOptions = {},
  ) => {
    const context = await fakeContext({ ...world, options: { output: 'json', ...world.options } });
    const run = replayCommand(context, {
      arguments: words,
      options: { record: join(folder, 'webhooks'), ...options },
    });
    return { context, run };
  };
  return { secret, token, replay, file: (name: string) => join(folder, name) };
}

function delivery(change: Partial<RecordedDelivery>): RecordedDelivery {
  const base = {
    id: 'x',
    event: 'comment.add',
    form: 'advanced',
    verified: true,
    path: '/',
    headers: [],
    body: '{}',
  };
  return { ...base, receivedAt: new Date().toISOString(), ...change } as RecordedDelivery;
}

describe('svc webhooks replay', () => {
  it('sends the original bytes and headers, and warns about expired timestamps', async () => {
    const { replay } = await recorded(3);
    const to = await target();
    const { context, run } = await replay(['msg_0'], { forwardTo: to.url.href });
    await run;
    expect(to.received[0]?.body.toString()).toBe('{"event":"comment.add", "n":0}');
    expect(to.received[0]?.headers).toMatchObject({
      'x-kept': 'yes',
      'webhook-id': 'msg_0',
      host: to.url.host,
    });
    expect(JSON.parse(context.stdout())).toMatchObject([
      { id: 'msg_0', event: 'comment.add', status: 200, error: null },
    ]);
    expect(context.stderr()).toContain('1 delivery sent with a timestamp older than 5 minutes');
  });

  it('renews signatures and tokens on request', async () => {
    const { replay, secret, token, file } = await recorded(3);
    const to = await target();
    const options = {
      forwardTo: to.url.href,
      since: '5h',
      resign: true,
      secretFile: file('secret'),
    };
    const { context, run } = await replay([], { ...options, authTokenFile: file('token') });
    await run;
    const [advanced, basic] = to.received;
    new Webhook(secret).verify(String(advanced?.body), advanced?.headers as Record<string, string>);
    expect(advanced?.headers['webhook-id']).toBe('msg_0');
    expect(basic?.headers['authorization']).toBe(`Basic ${token}`);
    expect(context.stderr()).toBe('');
  });

  it('strips credentials from recordings of earlier versions', async () => {
    const { replay, file } = await recorded(1);
    const headers = [
      ['X-Api-Key', 'secret-1'],
      ['authorization', 'Basic secret-2'],
      ['x-hook-token', 'secret-3'],
    ];
    const name = '20260101T000000000Z-00000000-msg_old.json';
    const record = {
      ...delivery({ id: 'msg_old' }),
      headers: [...headers, ['webhook-id', 'msg_old'], ['X-Kept', 'yes']],
    };
    await writeFile(join(file('webhooks'), name), JSON.stringify(record));
    const to = await target();
    await (await replay(['msg_old'], { forwardTo: to.url.href })).run;
    expect(to.received[0]?.headers).toMatchObject({ 'webhook-id': 'msg_old', 'x-kept': 'yes' });
    expect(JSON.stringify(to.received[0]?.headers)).not.toContain('secret-');
  });

  it('selects by time, in order of receipt, and by route', async () => {
    const { replay } = await recorded(5, 3, 1);
    const to = await target();
    const options = { since: '4h', route: [`comment.*=${to.url.href}`] };
    const { context, run } = await replay([], options);
    await run;
    expect(to.received.map(({ headers }) => headers['webhook-id'])).toEqual(['msg_1', 'msg_2']);
    expect(context.stderr()).toContain('1 delivery skipped: no matching --route');
  });

  it('exits with 10 if a target rejects a delivery, and prints all results', async () => {
    const { replay } = await recorded(1, 1);
    const to = await target((response, count) => response.writeHead(count === 1 ? 503 : 200).end());
    const { context, run } = await replay(['msg_0', 'msg_1'], { forwardTo: to.url.href });
    await expect(run).rejects.toMatchObject({
      failure: 'records_failed',
      message: '1 of 2 deliveries failed',
    });
    expect(JSON.parse(context.stdout()).map(({ status }: { status: number }) => status)).toEqual([
      503, 200,
    ]);
  });

  it('sends nothing for an unknown ID, or with --dry-run', async () => {
    const { replay, file, token } = await recorded(1);
    const to = await target();
    const { run } = await replay(['msg_0', 'msg_9'], { forwardTo: to.url.href });
    await expect(run).rejects.toMatchObject({
      failure: 'not_found',
      message: expect.stringContaining('msg_9'),
    });
    const options = { forwardTo: to.url.href, authTokenFile: file('token') };
    const dry = await replay(['wh_1'], options, { options: { dryRun: true } });
    await dry.run;
    expect(JSON.parse(dry.context.stdout())).toMatchObject({
      method: 'POST',
      body: { n: 'basic' },
    });
    expect(dry.context.stdout()).not.toContain(token);
    expect(to.received).toEqual([]);
  });

  it('lists the recorded deliveries', async () => {
    const { replay } = await recorded(2, 1);
    const { context, run } = await replay([], { list: true });
    await run;
    expect(JSON.parse(context.stdout()).map(({ id }: { id: string }) => id)).toEqual([
      'msg_0',
      'msg_1',
      'wh_1',
    ]);
  });

  it.each([
    [{ forwardTo: 'http://x' }, 'delivery IDs or --since is required'],
    [{ since: '2h' }, '--forward-to or --route is required'],
    [{ since: 'soon', forwardTo: 'http://x' }, "--since must be a duration or a time, got 'soon'"],
    [
      { since: '2h', forwardTo: 'http://x', resign: true },
      '--resign and --secret-file must be used together',
    ],
    [{ since: '2h', route: ['x'] }, '--route must be pattern=url'],
    [{ since: '2h', route: ['a b=http://x'] }, '--route must start with a pattern of event types'],
  ])('refuses %j', async (options, message) => {
    const { replay } = await recorded();
    const { run } = await replay([], options);
    await expect(run).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringContaining(message),
    });
  });
});
