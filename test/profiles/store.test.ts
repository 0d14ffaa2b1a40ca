import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Folders } from '../../src/kernel/folders.ts';
import { createSecretStorage, readSecrets } from '../../src/profiles/secrets.ts';
import { createProfileStore } from '../../src/profiles/store.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { createUserFolders } from '../temporary-folder.ts';

const PROD = { baseUrl: 'https://api.example.com', apiKey: 'key-1' };

const openStore = (folders: Folders) => createProfileStore({ folders, clock: systemClock });

/** The secrets that calls with a profile would use. */
async function secretsOf(folders: Folders, name: string) {
  const profile = (await openStore(folders).read()).profiles.get(name);
  const { secrets } = await readSecrets(createSecretStorage({ folders }), profile ?? {});
  return Object.fromEntries(Object.entries(secrets).map(([secret, { value }]) => [secret, value]));
}

async function storeWith(...names: readonly string[]) {
  const folders = await createUserFolders();
  const store = openStore(folders);
  for (const name of names) await store.add(name, PROD, { authToken: `token of ${name}` });
  return { folders, store };
}

describe('the profiles', () => {
  it('keep added profiles, without the secrets', async () => {
    const { folders, store } = await storeWith('prod');
    expect((await store.read()).profiles.get('prod')).toMatchObject(PROD);
    expect(await readFile(join(folders.config, 'profiles.json'), 'utf8')).not.toContain(
      'token of prod',
    );
    expect(await secretsOf(folders, 'prod')).toEqual({ authToken: 'token of prod' });
  });

  it.each([['as JSON files'], ['with other names'], ['that are missing']])(
    'are written through links to files %s',
    async (kind) => {
      const folders = await createUserFolders();
      const vault = join(folders.config, '..', 'vault');
      await mkdir(vault);
      await mkdir(folders.config, { recursive: true });
      const ending = kind === 'as JSON files' ? '.json' : '.of-svc';
      for (const name of ['profiles', 'secrets']) {
        const content = name === 'profiles' ? '{"profiles":{}}' : '{}';
        if (kind !== 'that are missing')
          await writeFile(join(vault, name + ending), content, { mode: 0o600 });
        await symlink(`../vault/${name}${ending}`, join(folders.config, `${name}.json`));
      }
      await openStore(folders).add('prod', PROD, { authToken: 'the token' });
      for (const name of ['profiles', 'secrets']) {
        const path = join(folders.config, `${name}.json`);
        expect(await readlink(path)).toBe(`../vault/${name}${ending}`);
        expect((await stat(path)).mode & 0o777).toBe(0o600);
      }
      expect((await readdir(vault)).toSorted()).toEqual([`profiles${ending}`, `secrets${ending}`]);
      expect(await readFile(join(vault, `secrets${ending}`), 'utf8')).toContain('the token');
      expect(await secretsOf(folders, 'prod')).toEqual({ authToken: 'the token' });
    },
  );

  it('make the first one the current profile', async () => {
    const { store } = await storeWith('first', 'second');
    expect((await store.read()).current).toBe('first');
    await store.use('second');
    expect((await store.read()).current).toBe('second');
  });

  it('reject a name that exists, and keep the existing profile', async () => {
    const { folders, store } = await storeWith('prod');
    await expect(
      store.add('prod', { baseUrl: 'https://other.example.com' }, {}),
    ).rejects.toMatchObject({
      failure: 'already_exists',
    });
    expect((await store.read()).profiles.get('prod')).toMatchObject(PROD);
    expect(await secretsOf(folders, 'prod')).toEqual({ authToken: 'token of prod' });
  });

  it('keep their secrets and position when they are renamed', async () => {
    const { folders, store } = await storeWith('prod', 'test');
    await store.rename('prod', 'live');
    const { current, profiles } = await store.read();
    expect([current, [...profiles.keys()].sort()]).toEqual(['live', ['live', 'test']]);
    expect(await secretsOf(folders, 'live')).toEqual({ authToken: 'token of prod' });
    expect(await secretsOf(folders, 'prod')).toEqual({});
    await expect(store.rename('live', 'test')).rejects.toMatchObject({ failure: 'already_exists' });
  });

  it('leave no secrets when they are removed', async () => {
    const { folders, store } = await storeWith('prod');
    await store.remove('prod');
    expect(await store.read()).toEqual({ current: undefined, profiles: new Map(), leftovers: [] });
    expect(await readFile(join(folders.config, 'secrets.json'), 'utf8')).toBe('{}\n');
  });

  it.each(['use', 'remove'] as const)(
    'suggest a similar name when %s gets one that does not exist',
    async (method) => {
      const { store } = await storeWith('prod');
      await expect(store[method]('prd')).rejects.toMatchObject({
        failure: 'not_found',
        hint: "did you mean 'prod'?",
      });
    },
  );

  it('do not give an abandoned secret to a new profile of the same name', async () => {
    const { folders, store } = await storeWith('prod');
    await writeFile(join(folders.config, 'profiles.json'), '{"profiles":{}}');
    await store.add('prod', { baseUrl: 'https://elsewhere.example.com' }, {});
    expect(await secretsOf(folders, 'prod')).toEqual({});
  });

  it('keep fields that a newer version wrote', async () => {
    const { folders, store } = await storeWith();
    await mkdir(folders.config, { recursive: true });
    await writeFile(
      join(folders.config, 'profiles.json'),
      '{"profiles":{"prod":{"apiKey":"key-1","region":"eu"}}}',
    );
    await store.use('prod');
    expect((await store.read()).profiles.get('prod')).toEqual({ apiKey: 'key-1', region: 'eu' });
  });

  it('support any name, even one that a plain object would lose', SLOW, async () => {
    const names = fc.stringMatching(/^[A-Za-z0-9._-]{1,12}$/);
    const notable = fc.constantFrom('__proto__', 'constructor', 'toString', '10', '9', '.', '..');
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.oneof(names, notable), { minLength: 1, maxLength: 4 }),
        async (chosen) => {
          const { folders, store } = await storeWith(...chosen);
          expect([...(await store.read()).profiles.keys()].sort()).toEqual(chosen.toSorted());
          for (const name of chosen)
            expect(await secretsOf(folders, name)).toEqual({ authToken: `token of ${name}` });
        },
      ),
      { numRuns: repeats(8) },
    );
  });
});

