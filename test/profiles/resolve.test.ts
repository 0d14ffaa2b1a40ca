import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Environment, Folders } from '../../src/kernel/folders.ts';
import { SETTING_VARIABLES } from '../../src/kernel/variables.ts';
import { resolveOutput, resolveTarget } from '../../src/profiles/resolve.ts';
import type { TargetDependencies } from '../../src/profiles/sources.ts';
import { createProfileStore } from '../../src/profiles/store.ts';
import { createTemporaryFolder, createUserFolders } from '../temporary-folder.ts';

let folders: Folders;
let cwd: string;

const TOKEN = 'token-of-prod-0123456789';

beforeEach(async () => {
  folders = await createUserFolders();
  cwd = await createTemporaryFolder();
});

const resolve = (
  flags: TargetDependencies['flags'] = {},
  environment: Environment = {},
  folder = cwd,
) =>
  resolveTarget({ flags, environment, cwd: folder, folders }).then((target) =>
    target.withSecrets(),
  );

async function saveProfiles() {
  const store = createProfileStore({ folders, clock: systemClock });
  const prod = {
    baseUrl: 'https://api.example.com',
    apiKey: 'key-1',
    workspaceId: 'w-1',
    org: 'acme',
    output: 'yaml',
  };
  await store.add('prod', prod, { authToken: TOKEN, workspaceAuthToken: 'workspace-token' });
  await store.add(
    'test',
    { baseUrl: 'https://test.example.com', headerPrefix: 'x-test-', protected: true },
    {},
  );
}

const writeFolderFile = (text: string, folder = cwd) => writeFile(join(folder, '.svc.json'), text);

describe('the settings', () => {
  it('are almost empty without configuration', async () => {
    expect(await resolve()).toEqual({
      readOnly: [],
      headerPrefix: { value: 'x-svc-', source: 'default' },
    });
  });

  it('come from the current profile, with the location of the secrets', async () => {
    await saveProfiles();
    const stored = `profile 'prod' (file ${join(folders.config, 'secrets.json')})`;
    expect(await resolve()).toEqual({
      readOnly: [],
      profile: { value: 'prod', source: 'default' },
      baseUrl: { value: 'https://api.example.com', source: "profile 'prod'" },
      headerPrefix: { value: 'x-svc-', source: 'default' },
      apiKey: { value: 'key-1', source: "profile 'prod'" },
      authToken: { value: TOKEN, source: stored },
      workspaceId: { value: 'w-1', source: "profile 'prod'" },
      workspaceAuthToken: { value: 'workspace-token', source: stored },
      org: { value: 'acme', source: "profile 'prod'" },
    });
  });

  it.each(
    Object.entries(SETTING_VARIABLES).filter(
      ([name]) => !['profile', 'baseUrl', 'apiKey', 'workspaceId', 'output'].includes(name),
    ),
  )('take %s from %s before the profile, and not when it is empty', async (name, variable) => {
    await saveProfiles();
    expect(await resolve({}, { [variable]: 'x-given' })).toMatchObject({
      [name]: { value: 'x-given', source: variable },
    });
    expect(await resolve({}, { [variable]: '' })).toEqual(await resolve());
  });

  it('take the profile name from flag, environment, and folder, in this order', async () => {
    await saveProfiles();
    await writeFolderFile('{"profile":"test"}');
    const environment = { SVC_PROFILE: 'prod' };
    expect((await resolve({ profile: 'test' }, environment)).profile).toEqual({
      value: 'test',
      source: 'flag --profile',
    });
    expect((await resolve({}, environment)).profile).toEqual({
      value: 'prod',
      source: 'SVC_PROFILE',
    });
    expect((await resolve()).profile).toEqual({ value: 'test', source: join(cwd, '.svc.json') });
    expect(await resolve()).toMatchObject({
      protectedBy: 'test',
      folderFile: '.svc.json',
      headerPrefix: { value: 'x-test-' },
    });
  });

  it('take org and output from environment, folder, and profile, in this order', async () => {
    await saveProfiles();
    const places = async (environment: Environment) => {
      const request = { flags: {}, environment, cwd, folders };
      const { org } = await resolve({}, environment);
      return [org?.value, (await resolveOutput(request, resolveTarget(request)))?.value];
    };
    expect(await places({})).toEqual(['acme', 'yaml']);
    await writeFolderFile('{"org":"by-folder","output":"json"}');
    expect(await places({})).toEqual(['by-folder', 'json']);
    expect(await places({ SVC_ORG: 'by-env', SVC_OUTPUT: 'csv' })).toEqual(['by-env', 'csv']);
  });

  it('come from the nearest .svc.json in a parent folder', async () => {
    const inner = join(cwd, 'a', 'b');
    await mkdir(inner, { recursive: true });
    await writeFolderFile('{"org":"outer"}');
    expect((await resolve({}, {}, inner)).org?.value).toBe('outer');
    await writeFolderFile('{"org":"inner"}', join(cwd, 'a'));
    expect((await resolve({}, {}, inner)).org?.value).toBe('inner');
  });

  it('suggest a similar profile if the name does not exist', async () => {
    await saveProfiles();
    await expect(resolve({ profile: 'prd' })).rejects.toMatchObject({
      failure: 'usage',
      message: "flag --profile: profile 'prd' does not exist",
      hint: "did you mean 'prod'?",
    });
  });
});

