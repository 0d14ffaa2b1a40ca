import { readFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';

/**
 * Builds the inspector page, whose files only `svc serve --ui` reads. Returns the contents by name.
 */
export async function buildInspectorPage() {
  const bundle = await rolldown({
    input: 'pages/inspector/main.tsx',
    tsconfig: 'pages/inspector/tsconfig.json',
    platform: 'browser',
    transform: { target: 'es2024' },
  });
  const { output } = await bundle.generate({ format: 'es', minify: true, comments: false });
  const read = (name: string) => readFile(`pages/inspector/${name}`, 'utf8');
  return {
    modules: output[0].modules,
    files: new Map([
      ['inspector-index.html', await read('index.html')],
      ['inspector-main.mjs', output[0].code],
      ['inspector-style.css', await read('style.css')],
      ['inspector-icon.svg', await read('icon.svg')],
    ]),
  };
}
