import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { PROFILE_COMMANDS } from '../../../src/commands/profiles/commands.ts';
import type { AddFlags } from '../../../src/commands/profiles/flags.ts';
import type { Folders } from '../../../src/kernel/folders.ts';
import { readProfiles } from '../../../src/profiles/profiles-file.ts';
import { createSecretStorage, readSecrets } from '../../../src/profiles/secrets.ts';
import { failure, startMockService, success } from '../../acceptance/mock-service.ts';
import { SLOW } from '../../slow.ts';
import { createUserFolders } from '../../temporary-folder.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

const BASE_URL = 'https://api.example.com';
const TOKEN = 'token-of-prod-0123456789';

let folders: Folders;

beforeEach(async () => {
  folders = await createUserFolders();
});

/**
 * Runs a command by its words, with the values of its own flags, and hands back the context it ran
 * in.
 */
async function run(words: string, options: AddFlags = {}, world: FakeContextOptions = {}) {
  const [group, verb, ...args] = words.split(' ');
  const definition = PROFILE_COMMANDS.find(
    ({ command }) => command[0] === group && command[1] === verb,
  );
  const context = await fakeContext({ folders, ...world });
  const command = await definition?.load();
  await command?.(context, { arguments: args, options: { verify: false, ...options } });
  return context;
}

const refusal = (words: string, options: AddFlags = {}, world: FakeContextOptions = {}) =>
  run(words, options, world).then(
    () => undefined,
    (error: unknown) => error,
  );

const addProd = () =>
  run(
    'profiles add prod',
    { apiKey: 'key-1', authTokenStdin: true },
    { options: { baseUrl: BASE_URL }, stdin: `${TOKEN}\n` },
  );

const profileOf = async (name: string) => (await readProfiles(folders)).profiles.get(name);
const secretsOf = async (name: string) => {
  const { secrets } = await readSecrets(
    createSecretStorage({ folders }),
    (await profileOf(name)) ?? {},
  );
  return Object.fromEntries(Object.entries(secrets).map(([secret, { value }]) => [secret, value]));
};

