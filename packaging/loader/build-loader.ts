import { build } from 'rolldown';

/** Builds a program that loads modules of the bundle, as one file. */
export async function buildLoader(entryPoint: string, file: string): Promise<void> {
  await build({
    input: entryPoint,
    platform: 'node',
    transform: { target: 'node22' },
    output: { file, format: 'cjs', minify: true, comments: false },
  });
}
