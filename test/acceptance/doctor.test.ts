import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { borrowAuthority } from '../client/certificates.ts';
import { listen } from '../listen.ts';
import { newUser } from './svc.ts';

describe('svc doctor with broken configuration', () => {
  it('reports a damaged or unreachable profiles file along with all other checks', async () => {
    const { home, svc } = await newUser();
    await writeFile(join(home, '.config'), 'no folder');
    const unreachable = await svc(['doctor']);
    expect(unreachable.stdout).toMatch(
      /^ok +node .*\n(.*\n)*fail +config-folder .*\n(.*\n)*fail +profile +cannot read /,
    );
    expect(unreachable.code).toBe(12);
    const config = join(home, 'config');
    await mkdir(join(config, 'svc'), { recursive: true, mode: 0o700 });
    await writeFile(join(config, 'svc', 'profiles.json'), '{', { mode: 0o600 });
    const damaged = await svc(['doctor'], { env: { XDG_CONFIG_HOME: config } });
    expect(damaged.stdout).toMatch(/^ok +node .*\n(.*\n)*fail +profile +.* is damaged/);
    expect(damaged.code).toBe(12);
  });

  it('reports a missing profile', async () => {
    const { svc } = await newUser();
    const { stdout, code } = await svc(['doctor'], { env: { SVC_PROFILE: 'gone' } });
    expect(stdout).toContain("SVC_PROFILE: profile 'gone' does not exist");
    expect(code).toBe(2);
  });

  it('continues if certificate checks are disabled, and reports that itself', async () => {
    const { svc } = await newUser();
    const authority = await borrowAuthority();
    const server = createServer(await authority.issue('IP:127.0.0.1'), (_, response) =>
      response.writeHead(401).end('{}'),
    );
    const address = await listen(server);
    const env = {
      SVC_BASE_URL: `https://${address}`,
      SVC_API_KEY: 'key-1',
      SVC_AUTH_TOKEN: 'token-of-the-key',
    };
    const { stdout, stderr } = await svc(['doctor'], {
      env: { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    expect(stdout).toMatch(
      /\nwarn +certificate-checks .*\n(.*\n)*warn +connection .*\n(.*\n)*info +answer +HTTP 401/,
    );
    expect(stderr).not.toContain('Warning:');
  });
});

describe('the home folder', () => {
  it('is never the current folder, so profiles in the current folder are ignored', async () => {
    const { home, svc } = await newUser();
    await mkdir(join(home, '.config', 'svc'), { recursive: true, mode: 0o700 });
    await writeFile(join(home, '.config', 'svc', 'profiles.json'), '{', { mode: 0o600 });
    expect((await svc(['whoami', '--all'])).stderr).toContain('damaged');
    for (const HOME of ['', '.']) {
      const { stderr } = await svc(['whoami', '--all'], { env: { HOME } });
      expect(stderr).not.toContain('damaged');
    }
  });
});
