import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import { BIN, HOME, newUser, run } from './svc.ts';

/** The files of this tool that a command line loads, and the sources that went into them. */
async function loadedBy(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ files: string[]; sources: string[] }> {
  const list = join(await temporaryFolder(), 'loaded');
  const hooks = `
    const { registerHooks } = process.getBuiltinModule('node:module');
    const { appendFileSync } = process.getBuiltinModule('node:fs');
    registerHooks({ load(url, context, next) {
      if (url.startsWith('file:')) appendFileSync(${JSON.stringify(list)}, url + '\\n');
      return next(url, context);
    } });`;
  const preload = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const { code } = await run(['--import', preload, BIN, ...words], { env });
  expect(code).toBe(0);
  const urls = (await readFile(list, 'utf8')).trim().split('\n');
  const files = [...new Set(urls)].map((url) => url.slice(url.indexOf(HOME) + HOME.length + 1));
  const { outputs } = JSON.parse(await readFile(join(HOME, 'dist', 'metafile.json'), 'utf8'));
  return { files, sources: files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})) };
}

/** Libraries that are heavy to load. None of them has a place on the way to help. */
const HEAVY =
  /node_modules\/(zod|ky|conf|ajv|yaml|papaparse|csv-stringify|kysely|chalk|cli-table3|@inquirer|cli-progress)\//;

describe('what start-up loads', () => {
  it.each([
    { words: ['--version'], most: 5 },
    { words: ['--help'], most: 7 },
    { words: ['users', 'add', '--help'], most: 9 },
    { words: ['__complete', 'users', 'add', '--du'], most: 9 },
  ])('svc $words loads at most $most files, none of them heavy', async ({ words, most }) => {
    const { files, sources } = await loadedBy(words);
    expect(files).toContain('dist/main.js');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
    expect(sources.filter((source) => HEAVY.test(source))).toEqual([]);
  });

  it.each([
    { words: ['--help'] },
    { words: [] },
    { words: ['users', 'add', '--help'] },
    { words: ['__complete', 'users', 'add', '--du'] },
  ])('svc $words does without commander', async ({ words }) => {
    const { sources } = await loadedBy(words);
    expect(sources.filter((source) => /node_modules\/commander/.test(source))).toEqual([]);
  });

  it('svc --version does without the command line', async () => {
    const { sources } = await loadedBy(['--version']);
    expect(sources.filter((source) => /commander|program\.ts/.test(source))).toEqual([]);
  });

  it('one call over the network loads neither the service nor what writes profiles', async () => {
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'key', SVC_AUTH_TOKEN: 'token' };
    const { files, sources } = await loadedBy(['documents', 'list', '--org', 'acme', '--dry-run'], env);
    expect(sources.filter((source) => /node_modules\/(conf|ajv|kysely)\/|src\/service\//.test(source))).toEqual([]);
    expect(sources.some((source) => /node_modules\/zod\//.test(source))).toBe(true);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(18);
  });

  it('one call to the embedded service loads no other way to a service, and no listener', async () => {
    const { env } = await newUser();
    const { files, sources } = await loadedBy(['folders', 'list', '--org', 'acme', '--local'], env);
    expect(
      sources.filter((source) =>
        /node_modules\/(undici|conf|ajv|yjs|jose)\/|service\/server|deliveries\/engine/.test(source),
      ),
    ).toEqual([]);
    expect(sources.some((source) => /src\/service\/handlers\/folders/.test(source))).toBe(true);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(32);
  });
});
