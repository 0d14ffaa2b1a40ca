import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compileModules } from './executable/compiled-code.ts';
import { findMain, readBundle } from './executable/modules.ts';
import { fetchPackage, TARGETS, type Target } from './executable/targets.ts';
import { buildLoader } from './loader/build-loader.ts';

/**
 * Builds executables, each a copy of Node.js that contains the bundle: `executables/svc-linux-x64`,
 * or in the folder `--to`. Arguments: names of targets, or `all` (default: the current platform).
 */
const own = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' } },
});
const { to = 'executables' } = values;
const wanted = positionals.length === 0 ? [own] : positionals;
const unknown = wanted.filter(
  (name) => name !== 'all' && !TARGETS.some((target) => target.name === name),
);
if (unknown.length > 0)
  throw new Error(
    `unknown target ${unknown.join(', ')}; known targets: ${TARGETS.map(({ name }) => name).join(', ')}`,
  );

const { version, optionalDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const folder = await mkdtemp(join(tmpdir(), 'svc-executable-'));
try {
  const bundle = await readBundle('dist');
  const files = new Map<string, Uint8Array>([
    ...bundle,
    ['main', Buffer.from(findMain(bundle))],
    ['version', Buffer.from(version)],
  ]);
  const code = await compileModules(files, folder);
  for (const target of TARGETS.filter(
    ({ name }) => wanted.includes(name) || wanted.includes('all'),
  )) {
    // Compiled code is platform-specific.
    await buildExecutable(target, new Map([...files, ...(target.name === own ? code : [])]));
  }
} finally {
  await rm(folder, { recursive: true });
}

async function buildExecutable(
  target: Target,
  files: ReadonlyMap<string, Uint8Array>,
): Promise<void> {
  const workFolder = join(folder, target.name);
  const nodeVersion = optionalDependencies[target.node.package];
  const node = await fetchPackage(target.node.package, nodeVersion, workFolder);
  const keychainVersion = optionalDependencies['@napi-rs/keyring'];
  const keychain = await fetchPackage(target.keychain.package, keychainVersion, workFolder);
  const assets = new Map(
    [...files].map(([name]) => [name, join(workFolder, encodeURIComponent(name))]),
  );
  await mkdir(workFolder, { recursive: true });
  for (const [name, content] of files) await writeFile(assets.get(name) ?? '', content);
  const loader = 'loader.cjs';
  await buildLoader('packaging/executable/loader.cjs', join(workFolder, loader));
  const blob = join(workFolder, 'blob');
  const settings = {
    // The executable records this path; a relative one is the same in each build.
    main: loader,
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: target.name === own,
    // Ignore NODE_OPTIONS, which is not intended for svc.
    execArgvExtension: 'none',
    assets: {
      ...Object.fromEntries(assets),
      'keyring.node': join(keychain, target.keychain.module),
    },
  };
  const config = 'config.json';
  await writeFile(join(workFolder, config), JSON.stringify(settings));
  execFileSync(await fetchNode(nodeVersion), ['--experimental-sea-config', config], {
    cwd: workFolder,
    stdio: 'pipe',
  });
  await mkdir(to, { recursive: true });
  const executable = join(to, `svc-${target.name}${target.suffix}`);
  await rm(executable, { force: true });
  await copyFile(join(node, target.node.program), executable);
  await chmod(executable, 0o755);
  inject(blob, executable);
  console.log(executable);
}

/**
 * Returns a Node.js of this version for the current platform: the blob must be written by the
 * version that reads it.
 */
async function fetchNode(wanted: string): Promise<string> {
  const ownTarget = TARGETS.find(({ name }) => name === own);
  if (!ownTarget || process.version === `v${wanted}`) return process.execPath;
  const nodeFolder = join(folder, `node-${wanted}`);
  await mkdir(nodeFolder, { recursive: true });
  return join(
    await fetchPackage(ownTarget.node.package, wanted, nodeFolder),
    ownTarget.node.program,
  );
}

function inject(blob: string, executable: string): void {
  const injector = fileURLToPath(new URL('cli.js', import.meta.resolve('postject')));
  const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
  // Hides postject's warnings about unnamed sections of Node.js, which occur on every target.
  execFileSync(process.execPath, [injector, executable, 'NODE_SEA_BLOB', blob, ...fuse], {
    stdio: 'pipe',
  });
}