describe('profiles with the same base URL and API key', () => {
  const TARGET = { baseUrl: 'https://api.example.com', apiKey: 'key-1' };
  const rule = (approvals: number, path: string, digit = 'a') => ({
    approvals,
    signers: { path, sha256: digit.repeat(64) },
  });

  it('share their protections, whichever one is named', async () => {
    const store = createProfileStore({ folders, clock: systemClock });
    await store.add('plain', { ...TARGET, baseUrl: 'https://API.example.com/' }, {});
    await store.add('prod', { ...TARGET, protected: true, ...rule(1, '/one') }, {});
    await store.add('audit', { ...TARGET, readOnly: true, ...rule(2, '/two') }, {});
    await store.add('own', { ...TARGET, ...rule(1, '/other', 'b') }, {});
    await store.add('other-key', { ...TARGET, apiKey: 'key-2' }, {});
    const shared = {
      protectedBy: 'prod',
      readOnly: [{ source: "profile 'audit'", scope: 'all' }],
      approvals: [
        { rule: { count: 2, signers: { path: '/two' } }, profile: 'audit' },
        { rule: { count: 1, signers: { path: '/other' } }, profile: 'own' },
      ],
    };
    expect(await resolve({ profile: 'plain' })).toMatchObject(shared);
    expect(await resolve({ profile: 'prod' })).toMatchObject(shared);
    await store.add('dotted', { ...TARGET, baseUrl: 'https://api.example.com./' }, {});
    expect(await resolve({ profile: 'dotted' })).toMatchObject(shared);
    await store.add('at-home', { baseUrl: 'http://localhost:1', apiKey: 'k', protected: true }, {});
    await store.add('loopback', { baseUrl: 'http://127.0.0.1:1', apiKey: 'k' }, {});
    expect(await resolve({ profile: 'loopback' })).toMatchObject({ protectedBy: 'at-home' });
    const other = await resolve({ profile: 'other-key' });
    expect(other).toMatchObject({ readOnly: [] });
    expect(other).not.toHaveProperty('protectedBy');
    expect(other).not.toHaveProperty('approvals');
  });
});

