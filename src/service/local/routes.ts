import { brotliDecompressSync } from 'node:zlib';
import { type AdminEntry, adminEntries } from '../../catalog/local/entries.ts';
import type { AdminOperationName } from '../../catalog/local/index.ts';
import { selectOperation } from '../../catalog/select-operation.ts';
import { readBuildFile } from '../../kernel/bundled-programs.ts';
import { SvcError } from '../../kernel/errors.ts';
import { maskSecrets } from '../../kernel/remove-secrets.ts';
import { invalidArgument, readOnlyRefusal } from '../store/refusal.ts';
import type { AdminRequest, AdminRoute, AdminRoutes, PublicRoutes } from './admin.ts';
import {
  type DevelopmentContext,
  loadAdminHandler,
  loadAdminOperation,
  parseAdminInput,
} from './operations.ts';

/**
 * Creates a route for each path of the admin API. Operations with the same path differ in a field
 * of the body.
 */
export function createRoutes(
  context: DevelopmentContext,
  { readOnly = false }: { readonly readOnly?: boolean | undefined } = {},
): AdminRoutes {
  const byRoute = Map.groupBy(adminEntries, (entry) => `${methodOf(entry)} ${entry.path}`);
  return Object.fromEntries(
    Array.from(byRoute, ([route, entries]): [string, AdminRoute] => [
      route,
      async (request) => {
        const data = route.startsWith('GET ') ? readQuery(entries, request) : request.body;
        const entry = selectOperation(entries, data);
        if (!entry) throw rejectBody(entries);
        if (readOnly && entry.effect !== 'read') throw readOnlyRefusal();
        const operation = await loadAdminOperation(entry.name);
        const input = parseAdminInput<AdminOperationName>(operation, data);
        const output = await (await loadAdminHandler(entry.name))(context, input);
        return maskSecrets(output, operation.secrets?.(input) ?? []);
      },
    ]),
  );
}

/** A read has its input in the path and the query, unless a field of the body selects it. */
function methodOf({ effect, selectedBy }: AdminEntry): 'GET' | 'POST' {
  return effect === 'read' && selectedBy === undefined ? 'GET' : 'POST';
}

/** Reads the fields of an input from the path and the query. Skips empty values. */
function readQuery(
  [entry]: readonly AdminEntry[],
  { segments, query }: AdminRequest,
): Readonly<Record<string, unknown>> {
  const { path = '', flags = [] } = entry ?? {};
  const numbers = flags.filter(({ kind }) => kind === 'number').map(({ name }) => name);
  const names = Array.from(path.matchAll(/<(\w+)>/g), ([, name = '']) => name);
  const values = [
    ...[...query].filter(([, value]) => value !== ''),
    ...segments.map((segment, at): [string, string] => [names[at] ?? '', segment]),
  ];
  return Object.fromEntries(
    values.map(([name, value]) => [name, numbers.includes(name) ? toNumber(value) : value]),
  );
}

/** Leaves text that is not a number for the check of the input. */
function toNumber(text: string): number | string {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? text : number;
}

function rejectBody(entries: readonly AdminEntry[]) {
  const fields = entries.flatMap(({ selectedBy }) => selectedBy ?? []);
  const list = new Intl.ListFormat('en').format(fields);
  return invalidArgument(`the body must contain ${fields.length > 1 ? 'one of ' : ''}${list}`);
}

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
