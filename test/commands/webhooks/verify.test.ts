import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { VerifyFlags } from '../../../src/commands/webhooks/flags.ts';
import { verifyCommand } from '../../../src/commands/webhooks/verify.ts';
import { openRecording } from '../../../src/webhooks/recording.ts';
import { createSignatureHeaders } from '../../../src/webhooks/signature.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { newSecret, unixNow } from '../../webhooks/listener-fixture.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

const BODY = '{"event":"comment.add","n":1.0}';

/** A folder with the files of one delivery, and what checks it. */
async function saved(change: { headers?: string; body?: string; signed?: string } = {}) {
  const folder = await createTemporaryFolder();
  const [secret, token] = [newSecret(), randomBytes(16).toString('hex')];
  const signedAt = unixNow();
  const headers = createSignatureHeaders(secret, {
    id: 'msg_1',
    timestamp: signedAt,
    body: change.signed ?? BODY,
  });
  const files = {
    body: change.body ?? change.signed ?? BODY,
    headers: change.headers ?? JSON.stringify(headers),
    secret: `${secret}\n`,
    other: newSecret(),
    token,
  };
  const paths = Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, name)]));
  for (const [name, text] of Object.entries(files)) await writeFile(paths[name] ?? '', text);
  const verify = async (
    options: VerifyFlags,
    world: FakeContextOptions = {},
    words: string[] = [],
  ) => {
    const context = await fakeContext({ ...world, cwd: folder });
    const given = words.length > 0 ? {} : { body: 'body', headers: 'headers' };
    await verifyCommand(context, { arguments: words, options: { ...given, ...options } });
    return context;
  };
  return {
    folder,
    headers,
    signedAt,
    token,
    secret,
    paths: paths as Record<keyof typeof files, string>,
    verify,
  };
}

/** Headers as other programs save them, from lines of `name: value`. */
const SAVED_HEADERS: Readonly<
  Record<string, (headers: Readonly<Record<string, string>>) => string>
> = {
  'curl -v': (headers) =>
    [
      '* Connected to 127.0.0.1 (127.0.0.1) port 8080',
      '> POST /hook HTTP/1.1',
      '> Host: 127.0.0.1:8080',
      ...Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`),
      '> ',
      '} [31 bytes data]',
      '* upload completely sent off: 31 bytes',
      '< HTTP/1.1 200 OK',
      '< webhook-id: of the response',
      '{ [2 bytes data]',
    ].join('\r\n'),
  'curl -v with a page as the response': (headers) =>
    [
      '> POST /hook HTTP/1.1',
      ...Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`),
      '>',
      '< HTTP/1.1 500',
      '<',
      '<html>',
      '>quoted',
      '</html>',
    ].join('\n'),
  'curl -v of a request for the delivery': (headers) =>
    [
      '> GET /last HTTP/2',
      '> accept: */*',
      '>',
      '< HTTP/2 200',
      ...Object.entries(headers).map(([name, value]) => `< ${name}: ${value}`),
      '<',
    ].join('\n'),
  'curl -i': (headers) =>
    ['HTTP/1.1 200 OK', ...Object.entries(headers).map(([n, v]) => `${n}: ${v}`), ''].join('\r\n'),
  'the headers of a HAR request': (headers) => JSON.stringify(toHarHeaders(headers)),
  'a HAR request': (headers) => JSON.stringify({ method: 'POST', headers: toHarHeaders(headers) }),
  'a HAR entry': (headers) => JSON.stringify({ request: { headers: toHarHeaders(headers) } }),
  'a HAR file': (headers) =>
    JSON.stringify({
      log: {
        version: '1.2',
        entries: [
          { request: { method: 'GET', headers: [{ name: 'accept', value: '*/*' }] } },
          { request: { method: 'POST', headers: toHarHeaders(headers) } },
        ],
      },
    }),
};

const toHarHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

describe('headers that another program saved', () => {
  it.each(Object.entries(SAVED_HEADERS))('verify a delivery: %s', async (_, format) => {
    const { headers, paths, verify } = await saved();
    await writeFile(
      paths.headers,
      format(Object.fromEntries(Object.entries(headers)) as Record<string, string>),
    );
    const context = await verify({ secretFile: [paths.secret] });
    expect(JSON.parse(context.stdout())).toEqual({ event: 'comment.add', n: 1 });
  });

  it('are refused if an archive has several signed requests', async () => {
    const { headers, paths, verify } = await saved();
    const entry = {
      request: { headers: toHarHeaders(headers as unknown as Record<string, string>) },
    };
    await writeFile(paths.headers, JSON.stringify({ log: { entries: [entry, entry] } }));
    await expect(verify({ secretFile: [paths.secret] })).rejects.toMatchObject({
      failure: 'invalid_input',
      message: 'headers: the archive must contain one signed request, found 2',
    });
  });
});

