import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readBundle } from '../../packaging/executable/modules.ts';
import { HOME } from '../acceptance/svc.ts';
import { packPackage } from './packed.ts';

const execute = promisify(execFile);

/** Moves the clock of Node.js by ten years. */
const LATER = `data:text/javascript,${encodeURIComponent(`
  const now = Date.now;
  Date.now = () => now() + 315e9;
  globalThis.Date = class extends Date { constructor(...given) { super(...(given.length ? given : [Date.now()])); } };`)}`;

/** Copies the sources to a new folder, with links to the files of the dependencies. */
async function copyCheckout(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await execute('git', listed, { cwd: HOME });
  for (const path of stdout.split('\0').filter(Boolean))
    await cp(join(HOME, path), join(folder, path)).catch(() => undefined);
  await execute('cp', ['-al', join(HOME, 'node_modules'), join(folder, 'node_modules')]);
}

/** Hashes the modules of an executable, without the code that V8 compiles, which differs. */
async function hashModules(bundle: string) {
  const modules = [...(await readBundle(bundle))];
  return modules.map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]);
}

it('a build in another folder, years later, has the same bytes', {
  timeout: 600_000,
}, async () => {
  // Beside the dependencies, so that they can be linked.
  const parent = await mkdtemp(join(HOME, 'coverage-'));
  try {
    const folder = join(parent, 'another', 'folder');
    await copyCheckout(folder);
    const env = { ...process.env, NODE_OPTIONS: `--import=${LATER}`, TZ: 'Pacific/Auckland' };
    for (const script of ['esbuild.config.ts', 'packaging/package.ts'])
      await execute(process.execPath, [script], { cwd: folder, env });
    const { stdout } = await execute('npm', ['pack', '--json', './dist'], { cwd: folder, env });
    const [{ filename }] = JSON.parse(stdout);
    const packed = await packPackage();
    const bill = join('dist', 'sbom.cdx.json');
    expect(await readFile(join(folder, bill), 'utf8')).toBe(
      await readFile(join(packed.folder, 'sbom.cdx.json'), 'utf8'),
    );
    const modules = await hashModules(join(HOME, 'dist'));
    expect(modules.length).toBeGreaterThan(100);
    expect(await hashModules(join(folder, 'dist'))).toEqual(modules);
    const [expected, actual] = [
      await readFile(packed.tarball),
      await readFile(join(folder, filename)),
    ];
    expect(actual.equals(expected)).toBe(true);
  } finally {
    await rm(parent, { recursive: true });
  }
});
