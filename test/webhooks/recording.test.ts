import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  openRecording,
  type RecordedDelivery,
  readRecordedDeliveries,
} from '../../src/webhooks/recording.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { listening, send, signed } from './listener-fixture.ts';

const START = Date.parse('2026-03-01T12:00:00Z');

const CREDENTIAL_HEADERS = [
  'authorization',
  'Proxy-Authorization',
  'Cookie',
  'Set-Cookie',
  'X-Api-Key',
  'x-apikey',
  'api_key',
  'X-Auth',
  'x-svc-api-key',
  'x-svc-auth-token',
  'X-Gitlab-Token',
  'x-amz-security-token',
  'cf-access-client-secret',
  'x-session-id',
  'x-password',
  'x-functions-key',
  'cf-access-jwt-assertion',
  'X-Original-Authorization',
];

/** The `at`-th of many deliveries, one minute apart. */
function delivery(at: number, change: Partial<RecordedDelivery> = {}): RecordedDelivery {
  return {
    id: `msg_${at}`,
    event: 'comment.add',
    form: 'advanced',
    verified: true,
    path: '/',
    receivedAt: new Date(START + at * 60_000).toISOString(),
    headers: [['webhook-id', `msg_${at}`]],
    body: '{"text":"Grüße"}',
    ...change,
  };
}

async function read(folder: string, wanted = {}) {
  const damaged: string[] = [];
  const found: RecordedDelivery[] = [];
  for await (const one of readRecordedDeliveries(
    folder,
    wanted,
    async (name) => void damaged.push(name),
  ))
    found.push(one);
  return { found, ids: found.map(({ id }) => id), damaged };
}