describe('svc webhooks verify', () => {
  it('prints the payload of a valid delivery', async () => {
    const { verify, paths } = await saved();
    const context = await verify({ secretFile: [paths.other, paths.secret] });
    expect(JSON.parse(context.stdout())).toEqual({ event: 'comment.add', n: 1 });
  });

  it('prints numbers exactly as in the body', async () => {
    const signed =
      '{"long":12345678901234567890,"list":[1.0,-0.10,1e999],"neg":-12345678901234567890}';
    const { verify, paths } = await saved({ signed });
    const printed = async (
      output: 'json' | 'ndjson' | 'csv' | 'yaml' | 'table',
      fields?: string[],
    ) =>
      (
        await verify(
          { secretFile: [paths.secret] },
          { options: { output, ...(fields && { fields }) } },
        )
      ).stdout();
    expect(await printed('ndjson')).toBe(`${signed}\n`);
    for (const output of ['json', 'table'] as const)
      expect((await printed(output)).replace(/\s/g, '')).toBe(signed);
    expect(await printed('csv', ['long', 'neg'])).toBe(
      'long,neg\r\n12345678901234567890,-12345678901234567890\r\n',
    );
    expect(await printed('table', ['neg', 'long'])).toMatch(
      /neg +-12345678901234567890\nlong +12345678901234567890/,
    );
    expect(await printed('yaml')).toContain('long: 12345678901234567890\n');
  });

  it('rejects a payload that is nested too deeply to print', async () => {
    const { verify, paths } = await saved({
      signed: `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
    });
    await expect(verify({ secretFile: [paths.secret] })).rejects.toMatchObject({
      failure: 'verification_failed',
      message: expect.stringContaining('the body is nested more than 100 levels deep'),
    });
  });

  it('reads headers as tools print them', async () => {
    const { headers, paths, folder, verify } = await saved();
    const lines = Object.entries(headers).map(
      ([name, value]) => `${name.toUpperCase()}:  ${value} `,
    );
    for (const end of ['\n', '\r\n']) {
      await writeFile(
        join(folder, 'headers'),
        ['POST /hook HTTP/1.1', 'Host: x', ...lines, ''].join(end),
      );
      expect((await verify({ secretFile: [paths.secret] })).stdout()).toContain('comment.add');
    }
  });

  it.each([
    [{}, 'no signature matches: the secret is different'],
    [{ body: `${BODY}\n` }, 'no signature matches'],
    [{ headers: '{}' }, 'the delivery is not signed'],
    [{ headers: '{"webhook-id":["a","b"]}' }, 'the header webhook-id appears 2 times'],
  ])('prints why a delivery is invalid: %j', async (change, reason) => {
    const { verify, paths } = await saved(change);
    await expect(verify({ secretFile: [paths.other] })).rejects.toMatchObject({
      failure: 'verification_failed',
      message: expect.stringContaining(reason),
    });
  });

  it('verifies as of the given time', async () => {
    const { verify, paths, signedAt } = await saved();
    const secretFile = [paths.secret];
    await expect(verify({ secretFile, at: String(signedAt + 301) })).rejects.toThrow(
      'the timestamp is 301 s old',
    );
    expect((await verify({ secretFile, at: new Date().toISOString() })).stdout()).toContain(
      'comment.add',
    );
    await expect(verify({ secretFile, at: 'yesterday' })).rejects.toMatchObject({
      failure: 'usage',
    });
  });

  it('accepts the token of a basic delivery', async () => {
    const { verify, paths, token, folder } = await saved();
    await writeFile(join(folder, 'headers'), `authorization: Basic ${token}`);
    expect((await verify({ authTokenFile: paths.token })).stdout()).toContain('comment.add');
    await expect(verify({ authTokenFile: paths.other })).rejects.toThrow(
      'the token does not match',
    );
  });

  it('reads recordings of webhooks listen', async () => {
    const { verify, paths, headers, folder } = await saved();
    const recording = await openRecording(join(folder, 'recorded'));
    const receivedAt = new Date().toISOString();
    const head = {
      id: 'msg_1',
      event: 'comment.add',
      form: 'advanced',
      verified: true,
      receivedAt,
      path: '/',
    } as const;
    await recording.add({ ...head, headers: Object.entries(headers), body: BODY });
    const [name = ''] = await (await import('node:fs/promises')).readdir(join(folder, 'recorded'));
    const context = await verify({ secretFile: [paths.secret] }, {}, [join('recorded', name)]);
    expect(context.stdout()).toContain('comment.add');
    await expect(verify({ secretFile: [paths.secret] }, {}, ['body'])).rejects.toMatchObject({
      failure: 'invalid_input',
    });
  });

  it('reads the body from stdin, byte for byte', async () => {
    const { verify, paths } = await saved();
    const context = await verify({ secretFile: [paths.secret], body: '-' }, { stdin: BODY });
    expect(context.stdout()).toContain('comment.add');
  });

  it.each([
    ['nothing to verify with', {}, /a secret or token is required to verify the delivery/],
    ['no such file', { body: 'bodi', secretFile: 'secret' }, /file not found: bodi/],
    ['both from stdin', { body: '-', headers: '-', secretFile: 'secret' }, /only one of/],
  ])('refuses %s', async (_, options: Record<string, string>, message) => {
    const { verify, paths } = await saved();
    const given = 'secretFile' in options ? { ...options, secretFile: [paths.secret] } : options;
    await expect(verify(given)).rejects.toMatchObject({
      failure: 'usage',
      message: expect.stringMatching(message),
    });
  });

  it('does not print the content of an invalid secret file', async () => {
    const { verify, folder } = await saved();
    await writeFile(join(folder, 'bad'), 'not a secret at all');
    await expect(verify({ secretFile: [join(folder, 'bad')] })).rejects.toMatchObject({
      failure: 'invalid_input',
      message: expect.not.stringContaining('at all'),
    });
  });

  it.each(['one: a\ntwo', ': x', '{"a":'])('refuses the headers %j', async (headers) => {
    const { verify, paths } = await saved({ headers });
    await expect(verify({ secretFile: [paths.secret] })).rejects.toMatchObject({
      failure: 'invalid_input',
    });
  });
});
