import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles scripts of a folder that tests run in processes of their own, because a bundle starts
 * much faster than its sources.
 *
 * @returns the paths of the bundles, in the temporary folder of the run
 */
export async function bundleScripts(
  folder: string,
  ...names: readonly string[]
): Promise<readonly string[]> {
  const outdir = await mkdtemp(join(tmpdir(), 'svc-scripts-'));
  await build({
    entryPoints: names.map((name) => join(folder, `${name}.ts`)),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: 'const require = process.getBuiltinModule;' },
    external: ['@napi-rs/keyring', 'pg-native', 'pg-cloudflare'],
  });
  return names.map((name) => join(outdir, `${name}.mjs`));
}
