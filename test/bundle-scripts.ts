import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'rolldown';

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
  for (const name of names)
    await build({
      input: join(folder, `${name}.ts`),
      platform: 'node',
      external: ['@napi-rs/keyring', 'pg-native', 'pg-cloudflare'],
      checks: { ineffectiveDynamicImport: false },
      output: { file: join(outdir, `${name}.mjs`), format: 'esm', codeSplitting: false },
    });
  return names.map((name) => join(outdir, `${name}.mjs`));
}
