import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A server of PostgreSQL of its own, in a temporary folder, on a port of this machine alone. */
export interface Cluster {
  readonly port: number;
  /** The URL of a database. */
  url(database: string, parameters?: string): string;
  /** `pg_ctl` with these words, for the cluster. */
  control(...words: readonly string[]): Promise<void>;
  /** Stops it, and takes its folder away. */
  remove(): Promise<void>;
}

/** The one user whom a cluster asks for a password; tests that need it make it. */
export const LOCKED = 'locked';

export interface ClusterOptions {
  /** Whether a commit waits for the disk. A cluster that is only stopped in order does without. */
  readonly durable?: boolean;
}

/** @returns `undefined` where PostgreSQL's programs are not installed */
export async function startCluster({ durable = false }: ClusterOptions = {}): Promise<Cluster | undefined> {
  const programs = await programFolder();
  if (programs === undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'));
  const owner = await ownerOf(folder);
  const as = (program: string, words: readonly string[]) =>
    run(
      owner ? 'setpriv' : join(programs, program),
      owner ? [...owner, join(programs, program), ...words] : [...words],
      { cwd: folder },
    );
  const data = join(folder, 'data');
  await as('initdb', ['-D', data, '-U', 'svc', '-E', 'UTF8', '--locale=C', '-A', 'trust', '--no-sync']);
  const port = await freePort();
  const settings = {
    ...{ listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, max_connections: 200 },
    ...{ password_encryption: 'scram-sha-256', shared_buffers: '64MB', log_min_messages: 'fatal', autovacuum: 'off' },
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  };
  // One user who has to prove it; everyone else is let in.
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
    url: (database, parameters) => `postgres://svc@127.0.0.1:${port}/${database}${parameters ? `?${parameters}` : ''}`,
    control,
    remove: async () => {
      await control('stop', '-m', 'immediate').catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Where PostgreSQL's programs are, when it is not the newest version here that is meant. */
const CHOSEN = process.env['SVC_TEST_POSTGRES_BIN'];

/** Debian keeps them beside each other by version, and puts none of them into the path. */
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

/** PostgreSQL refuses to run as root: then it runs as another user, who gets the folder. @returns what runs it so */
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
