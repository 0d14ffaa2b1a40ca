import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { BIN, HOME, newUser, run } from './svc.ts';

/** Runs Node.js with another reported version. */
async function runAsVersion(version: string, words = [BIN, '--version']) {
  const preload = join(await createTemporaryFolder(), 'version.cjs');
  await writeFile(
    preload,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
  );
  const { env } = await newUser();
  return run(['--require', preload, ...words], { env });
}

describe('the entry point', () => {
  it.each(['18.20.0', '20.20.2', '22.22.1', '23.11.0', '24.14.9', '25.0.0'])(
    'rejects Node.js %s with exit code 78 and one line',
    async (version) => {
      const { code, stdout, stderr } = await runAsVersion(version);
      expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).toContain(version);
      expect(stderr).toContain('npm ci');
    },
  );

  it('names a remedy that fits an installed package, which has no source', async () => {
    const folder = await createTemporaryFolder();
    const bin = join(folder, 'bin', 'svc.js');
    await cp(join(HOME, 'bin'), join(folder, 'bin'), { recursive: true });
    await cp(join(HOME, 'package.json'), join(folder, 'package.json'));
    const { code, stderr } = await runAsVersion('20.20.2', [bin, '--version']);
    expect([code, stderr]).toEqual([
      78,
      expect.stringMatching(/^svc: Node\.js 20\.20\.2 .* use the executable of svc.*\n$/),
    ]);
    expect(stderr).not.toContain('npm ci');
    const unbuilt = {
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^svc: the package was built without its code.*\n$/),
    };
    expect(await runAsVersion('24.21.0', [bin, '--version'])).toEqual(unbuilt);
  });

  it.each(['22.22.2', '22.30.0', '24.15.0', '24.21.0', '26.0.0', '27.1.0'])(
    'runs on Node.js %s',
    async (version) => {
      const { version: own } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
      expect(await runAsVersion(version)).toMatchObject({ code: 0, stdout: `${own}\n` });
    },
  );

  it('runs without a compile cache, as in Deno and Bun', async () => {
    const preload = join(await createTemporaryFolder(), 'no-cache.cjs');
    await writeFile(preload, `delete require('module').enableCompileCache;`);
    const { env } = await newUser();
    expect(await run(['--require', preload, BIN, '--version'], { env })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('runs without a cache if its folder is on a missing drive', async () => {
    const preload = join(await createTemporaryFolder(), 'no-drive.cjs');
    await writeFile(
      preload,
      `const fs = require('fs');
      const { existsSync } = fs;
      fs.existsSync = (path) => path !== '/' && !path.startsWith('/nowhere') && existsSync(path);`,
    );
    const { env } = await newUser();
    const words = ['--require', preload, BIN, '--version'];
    expect(await run(words, { env: { ...env, XDG_CACHE_HOME: '/nowhere' } })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('uses no syntax that an old Node.js cannot parse', async () => {
    const source = await readFile(BIN, 'utf8');
    expect(source).not.toMatch(/\b(const|let)\b|=>|`/);
  });
});

describe('the library', () => {
  const LIBRARY = join(HOME, 'dist', 'index.js');

  it.each([
    ['--input-type=module', '-e', `import '${LIBRARY}'`],
    ['-e', `require('${LIBRARY}')`],
  ])('rejects an old Node.js with one sentence: %s', async (...words) => {
    const { code, stderr } = await runAsVersion('20.20.2', words);
    expect(code).toBe(1);
    expect(stderr).toContain('Error: svc: Node.js 20.20.2 is not supported; svc needs ');
    expect(Math.max(...stderr.split('\n').map(({ length }) => length))).toBeLessThan(160);
  });
});
