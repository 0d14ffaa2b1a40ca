import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { signedAdHoc } from './packaging/executable/ad-hoc-signature.ts';
import { compiledCode } from './packaging/executable/compiled-code.ts';
import { bundleFiles } from './packaging/executable/modules.ts';
import { packageFolder, TARGETS, type Target } from './packaging/executable/targets.ts';

/**
 * Makes executables from the bundle, each a Node.js with the bundle in it: `executables/svc-linux-x64`, or in the folder
 * of `--to`. Takes the names of the targets, and makes this machine's own unless there are any; `all` is all of them.
 */
const own = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const { values, positionals } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } });
const { to = 'executables' } = values;
const wanted = positionals.length === 0 ? [own] : positionals;
const unknown = wanted.filter((name) => name !== 'all' && !TARGETS.some((target) => target.name === name));
if (unknown.length > 0)
  throw new Error(`no target ${unknown.join(', ')}: ${TARGETS.map(({ name }) => name).join(', ')}`);

const { version, optionalDependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const folder = await mkdtemp(join(tmpdir(), 'svc-executable-'));
try {
  const files = new Map<string, Uint8Array>([...(await bundleFiles('dist')), ['version', Buffer.from(version)]]);
  const code = await compiledCode(files, folder);
  for (const target of TARGETS.filter(({ name }) => wanted.includes(name) || wanted.includes('all'))) {
    // Compiled code is for one kind of machine.
    await makeExecutable(target, new Map([...files, ...(target.name === own ? code : [])]));
  }
} finally {
  await rm(folder, { recursive: true });
}

async function makeExecutable(target: Target, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const place = join(folder, target.name);
  const nodeVersion = target.node.version ?? optionalDependencies[target.node.package];
  const node = await packageFolder(target.node.package, nodeVersion, place);
  const keychainVersion = optionalDependencies['@napi-rs/keyring'];
  const keychain = await packageFolder(target.keychain.package, keychainVersion, place);
  const assets = new Map([...files].map(([name]) => [name, join(place, encodeURIComponent(name))]));
  await mkdir(place, { recursive: true });
  for (const [name, content] of files) await writeFile(assets.get(name) ?? '', content);
  const loader = 'packaging/executable/loader.cjs';
  const blob = join(place, 'blob');
  const settings = {
    main: loader,
    output: blob,
    disableExperimentalSEAWarning: true,
    useCodeCache: target.name === own,
    // What the environment tells Node.js is not meant for svc.
    execArgvExtension: 'none',
    assets: {
      ...Object.fromEntries(assets),
      'loader.cjs': loader,
      'keyring.node': join(keychain, target.keychain.module),
    },
  };
  const config = join(place, 'config.json');
  await writeFile(config, JSON.stringify(settings));
  execFileSync(await nodeOfVersion(nodeVersion), ['--experimental-sea-config', config], { stdio: 'pipe' });
  await mkdir(to, { recursive: true });
  const executable = join(to, `svc-${target.name}${target.suffix}`);
  await rm(executable, { force: true });
  await copyFile(join(node, target.node.program), executable);
  await chmod(executable, 0o755);
  inject(blob, executable);
  if (target.name.startsWith('darwin')) await writeFile(executable, signedAdHoc(await readFile(executable), 'svc'));
  console.log(executable);
}

/** A Node.js of a version that runs here: only the same one writes what that of an executable reads. */
async function nodeOfVersion(wanted: string): Promise<string> {
  const here = TARGETS.find(({ name }) => name === own);
  if (!here || process.version === `v${wanted}`) return process.execPath;
  const place = join(folder, `node-${wanted}`);
  await mkdir(place, { recursive: true });
  return join(await packageFolder(here.node.package, wanted, place), here.node.program);
}

function inject(blob: string, executable: string): void {
  const injector = fileURLToPath(new URL('cli.js', import.meta.resolve('postject')));
  const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
  // Only executables of macOS have such segments. The signature that they had goes.
  const segment = ['--macho-segment-name', 'NODE_SEA'];
  // It warns of sections of Node.js that have no names, on every target alike.
  execFileSync(process.execPath, [injector, executable, 'NODE_SEA_BLOB', blob, ...fuse, ...segment], { stdio: 'pipe' });
}
