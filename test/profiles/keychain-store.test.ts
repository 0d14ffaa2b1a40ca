import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Secrets } from '../../src/profiles/profile.ts';
import { resolveTarget } from '../../src/profiles/resolve.ts';
import { createProfileStore, type ProfileStore } from '../../src/profiles/store.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder, createUserFolders } from '../temporary-folder.ts';
import { fakeKeychain } from './fake-keyring.ts';

const PROD = { baseUrl: 'https://api.example.com', apiKey: 'key-1', workspaceId: 'w-1' };
const SECRETS = { authToken: 'token-of-prod-0123', workspaceAuthToken: 'token of a workspace' };

/** Saves a new secret for a profile, and keeps the others. */
const putToken = (store: ProfileStore, name: string, secrets: Secrets) =>
  store.edit(name, (profile, before) => ({ profile, secrets: { ...before, ...secrets } }));

/** The profiles of a user with a keychain, and the settings that a call would use. */
async function userWithKeychain() {
  const folders = await createUserFolders();
  const { keychain, kept, state } = fakeKeychain();
  const store = createProfileStore({ folders, clock: systemClock, keychain });
  const read = (name: string) => readFile(join(folders.config, name), 'utf8').catch(() => '');
  const cwd = await createTemporaryFolder();
  const settings = (profile: string, environment = {}) =>
    resolveTarget({ flags: { profile }, environment, cwd, folders, keychain }).then((settings) =>
      settings.withSecrets(),
    );
  /** The number of copies of a secret. */
  const copies = async (secret: string) => {
    const texts = [...kept.values(), await read('secrets.json'), await read('profiles.json')];
    return texts.join('\n').split(secret).length - 1;
  };
  return { folders, store, kept, state, read, settings, copies };
}

describe('secrets in a keychain', () => {
  it('are stored only there, and are found', async () => {
    const { store, settings, copies, read } = await userWithKeychain();
    expect(await store.add('prod', PROD, SECRETS)).toEqual({
      location: 'keychain',
      keychainProblem: undefined,
    });
    for (const secret of Object.values(SECRETS)) expect(await copies(secret)).toBe(1);
    expect(await read('secrets.json')).toBe('');
    expect(JSON.parse(await read('profiles.json'))).not.toHaveProperty('leftovers');
    expect(await settings('prod')).toMatchObject({
      authToken: { value: SECRETS.authToken, source: "profile 'prod' (keychain)" },
      workspaceAuthToken: {
        value: SECRETS.workspaceAuthToken,
        source: "profile 'prod' (keychain)",
      },
    });
  });

  it('are read only if no other source provides them', async () => {
    const { store, state, settings } = await userWithKeychain();
    await store.add('prod', PROD, { authToken: 'a-token' });
    state.calls = 0;
    await settings('prod', { SVC_AUTH_TOKEN: 'x' });
    expect(state.calls).toBe(0);
    await settings('prod');
    expect(state.calls).toBe(1);
  });

  it('stay in place when the profile is renamed, and are deleted with it', async () => {
    const { store, kept, settings } = await userWithKeychain();
    await store.add('prod', PROD, SECRETS);
    const before = [...kept.keys()];
    await store.rename('prod', 'live');
    expect([...kept.keys()]).toEqual(before);
    expect((await settings('live')).authToken?.value).toBe(SECRETS.authToken);
    expect(await store.remove('live')).toBe(true);
    expect(kept.size).toBe(0);
  });

  it('are stored in one location only after each move', async () => {
    const { store, copies, settings } = await userWithKeychain();
    await store.add('prod', PROD, SECRETS);
    for (const insecure of [true, false, true, true, false, false]) {
      await store.add('prod', PROD, SECRETS, { replace: true, insecure });
      for (const secret of Object.values(SECRETS)) expect(await copies(secret)).toBe(1);
      expect((await settings('prod')).authToken?.source).toContain(insecure ? 'file' : 'keychain');
    }
  });

  it('are replaced in their location, without changing the others', async () => {
    const { store, copies, settings } = await userWithKeychain();
    for (const insecure of [true, false]) {
      await store.add(`p${insecure}`, PROD, SECRETS, { insecure });
      await putToken(store, `p${insecure}`, { authToken: `new-token-${insecure}` });
      expect(await settings(`p${insecure}`)).toMatchObject({
        authToken: {
          value: `new-token-${insecure}`,
          source: expect.stringContaining(insecure ? 'file' : 'keychain'),
        },
        workspaceAuthToken: { value: SECRETS.workspaceAuthToken },
      });
    }
    expect(await copies(SECRETS.authToken)).toBe(0);
  });

  it('are stored only in the file if the keychain fails', async () => {
    const { store, state, copies, settings } = await userWithKeychain();
    state.fault = 'did not respond within 3 s';
    const kept = await store.add('prod', PROD, SECRETS);
    expect(kept).toEqual({
      location: expect.stringContaining('secrets.json'),
      keychainProblem: state.fault,
    });
    expect(await copies(SECRETS.authToken)).toBe(1);
    expect((await settings('prod')).authToken?.value).toBe(SECRETS.authToken);
    await store.add('test', PROD, { authToken: 'first-token' });
    state.fault = undefined;
    await store.add('late', PROD, { authToken: 'late-token' });
    state.fault = 'is locked';
    await putToken(store, 'late', { authToken: 'later-token' });
    expect([await copies('late-token'), await copies('later-token')]).toEqual([1, 1]);
    state.fault = undefined;
    await store.use('late');
    expect([await copies('late-token'), await copies('later-token')]).toEqual([0, 1]);
  });

  it('are withheld with a reason if the keychain fails, and all other settings are available', async () => {
    const { store, state, settings } = await userWithKeychain();
    await store.add('prod', PROD, SECRETS);
    state.fault = 'did not respond within 3 s';
    expect(await settings('prod')).toMatchObject({
      apiKey: { value: 'key-1' },
      missingReason: "profile 'prod': the keychain did not respond within 3 s",
    });
    expect(await settings('prod')).not.toHaveProperty('authToken');
  });

  it('are deleted later if the keychain fails to delete them', async () => {
    const { store, kept, state } = await userWithKeychain();
    await store.add('prod', PROD, SECRETS);
    state.fault = 'did not respond within 3 s';
    expect(await store.remove('prod')).toBe(false);
    expect((await store.read()).profiles.size).toBe(0);
    expect(kept.size).toBe(2);
    state.fault = undefined;
    await store.add('other', {}, {});
    expect(kept.size).toBe(0);
    expect((await store.read()).leftovers).toEqual([]);
  });
});

