import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import type { SendFlags } from '../../../src/commands/webhooks/flags.ts';
import { sendCommand } from '../../../src/commands/webhooks/send.ts';
import { unpackBody } from '../../../src/webhooks/payload.ts';
import { borrowAuthority } from '../../client/certificates.ts';
import { listen } from '../../listen.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { newSecret, target } from '../../webhooks/listener-fixture.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

async function files(texts: Readonly<Record<string, string>>) {
  const folder = await createTemporaryFolder();
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  return (name: string) => join(folder, name);
}

async function sending(options: SendFlags, event = 'comment.add', world: FakeContextOptions = {}) {
  const context = await fakeContext({ ...world, options: { output: 'json', ...world.options } });
  const run = sendCommand(context, { arguments: [event], options });
  return { context, run };
}

describe('svc webhooks send', () => {
  it("sends a signed delivery that the standard's own package verifies, and prints the answer", async () => {
    const secret = newSecret();
    const file = await files({ secret: `${secret}\n` });
    const to = await target((response) => response.writeHead(202).end('thanks\u0007'));
    const { context, run } = await sending({ url: to.url.href, secretFile: file('secret') });
    await run;
    const [got] = to.received;
    const payload = new Webhook(secret).verify(
      got?.body.toString() ?? '',
      got?.headers as Record<string, string>,
    );
    expect(payload).toMatchObject({
      event: 'comment.add',
      actionType: 'added',
      data: { actionUser: { userId: 'u-ada' } },
    });
    expect(got?.headers['authorization']).toBeUndefined();
    expect(JSON.parse(context.stdout())).toMatchObject({
      event: 'comment.add',
      status: 202,
      answer: 'thanks\u0007',
    });
    expect(JSON.parse(context.stdout()).id).toBe(got?.headers['webhook-id']);
  });

  it('sends a basic delivery with its token, encoded', async () => {
    const token = randomBytes(12).toString('hex');
    const file = await files({ token });
    const to = await target();
    await (await sending({ url: to.url.href, authTokenFile: file('token'), encode: true })).run;
    expect(to.received[0]?.headers['authorization']).toBe(`Basic ${token}`);
    expect(unpackBody(String(to.received[0]?.body))).toMatchObject({
      kind: 'decoded',
      payload: { actionType: 'added', notificationSource: 'comment' },
    });
  });

  it('encrypts', async () => {
    const keys = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    const file = await files({ key: keys.publicKey, secret: newSecret() });
    const to = await target();
    await (await sending({ url: to.url.href, secretFile: file('secret'), encryptFor: file('key') }))
      .run;
    expect(unpackBody(String(to.received[0]?.body), keys.privateKey)).toMatchObject({
      kind: 'decrypted',
      payload: { event: 'comment.add' },
    });
  });

  it('sends a custom payload from a file or stdin, with --set values', async () => {
    const to = await target();
    const file = await files({ payload: '{"event":"mine","list":[1]}' });
    const set = ['list[1]={"a":2}', 'data.text=Hello'];
    await (await sending({ url: to.url.href, fromFile: file('payload'), set })).run;
    await (await sending({ url: to.url.href, fromFile: '-' }, 'comment.add', { stdin: '[]' })).run;
    expect(to.received.map(({ body }) => JSON.parse(body.toString()))).toEqual([
      { event: 'mine', list: [1, { a: 2 }], data: { text: 'Hello' } },
      [],
    ]);
  });

  it('exits with 8 unless the response is 2xx, and prints the response', async () => {
    const to = await target((response) => response.writeHead(307, { location: '/other' }).end());
    const { context, run } = await sending({ url: to.url.href });
    await expect(run).rejects.toMatchObject({
      failure: 'invalid_response',
      hint: expect.stringContaining('svc does not follow redirects'),
    });
    expect(JSON.parse(context.stdout())).toMatchObject({ status: 307 });
    expect(to.received.length).toBe(1);
    await expect((await sending({ url: 'http://127.0.0.1:1' })).run).rejects.toMatchObject({
      failure: 'unreachable',
      message: 'http://127.0.0.1:1/: connection refused',
    });
    const strange = await target((response) =>
      response.socket?.end('220 mail.example.com ESMTP\r\n'),
    );
    await expect((await sending({ url: strange.url.href })).run).rejects.toThrow(
      'the response is not HTTP',
    );
    const silent = await target(() => undefined);
    await expect(
      (await sending({ url: silent.url.href }, 'comment.add', { options: { timeout: 50 } })).run,
    ).rejects.toThrow('no response within 0.05 s');
  });

  it('trusts certificate authorities of --ca-file', async () => {
    const authority = await borrowAuthority();
    const server = createServer(await authority.issue('IP:127.0.0.1'), (_, response) =>
      response.end(),
    );
    const url = `https://${await listen(server)}/`;
    await expect((await sending({ url })).run).rejects.toMatchObject({ failure: 'unreachable' });
    const { context, run } = await sending({ url }, 'comment.add', {
      options: { caFile: authority.file },
    });
    await run;
    expect(JSON.parse(context.stdout())).toMatchObject({ status: 200 });
  });

  it('prints the request with a redacted token and sends nothing with --dry-run', async () => {
    const token = randomBytes(20).toString('hex');
    const file = await files({ token });
    const to = await target();
    const options = { url: to.url.href, authTokenFile: file('token') };
    const { context, run } = await sending(options, 'huddle.join', { options: { dryRun: true } });
    await run;
    expect(to.received).toEqual([]);
    expect(context.stdout()).not.toContain(token);
    expect(JSON.parse(context.stdout())).toMatchObject({
      method: 'POST',
      url: to.url.href,
      headers: { authorization: `Basic ****${token.slice(-4)}` },
      body: { actionType: 'join' },
    });
  });

  it('refuses an unknown event type, and sends one that is allowed with a warning', async () => {
    const to = await target();
    const refused = await sending({ url: to.url.href }, 'comment.ad');
    await expect(refused.run).rejects.toMatchObject({
      failure: 'usage',
      message: "unknown event type 'comment.ad'",
      hint: "did you mean 'comment.add'? --allow-unknown-event accepts unknown event types",
    });
    expect(to.received).toEqual([]);
    const { context, run } = await sending(
      { url: to.url.href, allowUnknownEvent: true },
      'comment.ad',
    );
    await run;
    expect(context.stderr()).toContain("did you mean 'comment.add'?");
    expect(JSON.parse(String(to.received[0]?.body))).toMatchObject({
      event: 'comment.ad',
      source: 'comment',
    });
  });

  it.each<[SendFlags, string]>([
    [{}, 'exactly one of --url and --via-service is required'],
    [{ url: 'http://x', viaService: true }, 'exactly one of --url and --via-service is required'],
    [{ url: 'ftp://x' }, 'must be an http or https URL'],
    [{ url: 'nonsense' }, 'must be an http or https URL'],
    [{ url: 'http://user:pass@host/' }, 'must not contain a user name or password'],
    [
      { url: 'http://x', form: 'basic', secretFile: 'f' },
      '--secret-file does not apply to basic deliveries, which are not signed',
    ],
    [{ url: 'http://x', form: 'advanced', authTokenFile: 'f' }, 'which carry no token'],
    [{ url: 'http://x', channel: ['a'] }, '--channel requires --via-service'],
    [{ viaService: true }, 'requires the embedded service'],
  ])('refuses %j', async (options, message) => {
    const { run } = await sending(options);
    await expect(run).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringContaining(message),
    });
  });
});

