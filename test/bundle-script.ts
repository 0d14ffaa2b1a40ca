import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a script that tests run in a process of its own, because a bundle starts much faster than its sources.
 *
 * @returns the path of the bundle, in the temporary folder of the run
 */
export async function bundleScript(source: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'svc-script-')), 'script.mjs');
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: 'const require = process.getBuiltinModule;' },
    external: ['@napi-rs/keyring', 'pg-native', 'pg-cloudflare'],
  });
  return outfile;
}