describe('profiles add', () => {
  it(
    'uses only the given values without a terminal, and warns once about the file',
    SLOW,
    async () => {
      const context = await addProd();
      expect(await profileOf('prod')).toMatchObject({
        baseUrl: BASE_URL,
        apiKey: 'key-1',
        secrets: { authToken: 'file' },
      });
      expect(await secretsOf('prod')).toEqual({ authToken: TOKEN });
      expect(context.stdout()).toBe('');
      expect(context.stderr().match(/^warning: .*secrets\.json/gm)).toHaveLength(1);
      expect(context.stderr()).not.toContain(TOKEN);
    },
  );

  it('does not warn if a file was requested, or without a secret', async () => {
    const world = { options: { baseUrl: BASE_URL }, stdin: TOKEN };
    expect(
      (
        await run('profiles add a', { authTokenStdin: true, insecureStorage: true }, world)
      ).stderr(),
    ).not.toContain('warning');
    const empty = { options: { baseUrl: BASE_URL } };
    expect((await run('profiles add b', { apiKey: 'key-1' }, empty)).stderr()).not.toContain(
      'warning',
    );
  });

  it('refuses a secret on stdin that no flag reads', async () => {
    const world = { options: { baseUrl: BASE_URL }, stdin: TOKEN };
    await expect(run('profiles add a', { apiKey: 'key-1' }, world)).rejects.toMatchObject({
      failure: 'usage',
      hint: expect.stringContaining('--auth-token-stdin'),
    });
  });

  it('lists missing values', async () => {
    const bare = await run('profiles add a', {}, {});
    expect(bare.stderr()).toContain(
      'the profile has no base URL and no API key and no auth token; provide the rest with environment variables',
    );
    const world = { options: { baseUrl: BASE_URL }, stdin: TOKEN };
    const workspace = await run(
      'profiles add b',
      { workspaceId: 'w', workspaceAuthTokenStdin: true },
      world,
    );
    expect(workspace.stderr()).not.toContain('it has no');
  });

  it('reads both secrets, one from a file and one from stdin', async () => {
    const context = await fakeContext();
    await writeFile(join(context.cwd, 'token.txt'), 'from-file\r\n');
    const options = {
      apiKey: 'k',
      authTokenFile: 'token.txt',
      workspaceId: 'w',
      workspaceAuthTokenStdin: true,
    };
    await run('profiles add prod', options, {
      options: { baseUrl: BASE_URL },
      stdin: 'from-stdin\n',
      cwd: context.cwd,
    });
    expect(await secretsOf('prod')).toEqual({
      authToken: 'from-file',
      workspaceAuthToken: 'from-stdin',
    });
  });

  it('saves all other values', async () => {
    const options: AddFlags = {
      headerPrefix: 'X-Acme-',
      org: 'acme',
      defaultOutput: 'json',
      protected: true,
    };
    await run('profiles add prod', options, { options: { baseUrl: `${BASE_URL}/` } });
    expect(await profileOf('prod')).toEqual({
      baseUrl: BASE_URL,
      headerPrefix: 'x-acme-',
      org: 'acme',
      output: 'json',
      protected: true,
    });
  });

  it('prompts only for missing values on a terminal', async () => {
    const all = await run('profiles add prod', {}, { answers: [BASE_URL, 'key-1', TOKEN] });
    expect(all.questions).toEqual(['Base URL', 'API key', 'Auth token of key-1']);
    expect(await secretsOf('prod')).toEqual({ authToken: TOKEN });
    const workspace = await run(
      'profiles add w',
      { workspaceId: 'w-1' },
      { options: { baseUrl: BASE_URL }, answers: [TOKEN] },
    );
    expect(workspace.questions).toEqual(['Auth token of workspace w-1']);
    const nameless = await run(
      'profiles add',
      {},
      { answers: ['test', BASE_URL, 'key-1', '', TOKEN] },
    );
    const asked = [
      'Profile name',
      'Base URL',
      'API key',
      'Auth token of key-1',
      'Auth token of key-1',
    ];
    expect(nameless.questions).toEqual(asked);
    const file = { authTokenFile: 'token.txt', workspaceAuthTokenFile: 'token.txt' };
    await writeFile(join(nameless.cwd, 'token.txt'), TOKEN);
    const ids = await run('profiles add ids', file, {
      answers: [BASE_URL, 'key-1', 'w-1'],
      cwd: nameless.cwd,
    });
    expect(ids.questions).toEqual(['Base URL', 'API key', 'Workspace ID']);
  });

  it.each([{ environment: { CI: 'true' } }, { options: { input: false } }])(
    'does not prompt with %j',
    async (quiet) => {
      const context = await run(
        'profiles add prod',
        { apiKey: 'key-1' },
        { answers: [], ...quiet },
      );
      expect(context.questions).toEqual([]);
    },
  );

  it.each([
    [
      'both secrets from stdin',
      'profiles add p',
      { authTokenStdin: true, workspaceAuthTokenStdin: true },
      {},
    ],
    [
      'a secret from two places',
      'profiles add p',
      { authTokenStdin: true, authTokenFile: 'x' },
      {},
    ],
    [
      'a secret without an address',
      'profiles add p',
      { authTokenStdin: true },
      { stdin: 'hunter2' },
    ],
    ['a secret of two lines', 'profiles add p', { authTokenStdin: true }, { stdin: 'hunter2\nx' }],
    [
      'a secret typed with echo',
      'profiles add p',
      { apiKey: 'k', authTokenStdin: true },
      { answers: [BASE_URL] },
    ],
    ['a name with a slash', 'profiles add a/b', {}, {}],
    ['an empty name', 'profiles add ', {}, {}],
    ['a missing name', 'profiles add', {}, {}],
    ['an invalid address', 'profiles add p', {}, { options: { baseUrl: 'example.com' } }],
    [
      'a password in the address',
      'profiles add p',
      {},
      { options: { baseUrl: 'https://u:hunter2@example.com' } },
    ],
    ['a prefix that starts no header', 'profiles add p', { headerPrefix: 'x: ' }, {}],
    ['an API key of two lines', 'profiles add p', { apiKey: 'a\nb' }, {}],
  ] as const)('refuses %s and saves nothing', async (_, words, options, world) => {
    const refused = await refusal(words, options, world);
    expect(refused).toMatchObject({ failure: 'usage' });
    expect(String(refused)).not.toContain('hunter2');
    expect((await readProfiles(folders)).profiles.size).toBe(0);
  });

  it('accepts an address of this machine without a scheme', async () => {
    const typed = await run('profiles add a', {}, { answers: ['127.0.0.1:8080', 'key-1', TOKEN] });
    expect(typed.questions).toEqual(['Base URL', 'API key', 'Auth token of key-1']);
    expect(await profileOf('a')).toMatchObject({ baseUrl: 'http://127.0.0.1:8080' });
    await run('profiles add b', {}, { options: { baseUrl: 'localhost:3000/api' } });
    expect(await profileOf('b')).toMatchObject({ baseUrl: 'http://localhost:3000/api' });
  });

  it('asks again for a typed token that the service rejects', async () => {
    const { env } = await startMockService(({ headers }) =>
      headers['x-svc-auth-token'] === TOKEN ? success({}) : failure(401, 'UNAUTHENTICATED', 'no'),
    );
    const world = { options: { baseUrl: env.SVC_BASE_URL }, answers: ['key-1', 'mistyped', TOKEN] };
    const added = await run('profiles add prod', { verify: undefined }, world);
    expect(added.questions).toEqual(['API key', 'Auth token of key-1', 'Auth token of key-1']);
    expect(added.stderr()).toContain('the service rejected the API key or its auth token');
    expect(await secretsOf('prod')).toEqual({ authToken: TOKEN });
  });

  it('turns no protection off by replacing a profile', async () => {
    await run('profiles add prod', { protected: true, readOnly: true });
    await run('profiles add prod', { replace: true, org: 'acme' });
    expect(await profileOf('prod')).toEqual({ protected: true, readOnly: true, org: 'acme' });
  });

  it('rejects an existing name before prompting', async () => {
    await addProd();
    expect(await refusal('profiles add prod', {}, { answers: [] })).toMatchObject({
      failure: 'already_exists',
    });
  });
});

