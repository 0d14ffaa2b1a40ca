import { once } from 'node:events';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { BIN, HOME, newUser, run } from './svc.ts';

interface Loaded {
  readonly files: readonly string[];
  /** Source files in the loaded chunks. */
  readonly sources: readonly string[];
  /** Built-in modules that a bare Node.js does not load. */
  readonly builtins: readonly string[];
  /** Objects of `Intl`, the first of which take milliseconds to create. */
  readonly formatters: readonly string[];
}

/** Returns the files of svc and the built-in modules that a command line loads. */
async function findLoadedFiles(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Loaded> {
  const [bare, svc] = await Promise.all([
    recordModules(['-e', '0']),
    recordModules([BIN, ...words], env),
  ]);
  const files = [...new Set(svc.urls)].map((url) => url.slice(url.indexOf(HOME) + HOME.length + 1));
  const { outputs } = JSON.parse(await readFile(join(HOME, 'dist', 'metafile.json'), 'utf8'));
  return {
    files,
    sources: files.flatMap((file) => Object.keys(outputs[file]?.inputs ?? {})),
    builtins: svc.builtins.filter((name) => !bare.builtins.includes(name)).sort(),
    formatters: svc.formatters,
  };
}

async function recordModules(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const list = join(await createTemporaryFolder(), 'loaded');
  const hooks = `
    const { isBuiltin } = process.getBuiltinModule('node:module');
    const fs = process.getBuiltinModule('node:fs');
    const { readFileSync } = fs;
    const append = (line) => fs.appendFileSync(${JSON.stringify(list)}, line + '\\n');
    fs.readFileSync = (file, ...others) => {
      if (/\\.c?js$/.test(file) && String(file).startsWith(${JSON.stringify(HOME)})) append('file:' + file);
      return readFileSync(file, ...others);
    };
    const construct = (create, given) => (append('Intl.' + create.name), new create(...given));
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Intl)))
      if (typeof value === 'function') Intl[name] = new Proxy(value, { construct });
    process.on('exit', () => {
      const names = process.moduleLoadList.map((name) => name.replace('NativeModule ', 'node:'));
      for (const name of names) if (isBuiltin(name)) append(name);
    });`;
  const preload = `data:text/javascript,${encodeURIComponent(hooks)}`;
  const { code } = await run(['--import', preload, ...words], { env });
  expect(code).toBe(0);
  const lines = (await readFile(list, 'utf8')).trim().split('\n');
  return {
    urls: lines.filter((line) => line.startsWith('file:')),
    builtins: lines.filter((line) => line.startsWith('node:')),
    formatters: lines.filter((line) => line.startsWith('Intl.')),
  };
}

/** Libraries that are slow to load. Help must not load any of them. */
const HEAVY =
  /node_modules\/(zod|ky|conf|ajv|yaml|papaparse|csv-stringify|kysely|chalk|cli-table3|@inquirer|cli-progress)\//;

/** A folder for compiled code in a home, and the variable that makes svc use it. */
function cacheOf(home: string) {
  const cache = join(home, 'cache');
  const folder = join(cache, 'svc', 'compiled', `${process.version}-${process.arch}`);
  return { env: { XDG_CACHE_HOME: cache }, folder };
}

describe('start-up', () => {
  it('finds compiled code by the name of a module, which has a hash of its content', async () => {
    const names = (await readdir(join(HOME, 'dist', 'chunks'))).filter((name) =>
      name.endsWith('.js'),
    );
    const entries = ['keychain-process.js', 'library.js'];
    expect(names.filter((name) => !/-[\w-]{8}\.js$/.test(name)).sort()).toEqual(entries);
  });

  it('saves the compiled code of a long process once, soon after its start', SLOW, async () => {
    const { home, start } = await newUser();
    const { env, folder } = cacheOf(home);
    const serving = start(['serve', '--port', '0'], { env });
    const listFiles = () => readdir(folder).catch(() => []);
    await eventually(async () => {
      const names = await listFiles();
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((name) => name.startsWith('new-'))).toEqual([]);
    });
    const saved = await stat(folder);
    serving.kill('SIGTERM');
    await serving.ended;
    expect((await stat(folder)).mtimeMs).toBe(saved.mtimeMs);
  });

  it('removes compiled code that is older than 30 days', async () => {
    const { home, svc } = await newUser();
    const { env, folder } = cacheOf(home);
    await svc(['--help'], { env });
    const known = await readdir(folder);
    for (const [name, days] of Object.entries({ old: 31, recent: 29 })) {
      const file = join(folder, name);
      await writeFile(file, '');
      const time = new Date(Date.now() - days * 24 * 3_600_000);
      await utimes(file, time, time);
    }
    await svc(['commands'], { env });
    const left = await readdir(folder);
    expect(left).toEqual(expect.arrayContaining([...known, 'recent']));
    expect(left.filter((name) => !/^(.*-[\w-]{8}\.js|recent)$/.test(name))).toEqual([]);
  });

  it('does without compiled code that is damaged, and replaces it', async () => {
    const { home, svc } = await newUser();
    const { env, folder } = cacheOf(home);
    const expected = await svc(['commands'], { env });
    const files = (await readdir(folder)).map((name) => join(folder, name));
    expect(files.length).toBeGreaterThan(2);
    const contents = await Promise.all(files.map((file) => readFile(file)));
    for (const [at, file] of files.entries()) {
      const content = contents[at] ?? Buffer.of();
      const damaged = [
        content.subarray(0, content.length / 3),
        Buffer.alloc(content.length),
        Buffer.concat([content.subarray(0, 500), Buffer.alloc(content.length - 500)]),
        Buffer.of(),
      ];
      await writeFile(file, damaged[at % damaged.length] ?? '');
    }
    expect(await svc(['commands'], { env })).toEqual(expected);
    const replaced = await Promise.all(files.map((file) => readFile(file)));
    expect(replaced.map(({ length }) => length > 500)).toEqual(files.map(() => true));
    expect(await svc(['commands'], { env })).toEqual(expected);
  });

  it(
    'of an import, which changes flags of V8, uses the code of the import before',
    SLOW,
    async () => {
      const { home, svc } = await newUser();
      const { env, folder } = cacheOf(home);
      const file = join(HOME, 'examples', 'users.json');
      const words = ['users', 'add', '--local', '--org', 'acme', '--file', file, '--yes'];
      const listFiles = async () => {
        const names = (await readdir(folder)).sort();
        return Promise.all(
          names.map(async (name) => [name, (await stat(join(folder, name))).mtimeMs] as const),
        );
      };
      // The second import finds the organization, and reads the first one's job.
      for (const _ of [1, 2]) expect(await svc(words, { env })).toMatchObject({ code: 0 });
      const files = await listFiles();
      expect(files.length).toBeGreaterThan(10);
      expect(await svc(words, { env })).toMatchObject({ code: 0 });
      expect(await listFiles()).toEqual(files);
    },
  );

  it.each([
    { words: ['--version'], most: 4 },
    { words: ['--help'], most: 5 },
    { words: [], most: 5 },
    { words: ['users', 'add', '--help'], most: 6 },
    { words: ['__complete', 'users', 'add', '--du'], most: 7 },
  ])('of svc $words loads at most $most files, and no heavy ones', async ({ words, most }) => {
    const { files, sources } = await findLoadedFiles(words);
    expect(files).toContain('dist/loader.cjs');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
    expect(sources.filter((source) => HEAVY.test(source))).toEqual([]);
  });

  it.each([
    { words: ['--help'] },
    { words: [] },
    { words: ['users', 'add', '--help'] },
    { words: ['__complete', 'users', 'add', '--du'] },
  ])(
    'of svc $words loads neither commander nor the definitions of all tools',
    async ({ words }) => {
      const { sources } = await findLoadedFiles(words);
      expect(
        sources.filter((source) => /node_modules\/commander|tree\/definitions/.test(source)),
      ).toEqual([]);
    },
  );

  it.each([
    { words: ['--version'] },
    { words: ['--help'] },
    { words: ['users', 'add', '--help'] },
    { words: ['__complete', 'users', 'add', '--du'] },
  ])(
    'of svc $words loads only the built-in modules that a bare Node.js loads, and vm',
    async ({ words }) => {
      // Without a home folder in the environment, svc asks the system.
      const { builtins } = await findLoadedFiles(words, { HOME: await createTemporaryFolder() });
      // The loader runs the bundle's modules with vm.
      expect(builtins).toEqual(['node:vm']);
    },
  );

  it('of svc --version does not load the command line', async () => {
    const { sources } = await findLoadedFiles(['--version']);
    expect(sources.filter((source) => /commander|program\.ts/.test(source))).toEqual([]);
  });

  it('of a network call loads neither the service nor the code that writes profiles', async () => {
    const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'key', SVC_AUTH_TOKEN: 'token' };
    const { files, sources, builtins, formatters } = await findLoadedFiles(
      ['documents', 'list', '--org', 'acme', '--dry-run'],
      env,
    );
    expect(formatters).toEqual([]);
    const lazy = [
      'node:child_process',
      'node:crypto',
      'node:fs/promises',
      'node:http2',
      'node:https',
      'node:perf_hooks',
      'node:sqlite',
      'node:tls',
      'node:worker_threads',
      'node:zlib',
    ];
    expect(builtins).toContain('node:http');
    expect(builtins.filter((name) => lazy.includes(name))).toEqual([]);
    expect(
      sources.filter((source) =>
        /node_modules\/(conf|ajv|kysely|https-proxy-agent|agent-base)\/|src\/service\//.test(
          source,
        ),
      ),
    ).toEqual([]);
    expect(sources.some((source) => /node_modules\/zod\//.test(source))).toBe(true);
    expect(
      sources.filter((source) => /zod\/v4\/locales\/(?!en\.js|index\.js)/.test(source)),
    ).toEqual([]);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(14);
  });

  it('of a call to the embedded service loads no other transport and no listener', async () => {
    const { env, svc } = await newUser();
    const folder = ['--org', 'acme', '--create-organization', '--folder', 'f1', '--name', 'One'];
    expect(await svc(['folders', 'add', '--local', ...folder])).toMatchObject({ code: 0 });
    const { files, sources, builtins } = await findLoadedFiles(
      ['folders', 'list', '--org', 'acme', '--local'],
      env,
    );
    expect(
      sources.filter((source) =>
        /node_modules\/(ky|https-proxy-agent|conf|ajv|yjs|jose)\/|service\/server|deliveries\/engine/.test(
          source,
        ),
      ),
    ).toEqual([]);
    // Node's own fetch loads node:http2, among others, and its `performance` loads node:perf_hooks.
    expect(builtins.filter((name) => /http|net|worker|crypto|perf_hooks/.test(name))).toEqual([]);
    expect(sources.some((source) => /src\/service\/handlers\/folders/.test(source))).toBe(true);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(20);
  });

  it('of svc plan loads its modules in at most 65 files', async () => {
    const { env, home } = await newUser();
    await writeFile(
      join(home, 'svc.yaml'),
      'svc: 1\nfolders: [{ organizationId: acme, folderId: f1, folderName: Plans }]\n',
    );
    const { files } = await findLoadedFiles(
      ['plan', '--file', join(home, 'svc.yaml'), '--local'],
      env,
    );
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(65);
  });

  it('of svc plan over the network loads no built-in module that only other plans need', async () => {
    const home = await createTemporaryFolder();
    const file = join(home, 'svc.yaml');
    await writeFile(file, 'svc: 1\nfolders: []\n');
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ result: { status: 'success', data: [] } }));
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const target = { SVC_API_KEY: 'key', SVC_AUTH_TOKEN: 'token', HOME: home };
    const { files, builtins } = await findLoadedFiles(['plan', '--file', file], {
      ...target,
      SVC_BASE_URL: `http://127.0.0.1:${port}`,
    }).finally(() => server.close());
    expect(builtins).toContain('node:http');
    expect(
      builtins.filter((name) => /crypto|fs\/promises|v8|tls|zlib|sqlite|child_process/.test(name)),
    ).toEqual([]);
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(32);
  });

  it.each([{ words: ['history'] }, { words: ['plan', '--help'] }])(
    'of svc $words loads no schemas',
    async ({ words }) => {
      const { sources } = await findLoadedFiles(words, { HOME: await createTemporaryFolder() });
      expect(sources.filter((source) => /node_modules\/zod\//.test(source))).toEqual([]);
    },
  );

  it('of a call with a path in --jq does not load jq', async () => {
    const { env, svc } = await newUser();
    await svc(['organizations', 'add', '--local', '--org', 'acme']);
    const { sources } = await findLoadedFiles(
      ['folders', 'list', '--org', 'acme', '--local', '--jq', '.[].id'],
      env,
    );
    expect(sources).toContain('src/output/path-filter.ts');
    expect(sources.filter((source) => /jq-wasm|output\/jq/.test(source))).toEqual([]);
  });
});
