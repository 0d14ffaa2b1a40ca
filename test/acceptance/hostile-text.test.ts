import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { send, signed } from '../webhooks/listener-fixture.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { BIN } from './svc.ts';
import { needsProcess, runInFolder } from './svc-for-shells.ts';
import { startInTerminal } from './terminal.ts';

/**
 * Characters that control, hide, or reverse terminal text, except NUL, which no argument can
 * contain.
 */
const HOSTILE = [
  'a',
  '\u001b]0;title\u0007',
  '\u001b[5m',
  '\u009b5m',
  '\u009d0;t\u009c',
  '\r',
  '\b',
  '\u007f',
  '\v',
  '\u0085',
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200d',
  '\u200e',
  '\u2028',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\u{e0041}',
  'z',
].join('');

/** Control sequences that svc itself may write: colors and redrawing. */
const OWN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what this is about
  /\u001b\[(?:(?:0|1|2|4|22|24|3\d|9\d)?m|\d*[ABCDGJK]|\?25[hl])|\r+\n|\r(?=\u001b\[2K)/g;

const isUnsafe = (character: string) =>
  character !== '\n' && /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(character);

/** Returns characters on a screen that svc must not write. */
const findUnsafe = (screen: string) => [...screen.replace(OWN, '')].filter(isUnsafe);

/** Document with hostile text in values of every type. */
const RECORD = {
  id: HOSTILE,
  documentName: HOSTILE,
  [HOSTILE]: [HOSTILE, { [HOSTILE]: HOSTILE }],
  folderName: HOSTILE,
  folderId: HOSTILE,
  name: HOSTILE,
  userId: HOSTILE,
  status: HOSTILE,
};

/** Successful responses of the service, by a part of the path. */
const REPLIES: Readonly<Record<string, unknown>> = {
  'documents/get': [RECORD, RECORD],
  'folders/get': [
    {
      ...RECORD,
      lastUpdated: 1,
      organizationId: HOSTILE,
      parentFolderId: 'root',
      ancestors: ['root'],
      createdAt: 1,
    },
  ],
  'workspace/get': {
    ...RECORD,
    owner: RECORD,
    authToken: HOSTILE,
    apiKeyList: { [HOSTILE]: { ...RECORD, apiKeyName: HOSTILE, type: HOSTILE } },
  },
  'endpoints/get': {
    endpoints: [
      {
        ...RECORD,
        url: HOSTILE,
        filterTypes: [HOSTILE],
        channels: null,
        disabled: false,
        createdAt: HOSTILE,
        updatedAt: HOSTILE,
      },
    ],
    done: false,
    iterator: HOSTILE,
  },
  'webhookconfig/get': {
    useWebhookService: true,
    webhookServiceConfig: { rawNotificationUrl: HOSTILE },
  },
  'emailconfig/get': {
    useEmailService: true,
    emailServiceConfig: { type: HOSTILE, fromEmail: HOSTILE },
  },
  'agents/get': { agents: [RECORD] },
  'users/data': {
    [HOSTILE]: [RECORD],
    comments: [RECORD],
    reactions: [],
    recordings: [],
    notifications: [],
  },
  token: { token: HOSTILE },
};

function statusLine(response: ServerResponse): undefined {
  response.writeHead(502, 'Bad \u0085\u009b5m gateway', {
    'content-type': 'text/\u009b5m; x=\u0085',
    'retry-after': '\u009b5m',
    location: 'http://\u009b5m/',
  });
  response.end(`<h1>${HOSTILE}</h1>`);
}

/** Responses of the service, by the requested organization. */
const ANSWERS: Readonly<Record<string, () => { status?: number; body: unknown }>> = {
  refused: () => failure(401, HOSTILE, HOSTILE),
  odd: () => failure(418, 'UNAUTHENTICATED', HOSTILE),
  issues: () => ({
    status: 400,
    body: {
      error: {
        status: 'INVALID_ARGUMENT',
        message: HOSTILE,
        details: { issues: [{ code: HOSTILE, path: [HOSTILE, 0, HOSTILE], message: HOSTILE }] },
      },
    },
  }),
  items: () =>
    success({
      u1: { success: false, message: HOSTILE, code: HOSTILE },
      [HOSTILE]: { success: HOSTILE, id: HOSTILE },
    }),
  migration: () => success({ migrationId: HOSTILE, organizationId: 'acme', status: HOSTILE }),
  one: () => success({ ...RECORD, owner: RECORD }),
};

const list = (...more: string[]) => ['documents', 'list', '--org', 'acme', ...more];
const addUsers = (org: string, ...more: string[]) => [
  'users',
  'add',
  '--org',
  org,
  '--file',
  'users.json',
  ...more,
];

/** Commands of each kind, in all output formats that print text from others. */
const COMMANDS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  plans: [['plan'], ['drift'], ['compare', HOSTILE, './svc.yaml']],
  responses: [
    ...['table', 'json', 'yaml', 'csv', 'ndjson', 'markdown'].map((format) => list('-o', format)),
    list('--all', '--envelope'),
    list('--jq', '.[]'),
    list('--jq', '.[].name'),
    list('--fields', `id,${HOSTILE}`),
    ['folders', 'tree', '--org', 'acme'],
    ['users', 'data', '--org', 'acme', '--user', 'u1'],
    ['agents', 'list'],
    ['workspace', 'get', '--show-secrets'],
    ['webhooks', 'endpoints', 'list'],
    ['api', '/v2/some/path', '--data', '{"organizationId":"one"}', '-o', 'table'],
    [
      'documents',
      'migrate',
      '--org',
      'migration',
      '--document',
      'd1',
      '--new-document',
      'd2',
      '--yes',
      '-q',
    ],
    [
      'access-tokens',
      'generate',
      '--user',
      'u1',
      '--name',
      'Ada',
      '--email',
      'a@example.com',
      '--resource',
      'type=organization,id=acme',
      '-q',
    ],
  ],
  errors: [
    ...['table', 'json'].flatMap((format) =>
      ['refused', 'odd', 'issues'].map((org) => ['folders', 'list', '--org', org, '-o', format]),
    ),
    ['folders', 'list', '--org', 'line', '--debug'],
    addUsers('items', '--debug'),
    addUsers('items', '--rejects', `${HOSTILE}.json`),
    addUsers('items', '-o', 'yaml'),
    addUsers('refused'),
    [
      'webhooks',
      'send',
      'huddle.join',
      '--url',
      'http://127.0.0.1:PORT/',
      '--auth-token-file',
      'token',
    ],
  ],
  arguments: [
    [HOSTILE],
    ['documents', HOSTILE],
    list(`--${HOSTILE}`),
    list('-o', HOSTILE),
    list('--timeout', HOSTILE),
    list('--profile', HOSTILE),
    list('--document', HOSTILE, '--dry-run'),
    ['help', HOSTILE],
    ['schema', HOSTILE],
    ['api', `/${HOSTILE}`, '--dry-run'],
    ['local', 'exec', '--', HOSTILE],
    ['webhooks', 'send', HOSTILE, '--url', 'http://127.0.0.1:PORT/', '--dry-run'],
    ['jobs', 'show', HOSTILE],
    ['whoami', '--all'],
  ],
  files: [
    ['users', 'validate', '--file', HOSTILE],
    ['users', 'validate', '--file', `${HOSTILE}.json`],
    ['users', 'validate', '--file', `${HOSTILE}.json`, '--format', 'github'],
    ['users', 'add', '--org', 'acme', '--file', `${HOSTILE}.json`],
    ['users', 'add', '--org', 'acme', '--file', 'users.csv', '--dry-run'],
    ['local', 'import', `${HOSTILE}.json`],
    ['access-tokens', 'inspect', 'JWT'],
    [
      'webhooks',
      'verify',
      '--body',
      'payload',
      '--headers',
      'headers.json',
      '--secret-file',
      'secret',
    ],
    ['auth-tokens', 'reset', '--api-key', 'K', '--yes', '--output-file', `${HOSTILE}.json`],
    ['local', 'reset', '--store', `${HOSTILE}.json`, '--yes'],
  ],
};

const token = (claims: object) =>
  [{ alg: 'HS256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');

/** Creates a user whose files contain hostile names and texts, and a hostile service. */
async function createHostileUser() {
  const user = await newUserInProcess();
  const { env } = await startMockService((received, response) => {
    const { organizationId } = received.body.data ?? {};
    if (organizationId === 'line') return statusLine(response);
    const known = ANSWERS[String(organizationId)];
    if (known) return known();
    const data = Object.entries(REPLIES).find(([part]) => received.path.includes(part))?.[1] ?? {
      ...RECORD,
    };
    return success(data, {
      pageToken: received.body.data?.['pageToken'] === HOSTILE ? null : HOSTILE,
    });
  });
  const secret = `whsec_${Buffer.from('hostile').toString('base64')}`;
  const payload = JSON.stringify({
    event: HOSTILE,
    data: { metadata: { document: { documentId: HOSTILE } } },
  });
  const headers = Object.fromEntries(Object.entries(signed(secret, payload)));
  const files = {
    'users.json': '[{"userId":"u1"}]',
    [`${HOSTILE}.json`]: JSON.stringify([
      { userId: 7, [HOSTILE]: HOSTILE },
      { userId: HOSTILE },
      { userId: HOSTILE },
    ]),
    'users.csv': `userId,${HOSTILE}\nu1,b\n`,
    token: 'not-a-real-one',
    secret,
    payload,
    'headers.json': JSON.stringify(headers),
    'svc.yaml':
      'config: { webhook: { webhookServiceConfig: { rawNotificationUrl: https://example.com } } }',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(user.home, name), text);
  const claims = token({
    sub: HOSTILE,
    [HOSTILE]: HOSTILE,
    permissions: { resources: [{ type: HOSTILE, id: HOSTILE }] },
  });
  const variables = {
    ...user.env,
    ...env,
    SVC_WORKSPACE_ID: 'w',
    SVC_WORKSPACE_AUTH_TOKEN: 'v',
    SVC_ORG: HOSTILE,
  };
  const real = (words: readonly string[]) =>
    words.map((word) =>
      word.replace('PORT', new URL(env.SVC_BASE_URL).port).replace('JWT', `${claims}.x`),
    );
  const setting = { env: variables, cwd: user.home, columns: 300 };
  return {
    ...user,
    start: (words: readonly string[]) =>
      startInTerminal(process.execPath, [BIN, ...real(words)], setting),
    /** Runs a command in this process, and returns what it writes to a terminal. */
    run: async (words: readonly string[]) => {
      const { written } = await runInFolder(real(words), {
        ...setting,
        env: { ...variables, TERM: 'xterm-256color' },
      });
      return String(Buffer.concat(written.map(({ bytes }) => bytes)));
    },
  };
}

type HostileUser = Awaited<ReturnType<typeof createHostileUser>>;

/** Runs commands, the first one in a real terminal, and returns their output. */
async function collectScreens(
  { start, run }: HostileUser,
  commands: readonly (readonly string[])[],
) {
  const shown: { readonly words: string; readonly raw: string }[] = [];
  for (const [at, words] of commands.entries()) {
    // The gateway's response is retried for a while by default.
    const waiting = words.includes('line') ? ['--retry-for', '0s'] : [];
    const line = [...words, '--no-input', ...waiting];
    const screen = at === 0 || needsProcess(words) ? start(line) : undefined;
    await screen?.ended;
    shown.push({ words: JSON.stringify(words), raw: screen?.raw() ?? (await run(line)) });
  }
  return shown;
}

/** Writes a hostile profile, and runs commands that store hostile names. */
async function storeHostileText({ home, svc }: HostileUser): Promise<void> {
  const added = await svc([
    'profiles',
    'add',
    'prod',
    '--base-url',
    'http://127.0.0.1:9',
    '--api-key',
    'k',
  ]);
  expect(added.code, added.stderr).toBe(0);
  const path = join(home, '.config', 'svc', 'profiles.json');
  const book = JSON.parse(await readFile(path, 'utf8'));
  await writeFile(
    path,
    JSON.stringify({ ...book, profiles: { prod: { ...book.profiles.prod, org: HOSTILE } } }),
  );
  const file = join(home, `${HOSTILE}.ndjson`);
  await writeFile(file, JSON.stringify({ userId: HOSTILE }));
  const state = join(home, 'state.json');
  await writeFile(state, JSON.stringify({ organizations: [{ organizationId: HOSTILE }] }));
  for (const words of [
    ['local', 'import', state],
    ['users', 'add', '--local', '--org', 'acme', '--file', file, '--allow-suspicious'],
  ]) {
    const run = await svc(words);
    expect(run.code, `${words.join(' ')}: ${run.stderr}`).toBe(0);
  }
}

describe('hostile text on a terminal is escaped', () => {
  it.each(Object.entries(COMMANDS))('in %s', SLOW, async (_, commands) => {
    const shown = await collectScreens(await createHostileUser(), commands);
    const obeyed = shown.filter(({ raw }) => findUnsafe(raw).length > 0);
    expect(obeyed.map(({ words, raw }) => `${words}:\n${JSON.stringify(raw)}`).join('\n')).toBe('');
    // The output contains the escaped text:
    const unseen = shown.filter(({ raw }) => !/\\u00(1b|9b)/.test(raw));
    expect(unseen.map(({ words, raw }) => `${words}:\n${raw}`).join('\n')).toBe('');
  });

  it('in stored data', async () => {
    const world = await createHostileUser();
    await storeHostileText(world);
    const kept = [
      ['history'],
      ['history', '-o', 'yaml'],
      ['jobs', 'list'],
      ['jobs', 'list', '-o', 'csv'],
      ['profiles', 'show', 'prod'],
      ['local', 'export'],
      ['users', 'data', '--local', '--user', HOSTILE, '--org', 'acme', '--debug'],
    ];
    const shown = await collectScreens(world, kept);
    expect(shown.filter(({ raw }) => findUnsafe(raw).length > 0)).toEqual([]);
    expect(shown.filter(({ raw }) => !/\\u00(1b|9b)/.test(raw))).toEqual([]);
  });

  it('in prompts', async () => {
    const { start } = await createHostileUser();
    for (const words of [['auth-tokens', 'reset', '--api-key', HOSTILE]]) {
      const screen = start(words);
      await screen.shows('(y/N)');
      screen.type('n\r');
      expect(await screen.ended).toBe(2);
      expect(findUnsafe(screen.raw()), JSON.stringify(screen.raw())).toEqual([]);
      expect(screen.raw()).toContain('\\u001b');
    }
  });

  it('in incoming deliveries', async () => {
    const { start, home } = await createHostileUser();
    const words = [
      'webhooks',
      'listen',
      '--port',
      '0',
      '--secret-file',
      'secret',
      '--exit-after',
      '1',
    ];
    const screen = start([...words, '--forward-to', 'http://127.0.0.1:PORT/']);
    await screen.shows('listening on');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(screen.screen()) ?? [];
    const [body, secret] = await Promise.all(
      ['payload', 'secret'].map((name) => readFile(join(home, name), 'utf8')),
    );
    await send(url, HOSTILE, {
      'content-type': HOSTILE.replace(/[^\u0080-\u00ff]/g, ''),
      'webhook-id': 'a\u009b5m',
    });
    await send(url, body ?? '', signed(secret ?? '', body ?? ''));
    await screen.ended;
    expect(findUnsafe(screen.raw()), JSON.stringify(screen.raw())).toEqual([]);
    expect(screen.raw()).toContain('\\u001b');
  });
});
