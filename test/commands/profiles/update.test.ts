import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { UpdateFlags } from '../../../src/commands/profiles/flags.ts';
import { updateProfile } from '../../../src/commands/profiles/update.ts';
import type { Profile, Secrets } from '../../../src/profiles/profile.ts';
import { readProfiles } from '../../../src/profiles/profiles-file.ts';
import { createSecretStorage, readSecrets } from '../../../src/profiles/secrets.ts';
import { createProfileStore } from '../../../src/profiles/store.ts';
import { failure, startMockService, success } from '../../acceptance/mock-service.ts';
import { SIGNERS } from '../../signers.ts';
import { type FakeContextOptions, fakeContext } from '../fake-context.ts';

const BASE_URL = 'https://api.example.com';
/** Creates a profile with a token, and runs updates of it. */
async function createUser(given: Profile = {}, tokens: Secrets = { authToken: 'old-token' }) {
  const { folders, cwd } = await fakeContext();
  const profile = { baseUrl: BASE_URL, apiKey: 'key-1', ...given };
  const store = createProfileStore(await fakeContext({ folders }));
  await store.add('prod', profile, tokens, { insecure: true });
  await writeFile(join(cwd, 'signers'), SIGNERS);
  const profileOf = async () => (await readProfiles(folders)).profiles.get('prod') ?? {};
  return {
    cwd,
    profileOf,
    update: async (options: UpdateFlags, world: FakeContextOptions = {}) => {
      const context = await fakeContext({ folders, cwd, ...world });
      const invocation = { arguments: ['prod'], options: { verify: false as const, ...options } };
      const error: unknown = await updateProfile(context, invocation).catch((thrown) => thrown);
      return { error, stderr: context.stderr(), questions: context.questions };
    },
    secretsOf: async () => {
      const storage = createSecretStorage({ folders });
      const { secrets } = await readSecrets(storage, await profileOf());
      return { authToken: secrets.authToken?.value, workspace: secrets.workspaceAuthToken?.value };
    },
  };
}

describe('profiles update', () => {
  it('changes the given fields and keeps all others with the secrets', async () => {
    const { update, profileOf, secretsOf } = await createUser({ org: 'acme', output: 'json' });
    const { id, secrets } = await profileOf();
    const run = await update({ org: 'beta', headerPrefix: 'X-Acme-', readOnly: true });
    expect(run).toMatchObject({
      error: undefined,
      stderr: "Updated profile 'prod': header prefix, organization, read-only\n",
    });
    expect(await profileOf()).toEqual({
      baseUrl: BASE_URL,
      apiKey: 'key-1',
      org: 'beta',
      output: 'json',
      headerPrefix: 'x-acme-',
      readOnly: true,
      id,
      secrets,
    });
    expect(await secretsOf()).toMatchObject({ authToken: 'old-token' });
    await update({ org: '' });
    expect(await profileOf()).not.toHaveProperty('org');
    expect((await update({ readOnly: true })).stderr).toBe(
      "profile 'prod' already has these values\n",
    );
  });

  it.each([
    ['stdin', { authTokenStdin: true }],
    ['a file', { authTokenFile: 'token.txt' }],
  ])('saves a new token from %s', async (_, flags) => {
    const { update, secretsOf, cwd } = await createUser();
    await writeFile(join(cwd, 'token.txt'), 'new-token\n');
    const { stderr } = await update(flags, { stdin: 'new-token\n' });
    expect(stderr).toBe("Updated profile 'prod': auth token\n");
    expect(await secretsOf()).toMatchObject({ authToken: 'new-token' });
  });

  it('saves nothing without a terminal if no field was given', async () => {
    const { update, profileOf } = await createUser();
    const before = await profileOf();
    expect((await update({})).error).toMatchObject({
      failure: 'usage',
      message: 'no field to change was given',
    });
    expect(await profileOf()).toEqual(before);
  });

  it('asks for the token on a terminal if no field was given', async () => {
    const { update, secretsOf } = await createUser();
    const { questions } = await update({}, { answers: ['typed-token'] });
    expect(questions).toEqual(['Auth token of key-1']);
    expect(await secretsOf()).toMatchObject({ authToken: 'typed-token' });
  });

  it('never sends a secret to another origin', async () => {
    const other = { options: { baseUrl: 'https://other.example.com' } };
    const { update, profileOf, secretsOf } = await createUser(
      { workspaceId: 'w1' },
      { authToken: 'old-token', workspaceAuthToken: 'old-workspace' },
    );
    const before = await profileOf();
    const refused = await update({ authTokenStdin: true }, { ...other, stdin: 'new-token' });
    expect(refused.error).toMatchObject({
      failure: 'usage',
      message: `another base URL needs the workspace auth token again; it was saved for ${BASE_URL} only`,
    });
    expect(await profileOf()).toEqual(before);
    const moved = await update({}, { ...other, answers: ['token-2', 'workspace-2'] });
    expect(moved.questions).toEqual(['Auth token of key-1', 'Auth token of workspace w1']);
    expect(await secretsOf()).toEqual({ authToken: 'token-2', workspace: 'workspace-2' });
    expect(await profileOf()).toMatchObject({ baseUrl: 'https://other.example.com' });
  });

  it('accepts an address of this machine without a scheme', async () => {
    const { update, profileOf } = await createUser({}, {});
    await update({}, { options: { baseUrl: '127.0.0.1:8080' } });
    expect(await profileOf()).toMatchObject({ baseUrl: 'http://127.0.0.1:8080' });
  });

  it('asks again for a typed token that the service rejects', async () => {
    const { env } = await startMockService(({ headers }) =>
      headers['x-svc-auth-token'] === 'good-token'
        ? success({})
        : failure(401, 'UNAUTHENTICATED', 'no'),
    );
    const { update, secretsOf } = await createUser({ baseUrl: env.SVC_BASE_URL });
    const run = await update({ verify: undefined }, { answers: ['bad-token', 'good-token'] });
    expect(run.questions).toEqual(['Auth token of key-1', 'Auth token of key-1']);
    expect(run.stderr).toContain('the service rejected the API key or its auth token');
    expect(run.stderr).toContain("Updated profile 'prod': auth token (verified)");
    expect(await secretsOf()).toMatchObject({ authToken: 'good-token' });
    const script = await update(
      { verify: undefined, authTokenStdin: true },
      { stdin: 'bad-token' },
    );
    expect(script.error).toMatchObject({ failure: 'unauthenticated' });
    expect(await secretsOf()).toMatchObject({ authToken: 'good-token' });
  });
});

