import { spawnSync } from 'node:child_process';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SLOW } from '../slow.ts';
import { startServing } from './serving.ts';
import { HOME, newUser, type User } from './svc.ts';

const isRoot = process.getuid?.() === 0;
const canMount =
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs $d && umount $d']).status === 0;

/** Creates a user who cannot write to the home folder. For root, that takes a file system. */
async function newReadOnlyUser(): Promise<User & { readonly folder: string }> {
  const { home: folder } = await newUser();
  const home = join(folder, 'home');
  await mkdir(home);
  if (isRoot) {
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', home]);
    onTestFinished(() => void spawnSync('umount', ['-l', home]));
  } else await chmod(home, 0o500);
  return { ...(await newUser(home)), folder };
}

describe.runIf(process.platform !== 'win32' && (!isRoot || canMount))('a read-only home', () => {
  it('is enough for calls, imports with a state folder elsewhere, and plans', SLOW, async () => {
    const { svc, folder } = await newReadOnlyUser();
    const service = await startServing(await newUser());
    const setting = { env: { ...service.env, ...service.workspaceEnv, HOOK_TOKEN: 'h' } };
    for (const words of [
      ['organizations', 'add', '--org', 'acme'],
      ['folders', 'add', '--org', 'acme', '--folder', 'f1', '--name', 'One'],
      ['folders', 'list', '--org', 'acme'],
      ['users', 'add', '--org', 'acme', '--user', 'u1'],
      ['plan', '-f', join(HOME, 'examples', 'svc.yaml')],
      ['jobs', 'list'],
      ['history'],
    ]) {
      expect({ words, ...(await svc(words, setting)) }).toMatchObject({ words, code: 0 });
    }
    const words = ['users', 'add', '--org', 'acme', '--yes', '-o', 'json', '--file'];
    const state = { ...setting.env, XDG_STATE_HOME: join(folder, 'state') };
    const added = await svc([...words, join(HOME, 'examples', 'users.csv')], { env: state });
    expect(added.code, added.stderr).toBe(0);
    expect(JSON.parse(added.stdout)).toMatchObject({ total: 10, succeeded: 10 });
  });

  it(
    'fails commands that must store something, with one line and before a request',
    SLOW,
    async () => {
      const { svc } = await newReadOnlyUser();
      const service = await startServing(await newUser());
      const reason = isRoot ? 'the file system is read-only' : 'permission denied';
      for (const words of [
        ['users', 'add', '--org', 'acme', '--yes', '--file', join(HOME, 'examples', 'users.csv')],
        ['folders', 'list', '--local', '--org', 'acme'],
        ['profiles', 'add', 'p', '--base-url', 'https://api.example.com', '--api-key', 'k'],
      ]) {
        const { code, stdout, stderr } = await svc(words, { env: service.env });
        expect({ words, code, stdout }).toEqual({ words, code: 12, stdout: '' });
        expect(stderr).toMatch(new RegExp(`^svc: cannot create .*: ${reason}\\n(hint: .*\\n)?$`));
      }
      expect(await service.call('/v1/users/get', { organizationId: 'acme' })).toMatchObject({
        ok: false,
      });
    },
  );
});
