import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Script } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  bundleModules,
  type ChunkNames,
  shortenImportsAndExports,
  sourceOf,
} from '../../packaging/bundle/bundle.ts';
import { createLoader, wrapModule } from '../../packaging/loader/loader.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** A library as others ship it: with a license that minifiers keep, and names that they shorten. */
const LIBRARY = `/*! @license
 * p v1.0.0 | (c) others | MIT
 */
//! p
export const p = (x) => 'p' + x;
export { p as default, p as "a name" };
/** @preserve */ export function q() { return p('q'); }
`;
const SOURCES = {
  'main.js': `
    import { q } from './library.js';
    export const first = () => import('./first.js').then(({ run }) => run());
    export const second = () => import('./second.js').then((module) => module.run());
    export const third = () => import('./library.js').then(({ default: p }) => p('3'));
    export const direct = () => q();`,
  'first.js': `import p, { q } from './library.js'; export const run = () => p(1) + q();`,
  'second.js': `import * as all from './library.js'; export const run = () => all['a name'](2) + all.q();`,
  'library.js': LIBRARY,
};

async function writeSources(sources: Readonly<Record<string, string>>): Promise<string> {
  const folder = await createTemporaryFolder();
  for (const [name, text] of Object.entries(sources)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function bundleAndLoad(folder: string, chunkNames?: ChunkNames) {
  const chunks = await bundleModules(
    { entries: { 'chunks/main': join(folder, 'main.js') } },
    chunkNames,
  );
  const codes = new Map(
    chunks.map(({ fileName, code }) => [fileName, shortenImportsAndExports(code)]),
  );
  const load = createLoader({
    compile: (name) => new Script(wrapModule(codes.get(name) ?? ''), { filename: name }),
    urlOf: (name) => `file:///${name}`,
    loadOther: (name) => process.getBuiltinModule(name),
  });
  return Object(load('chunks/main.js'));
}

describe('a bundle', () => {
  it.each([
    { layout: 'chunks of its own choice', grouped: [] },
    { layout: 'a shared chunk for a library', grouped: ['library.js', 'first.js'] },
    { layout: 'one chunk for all', grouped: ['library.js', 'first.js', 'second.js'] },
  ])('runs a library with license comments in $layout', async ({ grouped }) => {
    const folder = await writeSources(SOURCES);
    const names = new Map(grouped.map((name) => [sourceOf(join(folder, name)), 'shared']));
    const main = await bundleAndLoad(folder, names);
    expect(await main.first()).toBe('p1pq');
    expect(await main.second()).toBe('p2pq');
    expect(await main.third()).toBe('p3');
    expect(main.direct()).toBe('pq');
  });

  it('is refused if its chunks import each other', async () => {
    const folder = await writeSources({
      'main.js': `export { a } from './a.js'; export { c } from './c.js';`,
      'a.js': `import { b } from './b.js'; export const a = () => b;`,
      'b.js': `import { c } from './c.js'; export const b = () => c;`,
      'c.js': 'export const c = 1;',
    });
    const groups = { 'a.js': 'outer', 'b.js': 'inner', 'c.js': 'outer' };
    const names = new Map(
      Object.entries(groups).map(([name, group]) => [sourceOf(join(folder, name)), group]),
    );
    await expect(bundleAndLoad(folder, names)).rejects.toThrow('chunks import each other');
  });

  it('loads a built-in module when it is used', async () => {
    const folder = await writeSources({
      'main.js': `
        import { randomUUID } from 'node:crypto';
        import os, { tmpdir } from 'node:os';
        import * as zlib from 'node:zlib';
        export const id = () => randomUUID();
        export const end = () => os.EOL;
        export const temporary = () => tmpdir();
        export const zip = () => zlib.gzipSync('x').length;
        export const url = import.meta.url;`,
    });
    const main = await bundleAndLoad(folder);
    expect(main.id()).toMatch(/^[0-9a-f-]{36}$/);
    expect(main.end()).toMatch(/\n$/);
    expect(main.temporary()).toBe(tmpdir());
    expect(main.zip()).toBeGreaterThan(0);
    expect(main.url).toBe('file:///chunks/main.js');
  });

  it('of svc names every source once', async () => {
    const { outputs } = JSON.parse(await readFile('dist/metafile.json', 'utf8'));
    const sources = Object.values<{ inputs: object }>(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((source) => /^src\/.*\.ts$/.test(source)),
    );
    expect(sources.length).toBeGreaterThan(500);
    // The inspector is another program, and shares formats with svc.
    const doubled = sources.filter((source, at) => sources.indexOf(source) < at);
    expect(doubled.filter((source) => !/^src\/(kernel|catalog)\//.test(source))).toEqual([]);
  });

  it.each([
    ['documents', 'list', '--org', 'acme'],
    ['folders', 'list', '--org', 'acme'],
    ['users', 'add', '--org', 'acme', '--user', 'u1'],
    ['api', '/v2/organizations/folders/get', '--data', '{"organizationId":"acme"}'],
    ['webhooks', 'endpoints', 'list'],
    ['plan', '--file', 'svc.yaml'],
  ])('of svc loads no database code to call a service: svc %s %s', async (...words) => {
    const loaded = await sourcesLoadedBy(words);
    expect(loaded).toContain('src/client/http-transport.ts');
    expect(loaded.filter((source) => /kysely|^src\/service\/store\/sqlite/.test(source))).toEqual(
      [],
    );
  });
});

/** Runs the built tool against a service that rejects every call, and returns the loaded sources. */
async function sourcesLoadedBy(words: readonly string[]): Promise<readonly string[]> {
  const home = await createTemporaryFolder();
  await writeFile(join(home, 'svc.yaml'), 'svc: 1\nfolders: [{organizationId: o, folderId: f}]\n');
  const server = createServer((_, response) => response.writeHead(401).end('{}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const trace = `
    const fs = process.getBuiltinModule('node:fs');
    const { readFileSync } = fs;
    fs.readFileSync = (file, ...others) => {
      fs.writeSync(1, '\\n' + file + '\\n');
      return readFileSync(file, ...others);
    };`;
  const env = {
    HOME: home,
    SVC_BASE_URL: `http://127.0.0.1:${Object(server.address()).port}`,
    SVC_API_KEY: 'k',
    SVC_AUTH_TOKEN: 't',
    SVC_WORKSPACE_ID: 'w',
    SVC_WORKSPACE_AUTH_TOKEN: 'wt',
  };
  const preload = `--import=data:text/javascript,${encodeURIComponent(trace)}`;
  const child = spawn(process.execPath, [preload, resolve('bin/svc.js'), ...words], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const output = await text(child.stdout);
  const { outputs } = JSON.parse(await readFile('dist/metafile.json', 'utf8'));
  return Array.from(output.matchAll(/\/(dist\/.*\.js)$/gm), ([, file = '']) =>
    Object.keys(outputs[file]?.inputs ?? {}),
  ).flat();
}