describe('the files', () => {
  it('are accessible only to their owner, even if they were open before', async () => {
    const folders = await createUserFolders();
    await mkdir(folders.config, { recursive: true, mode: 0o755 });
    await chmod(folders.config, 0o755);
    await writeFile(join(folders.config, 'secrets.json'), '{}', { mode: 0o644 });
    await openStore(folders).add('prod', PROD, { authToken: 'secret' });
    const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(folders.config)).toBe('700');
    expect(await modeOf(join(folders.config, 'profiles.json'))).toBe('600');
    expect(await modeOf(join(folders.config, 'secrets.json'))).toBe('600');
  });

  const damaged = [
    ['profiles.json', '{"current": "prod", "pro'],
    ['profiles.json', ''],
    ['profiles.json', '[]'],
    ['profiles.json', '{"profiles":{"prod":{"apiKey":7}}}'],
    ['profiles.json', '{"profiles":{"prod":{"protected":"yes"}}}'],
    ['secrets.json', '{"prod":{"authToken":{"hunter2":1}}}'],
    ['secrets.json', '{"prod":{"authToken":"hunter2"'],
  ] as const;
  it.each(damaged)('never overwrite a damaged %s: %s', async (file, text) => {
    const { folders, store } = await storeWith('prod');
    const path = join(folders.config, file);
    await writeFile(path, text);
    const refused = await store
      .add('test', PROD, { authToken: 'secret' })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ failure: 'local', message: expect.stringContaining(path) });
    expect(String(refused)).not.toContain('hunter2');
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});
