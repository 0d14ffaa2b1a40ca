import { brotliDecompressSync } from 'node:zlib';
import { readBuildFile } from '../../kernel/bundled-programs.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { PublicRoutes } from './admin.ts';

const FILES = {
  'index.html': 'text/html',
  'main.mjs': 'text/javascript',
  'style.css': 'text/css',
  'icon.svg': 'image/svg+xml',
};

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/**
 * Loads the inspector page, which contains no data.
 * @throws SvcError `local` if the inspector is not built
 */
export async function loadInspector(): Promise<PublicRoutes> {
  const routes = Object.entries(FILES).map(async ([name, type]) => {
    const packed = await readBuildFile(`inspector-${name}.br`, import.meta.url);
    if (!packed)
      throw new SvcError('local', 'the inspector is not built', {
        hint: 'to build it: npm run build',
      });
    const body = brotliDecompressSync(packed).toString();
    const headers = { ...SECURITY_HEADERS, 'content-type': `${type}; charset=utf-8` };
    const route = `GET /_svc/ui${name === 'index.html' ? '' : `/${name}`}`;
    return [route, async () => ({ status: 200, body, headers })] as const;
  });
  return Object.fromEntries(await Promise.all(routes));
}
