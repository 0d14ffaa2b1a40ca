import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { borrowAuthority } from '../client/certificates.ts';
import { listen } from '../listen.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';

const CREDENTIALS = { SVC_API_KEY: 'key-1', SVC_AUTH_TOKEN: 'token-of-the-key-0001' };
/** Heap limit of a command. A fully parsed hostile response does not fit. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=200' };

/** Creates a service that always sends the same text and reports when a response was sent. */
async function startTextService(text: string) {
  const body = Buffer.from(text);
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(body, () => server.emit('answered')));
  });
  return {
    server,
    env: { ...CREDENTIALS, ...SMALL_HEAP, SVC_BASE_URL: `http://${await listen(server)}` },
  };
}

const successText = (data: string) =>
  `{"result":{"status":"success","message":"done","data":${data}}}`;
const MANY = 4_000_000;
const EMPTY_OBJECTS = `[${'{},'.repeat(MANY)}{}]`;
const LISTS = {
  'a list of empty records': successText(EMPTY_OBJECTS),
  'a page of empty records': successText(
    `{"done":true,"iterator":null,"endpoints":${EMPTY_OBJECTS}}`,
  ),
  'an error with details': `{"error":{"status":"INTERNAL","message":"no","details":${EMPTY_OBJECTS}}}`,
};

const READS = [
  'documents list --org acme',
  'webhooks endpoints list --all -o ndjson',
  'folders tree --org acme',
];

describe('a 12 MB response of tiny items', () => {
  // One command for each response has a process of its own, with the small heap.
  const cases = Object.entries(LISTS).map(([name, text], at) => [name, text, READS[at]] as const);

  it.each(cases)(
    'results in exit code 8 with little memory: %s',
    SLOW,
    async (_, text, limited) => {
      const [process, inProcess] = await Promise.all([newUser(), newUserInProcess()]);
      const { env } = await startTextService(text);
      for (const command of READS) {
        const { svc } = command === limited ? process : inProcess;
        const { code, stderr } = await svc([...command.split(' '), '--timeout', '2s'], { env });
        expect([code, stderr], command).toEqual([
          8,
          expect.stringMatching(/returned JSON with more than 4000000|no response within 2 s/),
        ]);
      }
    },
  );

  it('leaves the outcome of single and bulk writes unknown', SLOW, async () => {
    const { svc, start, home } = await newUserInProcess();
    const { env } = await startTextService(successText(EMPTY_OBJECTS));
    await writeFile(join(home, 'users.csv'), 'userId\nu1\nu2\n');
    for (const write of ['users add --org acme --user u1', 'api v2/other']) {
      expect(await svc(write.split(' '), { env }), write).toMatchObject({ code: 9 });
    }
    const bulk = 'users add --org acme --file users.csv'.split(' ');
    expect(await start(bulk, { env }).ended, 'with the small heap').toMatchObject({ code: 9 });
  });
});

describe('Ctrl-C', () => {
  it('stops the check of a large response with exit code 130', async () => {
    const { start } = await newUser();
    const { server, env } = await startTextService(
      successText(`[${'{"id":"a"},'.repeat(900_000)}{"id":"a"}]`),
    );
    const { ended, kill } = start(['folders', 'list', '--org', 'acme', '-o', 'json'], { env });
    await once(server, 'answered');
    kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130 });
  });
});

describe('a server that supports only HTTP/2', () => {
  const MESSAGE = /^svc: .* supports only HTTP\/2, but svc uses HTTP\/1\.1\n/;

  it.each(['plain', 'over TLS'])('is reported as such: %s', async (way) => {
    const { svc, home } = await newUserInProcess();
    const authority = await borrowAuthority();
    const server =
      way === 'plain'
        ? createHttp2Server()
        : createSecureServer(await authority.issue('DNS:localhost'));
    server.on('sessionError', () => undefined);
    const port = (await listen(server)).split(':')[1];
    const scheme = way === 'plain' ? 'http' : 'https';
    const env = { ...CREDENTIALS, SVC_BASE_URL: `${scheme}://localhost:${port}` };
    await writeFile(join(home, 'users.csv'), 'userId\nu1\nu2\n');
    // svc knows that nothing was applied, even for a write.
    for (const command of [
      'documents list --org acme',
      'api v2/other',
      'users add --org acme --file users.csv',
    ]) {
      const { code, stderr } = await svc([...command.split(' '), '--ca-file', authority.file], {
        env,
      });
      expect([code, stderr], command).toEqual([8, expect.stringMatching(MESSAGE)]);
    }
  });
});

