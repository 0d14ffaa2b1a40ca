import { randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import stringWidth from 'string-width';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadResource } from '../../../src/catalog/index.ts';
import { requireData } from '../../../src/client/response-data.ts';
import { connect } from '../../../src/commands/connection/connect.ts';
import type { ListenFlags } from '../../../src/commands/webhooks/flags.ts';
import { createDeliveryOutput, listenCommand } from '../../../src/commands/webhooks/listen.ts';
import { sendCommand } from '../../../src/commands/webhooks/send.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import type { Format } from '../../../src/output/format.ts';
import { eventually } from '../../eventually.ts';
import { listen } from '../../listen.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { newSecret, send, signed, target } from '../../webhooks/listener-fixture.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

const BODY = JSON.stringify({
  event: 'comment.add',
  data: { metadata: { document: { documentId: 'd1\u001b[2J' } } },
});

/** A listening command with a secret, its address, and what ends it. */
async function listening(options: ListenFlags = {}, world: FakeContextOptions = {}) {
  const controller = new AbortController();
  const secret = newSecret();
  const file = join(await createTemporaryFolder(), 'secret');
  await writeFile(file, secret);
  const context = { ...(await fakeContext(world)), signal: controller.signal };
  const given = { port: '0', secretFile: [file], ...options };
  const run = listenCommand(context, { arguments: [], options: given });
  run.catch(() => undefined);
  const end = async () => {
    controller.abort(new SvcError('interrupted', 'stopped'));
    await run;
  };
  onTestFinished(() => end().catch(() => undefined));
  await Promise.race([run, eventually(() => expect(context.stderr()).toContain('listening on '))]);
  const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/m.exec(context.stderr())?.[1] ?? '';
  return { context, run, end, url, secret };
}

