import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { findBundledPackages } from './bundled.ts';
import { createDeclarations } from './declarations.ts';
import { createNotices } from './notices.ts';
import { createBom } from './sbom.ts';

/** Adds the files of the published package to a folder with the bundle: `cd dist && npm pack`. */
const [folder = 'dist'] = process.argv.slice(2);

const { name, version, description, license, engines, optionalDependencies } = JSON.parse(
  await readFile('package.json', 'utf8'),
);
const KEYCHAIN = '@napi-rs/keyring';
const manuals = (await readdir('docs/man')).sort();

const manifest = {
  name,
  version,
  description,
  license,
  keywords: ['cli', 'administration', 'collaboration', 'webhooks'],
  type: 'module',
  bin: { svc: 'bin/svc.js' },
  // For tools that do not support `exports`.
  types: './types/index.d.ts',
  exports: {
    '.': { types: './types/index.d.ts', default: './index.js' },
    './package.json': './package.json',
  },
  man: manuals.map((page) => `man/${page}.gz`),
  files: [
    'bin',
    'chunks',
    'man',
    'types',
    'index.js',
    'loader.cjs',
    'check-node.js',
    'skills',
    'THIRD-PARTY-NOTICES.txt',
    'sbom.cdx.json',
  ],
  engines,
  optionalDependencies: { [KEYCHAIN]: optionalDependencies[KEYCHAIN] },
  publishConfig: { access: 'public' },
};

await mkdir(folder, { recursive: true });
await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
await cp('bin', join(folder, 'bin'), { recursive: true });
await cp('skills', join(folder, 'skills'), { recursive: true });
await mkdir(join(folder, 'man'), { recursive: true });
for (const page of manuals) {
  const text = await readFile(join('docs/man', page));
  await writeFile(join(folder, 'man', `${page}.gz`), gzipSync(text, { level: 9 }));
}
await cp('packaging/README.md', join(folder, 'README.md'));
for (const [path, text] of await createDeclarations()) {
  const file = join(folder, 'types', path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
await cp('LICENSE', join(folder, 'LICENSE'));

const bundled = findBundledPackages(JSON.parse(await readFile('dist/metafile.json', 'utf8')));
await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), createNotices(bundled));
await writeFile(join(folder, 'sbom.cdx.json'), createBom(name, bundled, [KEYCHAIN]));