describe('a recording', () => {
  it('returns recorded deliveries by ID and time, from private files', async () => {
    const folder = join(await createTemporaryFolder(), 'a', 'b');
    const recording = await openRecording(folder);
    for (const at of [0, 1, 2]) await recording.add(delivery(at));
    const { found, ids } = await read(folder);
    expect(found).toEqual([0, 1, 2].map((at) => delivery(at)));
    expect(ids).toEqual(['msg_0', 'msg_1', 'msg_2']);
    expect((await read(folder, { since: START + 60_000 })).ids).toEqual(['msg_1', 'msg_2']);
    expect((await read(folder, { ids: ['msg_2', 'msg_9'] })).ids).toEqual(['msg_2']);
    const [name = ''] = await readdir(folder);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it.each(['CON', 'nul.txt', 'a:b|c?d*"<>', 'ends.', '../up', 'x'.repeat(500)])(
    'gives a delivery %s a file whose name every system takes',
    async (id) => {
      const folder = await createTemporaryFolder();
      await (await openRecording(folder)).add(delivery(0, { id }));
      const [name = ''] = await readdir(folder);
      expect(name).toMatch(/^\d{8}T\d{9}Z-[\w-]{1,110}\.json$/);
      expect((await read(folder)).ids).toEqual([id]);
    },
  );

  it('contains no credentials', async () => {
    const folder = await createTemporaryFolder();
    const headers: [string, string][] = [
      ['Authorization', 'Basic secret-1'],
      ['cookie', 'secret-2'],
      ...CREDENTIAL_HEADERS.map((name, at): [string, string] => [name, `secret-${at + 3}`]),
      ['X-Kept', 'yes'],
    ];
    await (await openRecording(folder)).add(delivery(0, { headers, form: 'basic' }));
    const [name = ''] = await readdir(folder);
    const text = await readFile(join(folder, name), 'utf8');
    expect(text).not.toMatch(/secret-/);
    expect(text).toContain('X-Kept');
  });

  it('keeps the headers that verify or identify a delivery', async () => {
    const folder = await createTemporaryFolder();
    const names = [
      'Webhook-Id',
      'webhook-timestamp',
      'webhook-signature',
      'X-Hub-Signature-256',
      'content-type',
    ];
    const headers = [...names, 'idempotency-key', 'X-Event-Key', 'x-author', 'x-request-id'].map(
      (name) => [name, 'v'],
    );
    await (await openRecording(folder)).add(
      delivery(0, { headers: headers as [string, string][] }),
    );
    expect((await read(folder)).found[0]?.headers).toEqual(headers);
  });

  it('of an earlier version is read without its credentials', async () => {
    const folder = await createTemporaryFolder();
    await (await openRecording(folder)).add(delivery(0));
    const [name = ''] = await readdir(folder);
    const headers = [
      ...CREDENTIAL_HEADERS.map((header) => [header, 'secret-1']),
      ['webhook-id', 'msg_0'],
    ];
    await writeFile(join(folder, name), JSON.stringify({ ...delivery(0), headers }));
    expect((await read(folder)).found[0]?.headers).toEqual([['webhook-id', 'msg_0']]);
  });

  it('deletes the oldest deliveries when it is full, by number or bytes, and no other files', async () => {
    const folder = await createTemporaryFolder();
    await writeFile(join(folder, 'notes.json'), 'mine');
    const recording = await openRecording(folder, { deliveries: 3, bytes: 1e9 });
    for (const at of [0, 1, 2, 3, 4]) await recording.add(delivery(at));
    expect((await read(folder)).ids).toEqual(['msg_2', 'msg_3', 'msg_4']);
    const again = await openRecording(folder, { deliveries: 100, bytes: 1300 });
    await again.add(delivery(5, { body: JSON.stringify('x'.repeat(1000)) }));
    expect((await read(folder)).ids).toEqual(['msg_5']);
    expect(await readFile(join(folder, 'notes.json'), 'utf8')).toBe('mine');
  });

  it('keeps the last attempt of a signed delivery, and every basic delivery', async () => {
    const folder = await createTemporaryFolder();
    const recording = await openRecording(folder, { deliveries: 4, bytes: 1e9 });
    await recording.add(delivery(0));
    await recording.add(delivery(1, { id: 'msg_0' }));
    for (const at of [2, 3]) await recording.add(delivery(at, { id: 'wh_1', form: 'basic' }));
    const { found } = await read(folder);
    expect(found.map(({ receivedAt }) => Date.parse(receivedAt) - START)).toEqual([
      60_000, 120_000, 180_000,
    ]);
  });

  it.each(['../../etc/x', 'a/b', '.', '', 'ü', '__proto__', 'x'.repeat(300)])(
    'accepts the ID %j',
    async (id) => {
      const folder = join(await createTemporaryFolder(), 'in');
      await (await openRecording(folder)).add(delivery(0, { id }));
      expect((await read(folder, { ids: [id] })).ids).toEqual([id]);
      expect((await readdir(folder)).length).toBe(1);
    },
  );

  it('reports a damaged file and continues', async () => {
    const folder = await createTemporaryFolder();
    const recording = await openRecording(folder);
    for (const at of [0, 1]) await recording.add(delivery(at));
    const [first = ''] = (await readdir(folder)).sort();
    await writeFile(join(folder, first), '{"id":"msg_0",');
    expect(await read(folder)).toMatchObject({ ids: ['msg_1'], damaged: [first] });
  });

  it('is empty if the folder does not exist, and rejects a file in its place', async () => {
    const folder = await createTemporaryFolder();
    expect((await read(join(folder, 'none'))).ids).toEqual([]);
    await mkdir(join(folder, 'x'));
    await writeFile(join(folder, 'file'), '');
    await expect(openRecording(join(folder, 'file'))).rejects.toMatchObject({ failure: 'local' });
  });
});

it('a listener records the original bytes before it forwards', async () => {
  const folder = await createTemporaryFolder();
  const gone = new URL('http://127.0.0.1:1/');
  const { url, secret } = await listening({
    recording: await openRecording(folder),
    forwarding: { defaultTarget: gone },
  });
  const body = '{ "event":"comment.add",\n"x":"\\u00fc ü" }';
  expect((await send(`${url}/some/path?q=1`, body, signed(secret, body, 'msg_1'))).status).toBe(
    502,
  );
  expect((await send(url, body, { 'webhook-id': 'msg_2' })).status).toBe(401);
  const { found } = await read(folder);
  expect(found).toMatchObject([
    { id: 'msg_1', event: 'comment.add', body, path: '/some/path?q=1', verified: true },
  ]);
});
