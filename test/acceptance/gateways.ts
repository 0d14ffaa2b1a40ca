import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { listen } from '../listen.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Whether these gateways are installed. */
export const hasNginx = spawnSync('nginx', ['-v']).status === 0;
export const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0;

/** Returns a port on which nothing listens. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const host = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return Number(host.split(':')[1]);
}

/** Starts nginx with the content of an `http` block, which listens on the port. */
export async function startNginx(port: number, http: string): Promise<void> {
  const folder = await createTemporaryFolder();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const config = join(folder, 'nginx.conf');
  await writeFile(
    config,
    `daemon off; master_process off; pid ${join(folder, 'pid')}; error_log stderr;
events {}
http { access_log off; ${paths.join(' ')}
${http} }`,
  );
  await startGateway('nginx', ['-e', 'stderr', '-p', folder, '-c', config], port);
}

/** Starts HAProxy with frontends and backends, one of which listens on the port. */
export async function startHaproxy(port: number, proxies: string): Promise<void> {
  const config = join(await createTemporaryFolder(), 'haproxy.cfg');
  await writeFile(
    config,
    `defaults
  mode http
  retries 0
  timeout client 10s
  timeout server 10s
  timeout connect 2s
${proxies}
`,
  );
  await startGateway('haproxy', ['-q', '-f', config], port);
}

async function startGateway(program: string, words: readonly string[], port: number) {
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let problems = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    problems += text;
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').catch((error: unknown) => {
      throw new Error(`${program} does not listen: ${problems}`, { cause: error });
    });
    socket.destroy();
  });
}