describe('profiles list and show', () => {
  it('print every profile, sorted by name', async () => {
    await run('profiles add test', { protected: true });
    await addProd();
    const { stdout } = await run('profiles list', {}, { options: { output: 'json' } });
    expect(JSON.parse(stdout())).toEqual([
      expect.objectContaining({
        name: 'prod',
        current: false,
        baseUrl: BASE_URL,
        apiKey: 'key-1',
        protected: false,
      }),
      expect.objectContaining({
        name: 'test',
        current: true,
        baseUrl: null,
        apiKey: null,
        protected: true,
      }),
    ]);
  });

  it.each(['json', 'yaml', 'table', 'csv', 'ndjson'] as const)(
    'mask secrets as %s, unless a flag shows them',
    async (output) => {
      await addProd();
      const masked = (await run('profiles show', {}, { options: { output } })).stdout();
      expect(masked).toContain('****6789');
      expect(masked).not.toContain(TOKEN);
      expect(
        (await run('profiles show prod', {}, { options: { output, showSecrets: true } })).stdout(),
      ).toContain(TOKEN);
    },
  );

  it('show where the secrets are stored', async () => {
    await addProd();
    const { stdout } = await run('profiles show', {}, { options: { output: 'json' } });
    expect(JSON.parse(stdout())).toMatchObject({
      name: 'prod',
      secrets: `file ${join(folders.config, 'secrets.json')}`,
    });
  });

  it('distinguish an unknown name from no name', async () => {
    expect(await refusal('profiles show')).toMatchObject({
      failure: 'not_found',
      hint: expect.stringContaining('profiles use'),
    });
    await addProd();
    expect(await refusal('profiles show prd')).toMatchObject({
      failure: 'not_found',
      hint: "did you mean 'prod'?",
    });
    expect(await refusal('profiles show', {}, { options: { profile: 'prd' } })).toMatchObject({
      failure: 'usage',
    });
  });
});

