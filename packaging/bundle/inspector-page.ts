import type { BuildOptions } from 'esbuild';

/** The inspector page. Only `svc serve --ui` reads its files. */
export const inspectorPage = {
  entryPoints: Object.fromEntries(
    ['index.html', 'main.tsx', 'style.css', 'icon.svg'].map((file) => [
      `chunks/inspector-${file.split('.')[0]}`,
      `pages/inspector/${file}`,
    ]),
  ),
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  loader: { '.html': 'copy', '.svg': 'copy' },
  bundle: true,
  format: 'esm',
  target: 'es2024',
  minify: true,
  metafile: true,
  write: false,
} as const satisfies BuildOptions;
