import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A PostgreSQL server in a temporary folder, on a loopback port. */
export interface Cluster {
  readonly port: number;
  /** Returns the URL of a database. */
  url(database: string, parameters?: string): string;
  /** Runs `pg_ctl` with these arguments on the cluster. */
  control(...words: readonly string[]): Promise<void>;
  /** Stops the server and deletes its folder. */
  remove(): Promise<void>;
}

/** The only user that needs a password. Tests that need the user create it. */
export const LOCKED = 'locked';

export interface ClusterOptions {
  /** Whether a commit waits for the disk. Only needed for a cluster that is killed. */
  readonly durable?: boolean;
  /** PostgreSQL's cache of pages (default: `64MB`). */
  readonly sharedBuffers?: string;
}

/** @returns `undefined` if PostgreSQL is not installed */
export async function startCluster({
  durable = false,
  sharedBuffers = '64MB',
}: ClusterOptions = {}): Promise<Cluster | undefined> {
  const programs = await programFolder();
  if (programs === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  const owner = await ownerOf(folder);
  const as = (program: string, words: readonly string[]) =>
    run(
      owner ? 'setpriv' : join(programs, program),
      owner ? [...owner, join(programs, program), ...words] : [...words],
      {
        cwd: folder,
      },
    );
  const data = join(folder, 'data');
  await as('initdb', [
    '-D',
    data,
    '-U',
    'svc',
    '-E',
    'UTF8',
    '--locale=C',
    '-A',
    'trust',
    '--no-sync',
  ]);
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    max_connections: 200,
    password_encryption: 'scram-sha-256',
    shared_buffers: sharedBuffers,
    log_min_messages: 'fatal',
    autovacuum: 'off',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  // One user needs a password; all others are trusted.
  const rules = [
    'local all all trust',
    `host all ${LOCKED} 127.0.0.1/32 scram-sha-256`,
    'host all all 127.0.0.1/32 trust',
  ];
  await writeFile(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
  const flags = Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const control = async (...words: readonly string[]) => {
    await as('pg_ctl', ['-D', data, '-s', '-w', '-l', join(folder, 'log'), '-o', flags, ...words]);
  };
  await control('start');
  return {
    port,
    url: (database, parameters) =>
      `postgres://svc@127.0.0.1:${port}/${database}${parameters ? `?${parameters}` : ''}`,
    control,
    remove: async () => {
      await control('stop', '-m', 'immediate').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of PostgreSQL's programs (default: the newest version on this machine). */
const CHOSEN = process.env['SVC_TEST_POSTGRES_BIN'];

/** Finds the newest version. Debian installs versions side by side, outside the PATH. */
async function programFolder(): Promise<string | undefined> {
  if (CHOSEN) return CHOSEN;
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const numbers = versions.toSorted((one, other) => Number(other) - Number(one));
  const folders = [
    ...numbers.map((version) => `/usr/lib/postgresql/${version}/bin`),
    '/usr/local/bin',
    '/usr/bin',
    '/opt/homebrew/bin',
  ];
  return folders.find((folder) =>
    ['initdb', 'pg_ctl', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
}

/**
 * PostgreSQL refuses to run as root, so it runs as another user who owns the folder.
 * @returns the command prefix
 */
async function ownerOf(folder: string): Promise<readonly string[] | undefined> {
  if (userInfo().uid !== 0) return undefined;
  const nobody = 65_534;
  await chown(folder, nobody, nobody);
  return [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
