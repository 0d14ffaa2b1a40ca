import { readBuildFile } from '../../kernel/bundled-programs.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { PublicRoutes } from './admin.ts';

/** Files of the page by route. The build puts them beside the chunks. */
const FILES = {
  'GET /_svc/ui': ['index.html', 'text/html'],
  'GET /_svc/ui/main.mjs': ['main.mjs', 'text/javascript'],
  'GET /_svc/ui/style.css': ['style.css', 'text/css'],
  'GET /_svc/ui/icon.svg': ['icon.svg', 'image/svg+xml'],
} as const;

const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Reads the inspector page, which contains no data. @throws SvcError `local` without a build */
export async function loadInspector(): Promise<PublicRoutes> {
  const routes = Object.entries(FILES).map(async ([route, [name, type]]) => {
    const content = await readBuildFile(`inspector-${name}`, import.meta.url);
    if (!content) throw new SvcError('local', 'the inspector is not built', { hint: 'npm run build builds it' });
    const headers = { ...SECURITY_HEADERS, 'content-type': `${type}; charset=utf-8` };
    const response = { status: 200, body: content.toString(), headers };
    return [route, async () => response] as const;
  });
  return Object.fromEntries(await Promise.all(routes));
}