describe('profiles update of protections', () => {
  const LOOSER: readonly (readonly [string, Profile, UpdateFlags])[] = [
    ['read-only', { readOnly: true }, { readOnly: false }],
    ['protected', { protected: true }, { protected: false }],
  ];

  it.each(LOOSER)(
    'lets only a person who types the name loosen %s',
    async (name, given, options) => {
      const { update, profileOf } = await createUser(given);
      const before = await profileOf();
      for (const world of [
        {},
        { options: { yes: true } },
        { environment: { SVC_ALLOW: 'prod' } },
      ]) {
        const { error } = await update(options, world);
        expect(error).toMatchObject({
          failure: 'usage',
          message:
            "only a person at a terminal can loosen the protection of profile 'prod'; nothing was changed",
          hint: undefined,
        });
      }
      const mistyped = await update(options, { answers: ['yes'], options: { yes: true } });
      expect(mistyped.error).toMatchObject({ failure: 'usage' });
      expect(await profileOf()).toEqual(before);
      const { questions, stderr } = await update(options, { answers: ['prod'] });
      expect(questions).toEqual([
        `This loosens the protection of profile prod: no longer ${name}. Type the profile name to continue`,
      ]);
      expect(stderr).toBe(`Updated profile 'prod': not ${name}\n`);
    },
  );

  it('demands approvals at once, and loosens them only for a person', async () => {
    const { update, profileOf, cwd } = await createUser();
    const demanding = await update({ approvals: '2', signers: 'signers' });
    expect(demanding.stderr).toBe("Updated profile 'prod': approvals, signers\n");
    const rule = { approvals: 2, signers: { path: join(cwd, 'signers') } };
    expect(await profileOf()).toMatchObject(rule);
    await writeFile(join(cwd, 'others'), SIGNERS.replaceAll('example.com', 'example.org'));
    const looser: readonly UpdateFlags[] = [
      { approvals: '1' },
      { approvals: false },
      { signers: 'others' },
    ];
    for (const options of looser)
      expect((await update(options)).error).toMatchObject({ failure: 'usage' });
    expect(await profileOf()).toMatchObject(rule);
    await update({ approvals: false }, { answers: ['prod'] });
    expect(await profileOf()).not.toHaveProperty('approvals');
    expect(await profileOf()).not.toHaveProperty('signers');
  });

  it.each([
    ['no signers', { approvals: '1' }, 'usage'],
    ['no number', { signers: 'signers' }, 'usage'],
    ['too few signers', { approvals: '3', signers: 'signers' }, 'usage'],
    ['zero', { approvals: '0', signers: 'signers' }, 'usage'],
    ['a word', { approvals: 'two', signers: 'signers' }, 'usage'],
    ['a missing file', { approvals: '1', signers: 'nowhere' }, 'invalid_input'],
    ['a damaged file', { approvals: '1', signers: 'damaged' }, 'invalid_input'],
    ['a key of another type', { approvals: '1', signers: 'mixed' }, 'invalid_input'],
    ['an empty file', { approvals: '1', signers: 'empty' }, 'invalid_input'],
  ] as const)('refuses approvals with %s', async (_, options, expected) => {
    const { update, profileOf, cwd } = await createUser();
    await writeFile(join(cwd, 'damaged'), `${SIGNERS}\nnot a signer\n`);
    await writeFile(join(cwd, 'mixed'), SIGNERS.replaceAll('ssh-ed25519', 'sk-ssh-ed25519'));
    await writeFile(join(cwd, 'empty'), '# nobody\n');
    expect((await update(options)).error).toMatchObject({ failure: expected });
    expect(await profileOf()).not.toHaveProperty('approvals');
  });
});