describe('svc webhooks listen', () => {
  it('prints one aligned line per event, without terminal control characters', async () => {
    const to = await target();
    const { context, url, secret, end } = await listening({ forwardTo: to.url.href });
    const join = JSON.stringify({ event: 'huddle.join' });
    await send(url, BODY, signed(secret, BODY));
    await send(url, join, signed(secret, join));
    await send(url, BODY, {});
    await expect(end()).rejects.toMatchObject({ failure: 'interrupted' });
    const [first = '', second = ''] = context.stdout().split('\n');
    expect(first).toMatch(/^\S+Z {2}comment\.add +advanced {2}d1\\u001b\[2J +forwarded: 200$/);
    expect(second.indexOf('advanced')).toBe(first.indexOf('advanced'));
    expect(context.stderr()).toContain('rejected: the delivery is not signed\n');
    expect(context.stderr()).toMatch(/2 deliveries accepted, 1 rejected\n$/);
  });

  it.each([
    [95, '12:00:00 comment.add d1\\u001b[2J 1.2 s \u001b[31mforwarded: 500\u001b[39m\n'],
    [
      96,
      '12:00:00  comment.add                 advanced  d1\\u001b[2J    1.2 s  \u001b[31mforwarded: 500\u001b[39m\n',
    ],
  ])('prints latencies and colors on a terminal with %i columns', async (columns, line) => {
    const context = await fakeContext({ answers: [] });
    const stdout = { ...context.io.stdout, columns };
    const output = await createDeliveryOutput({ ...context, io: { ...context.io, stdout } }, true);
    const delivery = {
      id: 'msg_1',
      event: 'comment.add',
      form: 'advanced',
      verified: true,
    } as const;
    const [receivedAt, payload] = ['2026-03-01T12:00:00.000Z', JSON.parse(BODY)];
    await output.show({
      ...delivery,
      receivedAt,
      payload,
      forwarded: { status: 500, milliseconds: 1_200 },
    });
    expect(context.stdout()).toBe(line);
  });

  it('fits the columns of a terminal, whatever the texts of a delivery are', async () => {
    for (const columns of [96, 100, 140]) {
      const context = await fakeContext({ answers: [], columns });
      const output = await createDeliveryOutput(context, true);
      for (const event of [
        'comment_annotation.suggestion_accept',
        'x'.repeat(200),
        '計画'.repeat(40),
      ])
        await output.show({
          id: 'msg_1',
          event,
          form: 'advanced',
          verified: false,
          receivedAt: '2026-03-01T12:00:00.000Z',
          payload: { data: { metadata: { documentId: 'd'.repeat(100) } } },
          forwarded: { status: null, milliseconds: 1_200, error: 'no response '.repeat(20) },
        });
      const lines = context.stdout().trimEnd().split('\n');
      expect(lines).toHaveLength(3);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines[0]).toMatch(/^12:00:00 {2}comment_…suggestion_accept /);
    }
  });

  it('shows the start of a response that rejects a delivery, without secrets and escaped', async () => {
    const context = await fakeContext({ answers: [], columns: 200 });
    const receivers = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(500).end(`\u001b[2J\nkey ${secret}`));
    });
    const {
      context: listener,
      url,
      secret,
      end,
    } = await listening(
      { forwardTo: `http://${await listen(receivers)}` },
      { options: { output: 'ndjson' } },
    );
    await send(url, BODY, signed(secret, BODY, 'msg_1'));
    const [line = ''] = listener.stdout().split('\n');
    const delivery = JSON.parse(line);
    expect(delivery.forwarded).toMatchObject({
      status: 500,
      body: `\u001b[2J\nkey ****${secret.slice(-4)}`,
    });
    await (await createDeliveryOutput(context, true)).show(delivery);
    expect(context.stdout()).toContain(`"\\u001b[2J key ****${secret.slice(-4)}"`);
    await end().catch(() => undefined);
  });

  it('-o ndjson prints one JSON line per event', async () => {
    const { context, url, secret, end } = await listening({}, { options: { output: 'ndjson' } });
    await send(url, BODY, signed(secret, BODY, 'msg_1'));
    const names = ['id', 'event', 'form', 'verified', 'receivedAt', 'forwarded', 'payload'];
    expect(Object.keys(JSON.parse(context.stdout()))).toEqual(names);
    expect(JSON.parse(context.stdout())).toMatchObject({
      id: 'msg_1',
      verified: true,
      forwarded: null,
    });
    await end().catch(() => undefined);
  });

  it('prints no summary if it could not start', async () => {
    const context = await fakeContext({ options: { output: 'json' } });
    const options = { port: '0', publicUrl: 'https://tunnel.example.com' };
    const run = listenCommand(context, { arguments: [], options });
    await expect(run).rejects.toMatchObject({ failure: 'no_credential' });
    expect(context.stdout() + context.stderr()).toBe('');
  });

  it.each([
    [{ host: '192.0.2.1' }, 'is not an address of this machine'],
    [{ record: import.meta.filename }, 'is not a folder'],
  ])('reports the problem of %j', async (options, message) => {
    const { run } = await listening(options).catch((error: unknown) => ({
      run: Promise.reject(error),
    }));
    await expect(run).rejects.toMatchObject({
      failure: 'local',
      message: expect.stringContaining(message),
    });
  });

  it.each<Format>(['json', 'yaml', 'csv'])(
    '-o %s prints one document at the end',
    async (output) => {
      const { context, url, secret, run } = await listening(
        { exitAfter: '2' },
        { options: { output } },
      );
      await send(url, BODY, signed(secret, BODY));
      expect(context.stdout()).toBe('');
      await send(url, BODY, signed(secret, BODY));
      await run;
      expect(context.stdout().match(/comment\.add/g)?.length).toBe(4);
      if (output === 'json') expect(JSON.parse(context.stdout()).length).toBe(2);
    },
  );

  it('--exit-after counts accepted deliveries, not rejected, duplicate, or unforwarded ones', async () => {
    const to = await target((response, count) => response.writeHead(count === 1 ? 500 : 200).end());
    const { url, secret, run, context } = await listening({
      exitAfter: '2',
      forwardTo: to.url.href,
    });
    const headers = signed(secret, BODY, 'msg_1');
    const statuses = [];
    for (const given of [{}, headers, headers, headers, signed(secret, BODY, 'msg_2')]) {
      statuses.push((await send(url, BODY, given as Record<string, string>)).status);
    }
    expect(statuses).toEqual([401, 502, 200, 200, 200]);
    await run;
    await expect(send(url, BODY, signed(secret, BODY))).rejects.toThrow();
    expect(context.stderr()).toMatch(
      /2 deliveries accepted, 1 not accepted by the target, 1 duplicate, 1 rejected\n$/,
    );
  });

  it('records to the state folder by default', async () => {
    const { context, url, secret } = await listening();
    await send(url, BODY, signed(secret, BODY));
    expect((await readdir(join(context.folders.state, 'webhooks'))).length).toBe(1);
    const without = await listening({ record: false });
    await send(without.url, BODY, signed(without.secret, BODY));
    await expect(readdir(without.context.folders.state)).rejects.toThrow('ENOENT');
  });

  it('fails if it cannot print or record', async () => {
    const folder = await createTemporaryFolder();
    const { url, secret, run, context } = await listening({ record: join(folder, 'in') });
    context.io.stdout.write = () => Promise.reject(new SvcError('stdout_closed', 'gone'));
    expect((await send(url, BODY, signed(secret, BODY))).status).toBe(500);
    await expect(run).rejects.toMatchObject({ failure: 'stdout_closed' });
  });

  it.each<[ListenFlags, string]>([
    [{ secretFile: undefined }, 'a secret or token is required to verify deliveries'],
    [{ insecureSkipVerify: true }, 'cannot be combined with --secret-file or --auth-token-file'],
    [{ forwardDecoded: true }, 'requires --forward-to'],
    [{ forwardTo: 'x' }, 'must be an http or https URL'],
    [{ port: '70000' }, '--port must be a number from 0 to 65535'],
    [{ exitAfter: '0' }, 'must be a whole number of at least 1'],
    [{ publicUrl: 'x' }, 'must be an http or https URL'],
  ])('refuses %j', async (options, message) => {
    await expect(listening(options)).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringContaining(message),
    });
  });

  it('rejects an address that is in use', async () => {
    const { url } = await listening();
    await expect(listening({ port: new URL(url).port })).rejects.toMatchObject({
      failure: 'local',
    });
  });
});

