import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { HOME } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const execute = promisify(execFile);

/** The document that a registry returns for a package. */
interface Packument {
  readonly name: string;
  readonly 'dist-tags': { readonly latest: string };
  /** Times of publication; package managers delay new versions. */
  readonly time: Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, { dist: { tarball: string; integrity?: string } }>>;
}

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
}

/**
 * Starts an npm registry on this machine, until the end of the test. It has the keychain bridge
 * from `node_modules` with its packages for all platforms, and accepts packages that are published
 * to it.
 */
export async function startRegistry() {
  const packuments = new Map<string, Packument>();
  const tarballs = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(Object(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const url = `http://127.0.0.1:${Object(server.address()).port}`;

  const tarballPath = (name: string, version: string) => `/-/${name}-${version}.tgz`;
  const add = (manifest: { name: string; version: string }, tarball: Buffer | undefined) => {
    const { name, version } = manifest;
    const path = tarballPath(name, version);
    if (tarball) tarballs.set(path, tarball);
    const integrity = tarball && `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const dist = { tarball: url + path, ...(integrity && { integrity }) };
    const versions = { [version]: { ...manifest, dist } };
    packuments.set(name, {
      name,
      'dist-tags': { latest: version },
      time: { [version]: '2026-01-01T00:00:00.000Z' },
      versions,
    });
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(request.url ?? '');
    if (request.method === 'PUT') {
      const { versions, _attachments } = JSON.parse(await readBody(request));
      const [manifest] = Object.values<{ name: string; version: string }>(versions);
      const [attachment] = Object.values<{ data: string }>(_attachments);
      if (!manifest || !attachment) throw new Error('nothing was published');
      if (packuments.has(manifest.name)) return void response.writeHead(409).end('{}');
      add(manifest, Buffer.from(attachment.data, 'base64'));
      return void response.writeHead(201).end('{}');
    }
    const body = tarballs.get(path) ?? JSON.stringify(packuments.get(path.slice(1)));
    response.writeHead(body === undefined ? 404 : 200).end(body ?? '{}');
  }

  for (const manifest of await readKeychainManifests()) {
    const folder = join(HOME, 'node_modules', manifest.name);
    add(manifest, existsSync(folder) ? await pack(folder) : undefined);
  }
  return { url };
}

/** Reads the keychain bridge and its packages from the lock file, which lists all platforms. */
async function readKeychainManifests() {
  const { packages } = JSON.parse(await readFile(join(HOME, 'package-lock.json'), 'utf8'));
  return Object.entries<LockedPackage>(packages).flatMap(([path, locked]) => {
    const name = path.slice('node_modules/'.length);
    return name.startsWith('@napi-rs/keyring') ? [{ ...locked, name }] : [];
  });
}

async function pack(folder: string): Promise<Buffer> {
  const to = await createTemporaryFolder();
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', to, folder];
  const [{ filename }] = JSON.parse((await execute('npm', words)).stdout);
  return readFile(join(to, filename));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