describe('a profile whose base URL was edited by hand', () => {
  it.each([true, false])(
    'does not send its secrets to another origin (in a file: %s)',
    async (insecure) => {
      const { folders, store, read, settings } = await userWithKeychain();
      await store.add('prod', PROD, SECRETS, { insecure });
      const path = join(folders.config, 'profiles.json');
      await writeFile(
        path,
        (await read('profiles.json')).replace('api.example.com', 'evil.example.com'),
      );
      const found = await settings('prod');
      expect(found).not.toHaveProperty('authToken');
      expect(found).not.toHaveProperty('workspaceAuthToken');
      expect(found.missingReason).toContain('was saved for https://api.example.com');
      await putToken(store, 'prod', { authToken: 'for-the-new-one' });
      expect(await settings('prod')).toMatchObject({ authToken: { value: 'for-the-new-one' } });
      expect(await settings('prod')).not.toHaveProperty('workspaceAuthToken');
    },
  );
});

/** Possible steps of a user, each with a working or failing keychain. */
const step = fc.record({
  verb: fc.constantFrom('add', 'replace', 'put', 'rename', 'remove', 'use'),
  name: fc.constantFrom('a', 'b'),
  insecure: fc.boolean(),
  works: fc.boolean(),
});

it(
  'after any sequence of steps, every secret in use is stored exactly once, and no others remain',
  SLOW,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const { store, state, copies, settings, kept } = await userWithKeychain();
        const tokens = new Map<string, string>();
        const every: string[] = [];
        for (const [index, { verb, name, insecure, works }] of steps.entries()) {
          state.fault = works ? undefined : 'is locked';
          const other = name === 'a' ? 'b' : 'a';
          const token = `token-${index}-end`;
          every.push(token);
          const done = await {
            add: () => store.add(name, PROD, { authToken: token }, { insecure }),
            replace: () => store.add(name, PROD, { authToken: token }, { insecure, replace: true }),
            put: () => putToken(store, name, { authToken: token }),
            rename: () => store.rename(name, other),
            remove: () => store.remove(name),
            use: () => store.use(name),
          }
            [verb]()
            .then(
              () => true,
              () => false,
            );
          if (!done) continue;
          if (verb === 'rename') tokens.set(other, tokens.get(name) ?? '');
          if (verb === 'rename' || verb === 'remove') tokens.delete(name);
          if (verb === 'add' || verb === 'replace' || verb === 'put') tokens.set(name, token);
        }
        state.fault = undefined;
        await store.add('last', {}, {});
        for (const [name, token] of tokens)
          expect((await settings(name)).authToken?.value).toBe(token);
        const inUse = new Set(tokens.values());
        for (const token of every) expect(await copies(token)).toBe(inUse.has(token) ? 1 : 0);
        expect(kept.size).toBeLessThanOrEqual(tokens.size);
      }),
      { numRuns: repeats(12) },
    );
  },
);