it.each(['', 'comment add', 'a\u001bb', 'x'.repeat(257)])(
  'rejects the event type %j',
  async (event) => {
    const { run } = await sending({ url: 'http://x' }, event);
    await expect(run).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringContaining('event type'),
    });
  },
);

describe('svc webhooks send --via-service', () => {
  it('delivers to matching endpoints as configured in the service', async () => {
    const { openEmbedded } = await import('../../../src/service/embedded.ts');
    const { resolveStoreLocation: storeLocation } = await import(
      '../../../src/service/store/location.ts'
    );
    const to = await target((response, count) => response.writeHead(count === 2 ? 500 : 200).end());
    const first = await sending(
      { viaService: true, set: ['data.actionUser.name=Eve'] },
      'comment.add',
      {
        options: { local: true },
      },
    );
    await expect(first.run).rejects.toMatchObject({ failure: 'failed_precondition' });
    const { folders, clock } = first.context;
    const service = await openEmbedded(await storeLocation(undefined, folders), { clock });
    const call = async (path: string, data: object) => {
      const { apiKey, authToken } = service.target.key;
      const headers = {
        'content-type': 'application/json',
        'x-svc-api-key': apiKey,
        'x-svc-auth-token': authToken,
      };
      const response = await service.fetch(`http://localhost${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ data }),
      });
      return JSON.parse(await response.text()).result.data;
    };
    await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    const endpoint = { url: to.url.href, channels: ['red'] };
    const { id: endpointId } = await call(
      '/v2/workspace/advancedwebhook/endpoints/create',
      endpoint,
    );
    const { secret } = await call('/v2/workspace/advancedwebhook/endpoints/secret/get', {
      endpointId,
    });
    await service.close();

    const options = { viaService: true, channel: ['red'], set: ['data.actionUser.name=Eve'] };
    const world = { folders, options: { local: true } };
    const { context, run } = await sending(options, 'comment.add', world);
    await run;
    expect(JSON.parse(context.stdout())).toMatchObject([
      {
        event: 'comment.add',
        endpointId,
        state: 'delivered',
        attempts: [{ status: 200, error: null }],
      },
    ]);
    const [got] = to.received;
    const payload = new Webhook(secret).verify(
      String(got?.body),
      got?.headers as Record<string, string>,
    );
    expect(payload).toMatchObject({ event: 'comment.add', data: { actionUser: { name: 'Eve' } } });

    const failed = await sending(options, 'comment.add', world);
    await expect(failed.run).rejects.toMatchObject({ failure: 'invalid_response' });
    const blue = await sending({ ...options, channel: ['blue'] }, 'comment.add', world);
    await expect(blue.run).rejects.toMatchObject({ failure: 'failed_precondition' });
    await (
      await sending(options, 'comment.add', { ...world, options: { local: true, dryRun: true } })
    ).run;
    expect(to.received.length).toBe(2);
    const wrong = await sending({ ...options, encode: true }, 'comment.add', world);
    await expect(wrong.run).rejects.toMatchObject({ failure: 'usage' });
  });
});