describe('a success without data', () => {
  const COMMANDS = [
    'webhooks endpoints list --all',
    'webhooks endpoints list -q',
    'webhooks endpoints create --url https://example.com',
    'webhooks endpoints delete ep_1 --yes',
    'documents list --org acme --all',
    'documents migrate --org acme --document d1 --new-document d2 --yes -q',
    'folders tree --org acme',
    'users add --org acme --user u1',
    'users data --org acme --user u1 --all',
    'presence update --org acme --document d1 --user u1',
    'presence delete --org acme --document d1 --user u1 --yes',
    'api v2/other --paginate',
  ];

  it.each([
    ['no data', { result: { status: 'success', message: 'done' } }],
    ['null data', { result: { status: 'success', message: 'done', data: null } }],
    ['no wrapper', { status: 'success', message: 'done' }],
  ])('counts as a success for every command: %s', async (_, body) => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() => ({ body }));
    for (const command of COMMANDS) {
      const { code, stderr } = await svc(command.split(' '), { env });
      expect([command, code, stderr]).toEqual([command, 0, expect.not.stringContaining('svc: ')]);
    }
  });

  it('cannot be used with --wait', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() => ({
      body: { result: { status: 'success', message: 'done' } },
    }));
    const words = 'documents migrate --org acme --document d1 --new-document d2 --yes --wait'.split(
      ' ',
    );
    expect(await svc(words, { env })).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('migrationId'),
    });
  });
});

describe('an incomplete page without an iterator', () => {
  it.each(['webhooks endpoints list', 'webhooks endpoints list --all', 'api v2/other --paginate'])(
    'is an invalid response: %s',
    async (command) => {
      const { svc } = await newUserInProcess();
      const { env } = await startMockService(() =>
        success({ endpoints: [], iterator: null, done: false }),
      );
      const { code, stdout, stderr } = await svc([...command.split(' '), '-o', 'ndjson'], { env });
      expect([code, stdout, JSON.parse(stderr).error.code]).toEqual([8, '', 'invalid_response']);
    },
  );
});

describe('a RESOURCE_EXHAUSTED error', () => {
  it('is not retryable if it names a maximum', async () => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() =>
      failure(429, 'RESOURCE_EXHAUSTED', 'A workspace holds at most 30 documents.'),
    );
    const { code, stderr } = await svc(['documents', 'list', '--org', 'acme', '-o', 'json'], {
      env,
    });
    const { error } = JSON.parse(stderr);
    expect([code, received.length, error]).toEqual([
      7,
      1,
      expect.objectContaining({ retryable: false }),
    ]);
    expect(error.hint).not.toContain('--max-wait');
  });

  it('is retryable if it is a rate limit, and --max-wait applies', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(() =>
      failure(429, 'RESOURCE_EXHAUSTED', 'Too many requests.'),
    );
    const { stderr } = await svc(
      ['documents', 'list', '--org', 'acme', '-o', 'json', '--no-wait'],
      { env },
    );
    expect(JSON.parse(stderr).error).toMatchObject({
      retryable: true,
      hint: expect.stringContaining('--max-wait'),
    });
  });
});

describe('secrets in a URL', () => {
  it('do not appear in messages, --debug output, or dry runs', async () => {
    const { svc } = await newUserInProcess();
    const hook = 'https://ada:hunter2secret@example.com/hook?access_token=tok-3f9a77c1&plain=stays';
    const { env } = await startMockService(() => success({ id: 'ep_1', url: hook }));
    const create = ['webhooks', 'endpoints', 'create', '--url', hook];
    const made = await svc([...create, '--debug', '-o', 'json'], { env });
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('plain=stays') });
    expect(JSON.parse(made.stdout).url).toBe(hook);
    const planned = await svc([...create, '--dry-run'], { env });
    const raw = await svc(['api', 'v2/other?token=tok-3f9a77c1', '--debug'], { env });
    expect(raw.stderr).toContain('/v2/other?token=****');
    for (const said of [made.stderr, planned.stdout, planned.stderr, raw.stderr]) {
      expect(said).not.toMatch(/hunter2|tok-3f9a/);
    }
  });
});
