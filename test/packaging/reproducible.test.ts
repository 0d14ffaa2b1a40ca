import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { INPUTS } from '../../packaging/bundle/build-inputs.ts';
import { readBundle } from '../../packaging/executable/modules.ts';
import { HOME } from '../acceptance/svc.ts';
import { packPackage } from './packed.ts';

const execute = promisify(execFile);

/** Moves the clock of Node.js by ten years. */
const LATER = `data:text/javascript,${encodeURIComponent(`
  const now = Date.now;
  Date.now = () => now() + 315e9;
  globalThis.Date = class extends Date { constructor(...given) { super(...(given.length ? given : [Date.now()])); } };`)}`;

/** Lists the files of this checkout: those that a build reads, and the others. */
async function listCheckout(): Promise<{ inputs: readonly string[]; others: readonly string[] }> {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await execute('git', listed, { cwd: HOME });
  const { inputs = [], others = [] } = Object.groupBy(stdout.split('\0').filter(Boolean), (path) =>
    INPUTS.some((input) => `${path}/`.startsWith(`${input}/`)) ? 'inputs' : 'others',
  );
  return { inputs, others };
}

async function copyFiles(paths: readonly string[], folder: string): Promise<void> {
  for (const path of paths) await cp(join(HOME, path), join(folder, path)).catch(() => undefined);
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
    const { inputs, others } = await listCheckout();
    await copyFiles(inputs, folder);
    await execute('cp', ['-al', join(HOME, 'node_modules'), join(folder, 'node_modules')]);
    const env = { ...process.env, NODE_OPTIONS: `--import=${LATER}`, TZ: 'Pacific/Auckland' };
    await execute(process.execPath, ['packaging/build.ts'], { cwd: folder, env });
    await copyFiles(others, folder);
    await execute(process.execPath, ['packaging/package.ts'], { cwd: folder, env });
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