describe('profiles use, rename and remove', () => {
  it('change the profiles', async () => {
    await addProd();
    await run('profiles add test', { apiKey: 'key-2' });
    await run('profiles use test');
    expect((await readProfiles(folders)).current).toBe('test');
    await run('profiles rename test stage');
    expect((await readProfiles(folders)).current).toBe('stage');
    expect(await profileOf('stage')).toEqual({ apiKey: 'key-2' });
    await run('profiles remove prod');
    expect([...(await readProfiles(folders)).profiles.keys()]).toEqual(['stage']);
    expect(await secretsOf('prod')).toEqual({});
  });

  it('ask for confirmation on a terminal, and keep the profile if declined', async () => {
    await addProd();
    await run('profiles add test', {});
    const kept = await refusal('profiles remove prod', {}, { answers: ['no'] });
    expect(String(kept)).toContain('not confirmed');
    expect(await profileOf('prod')).toBeDefined();
    const removed = await run('profiles remove prod', {}, { answers: ['yes'] });
    expect(removed.questions).toEqual(["Remove profile 'prod' and its secrets?"]);
    expect(removed.stderr()).toContain('profiles use');
  });

  it('reject unknown and invalid names', async () => {
    await addProd();
    expect(await refusal('profiles use nope')).toMatchObject({ failure: 'not_found' });
    expect(await refusal('profiles remove nope', {}, { answers: [] })).toMatchObject({
      failure: 'not_found',
    });
    expect(await refusal('profiles rename nope other')).toMatchObject({ failure: 'not_found' });
    expect(await refusal('profiles rename prod a/b')).toMatchObject({ failure: 'usage' });
  });
});

describe('auth status', () => {
  const status = async (world: FakeContextOptions = {}) => {
    const context = await run(
      'auth status',
      {},
      { ...world, options: { output: 'json', ...world.options } },
    );
    return { records: JSON.parse(context.stdout()), stderr: context.stderr() };
  };

  it('shows each setting with its source, and secrets masked', async () => {
    await addProd();
    const { records } = await status({ environment: { SVC_ORG: 'acme' } });
    expect(records).toContainEqual({ setting: 'org', value: 'acme', source: 'SVC_ORG' });
    expect(records).toContainEqual({
      setting: 'authToken',
      value: '****6789',
      source: `profile 'prod' (file ${join(folders.config, 'secrets.json')})`,
    });
    expect(records).toContainEqual({ setting: 'workspaceId', value: null, source: null });
    expect((await status({ options: { showSecrets: true } })).records).toContainEqual(
      expect.objectContaining({ setting: 'authToken', value: TOKEN }),
    );
  });

  it('lists missing settings and fixes after the rest', async () => {
    const context = await fakeContext({
      folders,
      environment: { SVC_API_KEY: 'key-1' },
      options: { output: 'json' },
    });
    const command = await PROFILE_COMMANDS.find(({ command: [group] }) => group === 'auth')?.load();
    await expect(command?.(context, { arguments: [], options: {} })).rejects.toMatchObject({
      failure: 'no_credential',
      message: 'not configured: SVC_BASE_URL, SVC_AUTH_TOKEN',
      hint: expect.stringMatching(/svc login.*--local/),
    });
    expect(JSON.parse(context.stdout())).toContainEqual({
      setting: 'apiKey',
      value: 'key-1',
      source: 'SVC_API_KEY',
    });
  });

  it('names the incomplete profile', async () => {
    await run('profiles add prod', { apiKey: 'key-1' }, { options: { baseUrl: BASE_URL } });
    const context = await fakeContext({ folders });
    const command = await PROFILE_COMMANDS.find(({ command: [group] }) => group === 'auth')?.load();
    await expect(command?.(context, { arguments: [], options: {} })).rejects.toMatchObject({
      message: 'not configured: SVC_AUTH_TOKEN',
      hint: expect.stringContaining(
        "to complete profile 'prod', run svc login prod --replace, or set",
      ),
    });
  });

  it('accepts workspace credentials alone', async () => {
    const environment = {
      SVC_BASE_URL: BASE_URL,
      SVC_WORKSPACE_ID: 'w',
      SVC_WORKSPACE_AUTH_TOKEN: 't',
    };
    expect((await status({ environment })).stderr).toBe('');
  });

  it('explains why profile credentials are not used', async () => {
    await addProd();
    const refused = await refusal(
      'auth status',
      {},
      { options: { baseUrl: 'https://elsewhere.example.com' } },
    );
    expect(refused).toMatchObject({ message: expect.stringContaining(`are for ${BASE_URL} only`) });
  });

  it('needs nothing for the embedded service', async () => {
    expect((await status({ options: { local: true } })).stderr).toContain('embedded service');
  });
});
