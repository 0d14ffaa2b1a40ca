import { build } from 'rolldown';

/**
 * Builds a program that loads modules of the bundle, as one file.
 * @param define code for global names
 */
export async function buildLoader(
  entryPoint: string,
  file: string,
  define: Readonly<Record<string, string>> = {},
): Promise<void> {
  await build({
    input: entryPoint,
    platform: 'node',
    transform: { target: 'node22', define },
    output: { file, format: 'cjs', minify: true, comments: false },
  });
}