describe('a .svc.json', () => {
  it.each([
    ['{"profile":"prod","authToken":"hunter2"}', "'authToken'"],
    ['{"baseUrl":"https://evil.example.com"}', "'baseUrl'"],
    ['{"apiKey":"key-1"}', "'apiKey'"],
    ['{"__proto__":{"org":"x"}}', "'__proto__'"],
    ['{"org":7}', 'org'],
    ['["prod"]', 'object'],
    ['{"profile":"hunter2"', 'JSON'],
  ])('that contains %s is rejected by path, without repeating the content', async (text, named) => {
    await writeFolderFile(text);
    const refused = await resolve().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      failure: 'usage',
      message: expect.stringContaining(join(cwd, '.svc.json')),
    });
    expect(refused).toMatchObject({ message: expect.stringContaining(named) });
    expect(String(refused)).not.toMatch(/hunter2|evil/);
  });
});

describe('stored credentials', () => {
  it.each([
    { baseUrl: 'https://elsewhere.example.com' },
    { baseUrl: 'http://api.example.com' },
    { baseUrl: 'https://api.example.com:8443' },
    { baseUrl: 'https://api.example.com.evil.example' },
    { baseUrl: 'https://api.example.com/other-tenant' },
  ])('are not sent to another origin: $baseUrl', async (flags) => {
    await saveProfiles();
    const byFlag = await resolve(flags);
    const byVariable = await resolve({}, { SVC_BASE_URL: flags.baseUrl });
    for (const settings of [byFlag, byVariable]) {
      expect(settings.baseUrl?.value).toBe(flags.baseUrl);
      expect(settings.missingReason).toContain('https://api.example.com only');
      for (const name of ['apiKey', 'authToken', 'workspaceId', 'workspaceAuthToken'] as const) {
        expect(settings[name]).toBeUndefined();
      }
    }
  });

  it('are sent to their own base URL, however it is written', async () => {
    await saveProfiles();
    const target = await resolve({ baseUrl: 'https://API.example.com:443/' });
    expect(target.baseUrl?.value).toBe('https://api.example.com');
    expect(target.authToken?.value).toBe(TOKEN);
    expect(target.missingReason).toBeUndefined();
  });

  it('do not replace those of the environment', async () => {
    await saveProfiles();
    const environment = {
      SVC_BASE_URL: 'https://elsewhere.example.com',
      SVC_API_KEY: 'k',
      SVC_AUTH_TOKEN: 't',
    };
    expect(await resolve({}, environment)).toMatchObject({
      apiKey: { value: 'k' },
      authToken: { value: 't' },
    });
  });

  it('are not read from the profiles file, or without a base URL', async () => {
    await mkdir(folders.config, { recursive: true });
    const book = { current: 'prod', profiles: { prod: { apiKey: 'key-1', authToken: 'planted' } } };
    await writeFile(join(folders.config, 'profiles.json'), JSON.stringify(book));
    await writeFile(join(folders.config, 'secrets.json'), '{"prod":{"authToken":"stored"}}');
    expect((await resolve({ baseUrl: 'https://elsewhere.example.com' })).authToken).toBeUndefined();
  });
});

describe('an invalid value', () => {
  it.each([
    ['SVC_AUTH_TOKEN', 'hunter2\nx-evil: 1'],
    ['SVC_WORKSPACE_AUTH_TOKEN', 'hunter2\u20ac'],
    ['SVC_API_KEY', 'hunter2\0'],
    ['SVC_BASE_URL', 'https://user:hunter2@api.example.com'],
    ['SVC_BASE_URL', 'ftp://hunter2'],
    ['SVC_BASE_URL', 'hunter2'],
    ['SVC_BASE_URL', 'https://api.example.com/?token=hunter2'],
    ['SVC_HEADER_PREFIX', 'hunter2: '],
  ])(
    'is rejected with the name of its source, without repeating it: %s=%j',
    async (variable, value) => {
      const refused = await resolve({}, { [variable]: value }).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        failure: 'usage',
        message: expect.stringContaining(variable),
      });
      expect(`${String(refused)} ${Object(refused).hint}`).not.toContain('hunter2');
    },
  );
});