async function sendThroughService(folders: Folders, event: string): Promise<void> {
  const sender = await fakeContext({ folders, options: { local: true, output: 'json' } });
  await sendCommand(sender, { arguments: [event], options: { viaService: true } });
}

describe('svc webhooks listen --local', () => {
  it('creates a temporary endpoint, receives its deliveries, and deletes it', SLOW, async () => {
    const local = { options: { local: true, output: 'ndjson' as const } };
    const { context, run, end } = await listening({ secretFile: undefined, exitAfter: '2' }, local);
    expect(context.stderr()).toContain(
      'Enabled advanced webhooks; to disable them again, run svc --local',
    );
    const { folders } = context;
    for (const event of ['comment.add', 'huddle.join']) {
      const sender = await fakeContext({ folders, options: { local: true, output: 'json' } });
      await sendCommand(sender, { arguments: [event], options: { viaService: true } });
      expect(JSON.parse(sender.stdout())).toMatchObject([{ event, state: 'delivered' }]);
    }
    await run;
    const lines = context.stdout().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).event)).toEqual(['comment.add', 'huddle.join']);
    const sender = await fakeContext({ folders, options: { local: true } });
    const gone = sendCommand(sender, { arguments: ['comment.add'], options: { viaService: true } });
    await expect(gone).rejects.toMatchObject({ failure: 'failed_precondition' });
    await end().catch(() => undefined);
  });

  it("signs again with this machine's secret, which is the same at each start", async () => {
    const to = await target();
    const { folders } = await fakeContext();
    const secrets = [];
    for (const event of ['comment.add', 'huddle.join']) {
      const local = { folders, options: { local: true } };
      const { context, run } = await listening(
        { secretFile: undefined, exitAfter: '1', forwardTo: to.url.href },
        local,
      );
      const secret =
        /^signing secret of this machine: (whsec_\S{32})$/m.exec(context.stderr())?.[1] ?? '';
      await sendThroughService(folders, event);
      await run;
      const { headers, body } = to.received.at(-1) ?? { headers: {}, body: '' };
      expect(() =>
        new Webhook(secret).verify(body, headers as Record<string, string>),
      ).not.toThrow();
      secrets.push(secret);
    }
    expect(secrets[0]).toBe(secrets[1]);
    const printed = await fakeContext({ folders });
    await listenCommand(printed, { arguments: [], options: { printSecret: true } });
    expect([printed.stdout(), printed.stderr()]).toEqual([`${secrets[0]}\n`, '']);
  });

  it('signs again with the secret of --secret-file, and receives only the requested events', async () => {
    const to = await target();
    const options = {
      exitAfter: '1',
      forwardTo: to.url.href,
      events: ['huddle.*, crdt.update_data'],
    };
    const { context, run, secret } = await listening(options, { options: { local: true } });
    expect(context.stderr()).not.toContain('whsec_');
    await expect(sendThroughService(context.folders, 'comment.add')).rejects.toMatchObject({
      failure: 'failed_precondition',
    });
    await sendThroughService(context.folders, 'huddle.join');
    await run;
    const { headers, body } = to.received[0] ?? { headers: {}, body: '' };
    expect(() => new Webhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
  });

  it('uses an endpoint of the user that already delivers to it', async () => {
    const first = await listening({}, { options: { local: true } });
    const { port } = new URL(first.url);
    await first.end().catch(() => undefined);
    const { folders } = first.context;
    const local = await fakeContext({ folders, options: { local: true } });
    const { client, close } = await connect(local);
    const endpoints = await loadResource('webhook-endpoints');
    const { id } = requireData(
      await client.call(endpoints['webhooks.endpoints.create'], {
        url: `http://localhost:${port}/hook`,
      }),
    );
    const { secret } = requireData(
      await client.call(endpoints['webhooks.endpoints.secret'], { endpointId: id }),
    );
    const secretFile = [join(folders.state, 'secret')];
    await writeFile(secretFile[0] ?? '', secret);
    const second = await listening(
      { port, secretFile, exitAfter: '1' },
      { folders, options: { local: true } },
    );
    const { endpoints: found } = requireData(
      await client.call(endpoints['webhooks.endpoints.list'], {}),
    );
    expect(found.map((endpoint) => endpoint.id)).toEqual([id]);
    await close();
    await sendThroughService(folders, 'comment.add');
    await second.run;
    expect(second.context.stderr()).toContain('1 delivery accepted\n');
  });

  it('works without the service if a secret is given', async () => {
    const environment = {
      SVC_BASE_URL: 'http://127.0.0.1:1',
      SVC_API_KEY: 'k',
      SVC_AUTH_TOKEN: 't',
    };
    const { url, secret, context } = await listening({}, { environment });
    expect(context.stderr()).toContain(
      'warning: cannot create a temporary endpoint: cannot reach 127.0.0.1:1',
    );
    expect((await send(url, BODY, signed(secret, BODY))).status).toBe(200);
  });

  it('refuses unknown events unless they are allowed', async () => {
    const refused = listening({ events: ['comment.ad'] }, { options: { local: true } });
    await expect(refused).rejects.toMatchObject({
      failure: 'usage',
      message: "unknown event type 'comment.ad'",
      hint: expect.stringContaining("did you mean 'comment.add'?"),
    });
    const { url } = await listening(
      { events: ['comment.new'], allowUnknownEvent: true },
      { options: { local: true } },
    );
    expect(url).toMatch(/^http/);
  });

  it('disables advanced webhooks again with --restore, only if it enabled them', async () => {
    const { folders } = await fakeContext();
    const isEnabled = async () => {
      const local = await fakeContext({ folders, options: { local: true } });
      const { client, close } = await connect(local);
      const config = await loadResource('webhook-config');
      const { isEnabled } = requireData(await client.call(config['webhooks.advanced.get'], {}));
      await close();
      return isEnabled;
    };
    const run = async (restore?: boolean) => {
      const { end, context } = await listening(
        { secretFile: undefined, restore },
        { folders, options: { local: true } },
      );
      await end().catch(() => undefined);
      return context.stderr();
    };
    expect(await run(true)).toMatch(/Disabled advanced webhooks again\n$/);
    expect(await isEnabled()).toBe(false);
    expect(await run()).not.toContain('again\n');
    expect(await isEnabled()).toBe(true);
    expect(await run(true)).not.toContain('again\n');
    expect(await isEnabled()).toBe(true);
  });

  it('deletes the endpoint after Ctrl-C, and rejects deliveries with other secrets', async () => {
    const folders = (await fakeContext()).folders;
    const local = { folders, options: { local: true } };
    const first = await listening({ secretFile: undefined }, local);
    const other = randomBytes(8).toString('hex');
    expect((await send(first.url, BODY, { 'webhook-id': other })).status).toBe(401);
    await expect(first.end()).rejects.toMatchObject({ failure: 'interrupted' });
    const { openEmbedded } = await import('../../../src/service/embedded.ts');
    const { resolveStoreLocation: storeLocation } = await import(
      '../../../src/service/store/location.ts'
    );
    const service = await openEmbedded(await storeLocation(undefined, folders), {
      clock: first.context.clock,
    });
    const { apiKey, authToken } = service.target.key;
    const response = await service.fetch(
      'http://localhost/v2/workspace/advancedwebhook/endpoints/get',
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-svc-api-key': apiKey,
          'x-svc-auth-token': authToken,
        },
        body: '{"data":{}}',
      },
    );
    expect(JSON.parse(await response.text()).result.data.endpoints).toEqual([]);
    await service.close();
  });
});
