import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { BIN, type User } from './svc.ts';

interface Server extends Pick<User, 'env' | 'home'> {
  /** Folder of the tool, if not the checkout. */
  readonly bin?: string;
  /** Limit of open file descriptors of the process. */
  readonly descriptors?: number;
  /** Whether several tests use the service. They end it. */
  readonly isShared?: boolean;
}

type ReadyKey = 'url' | 'apiKey' | 'authToken' | 'workspaceId' | 'workspaceAuthToken' | 'admin';

/**
 * Starts `svc serve` for this user, on a free port unless the arguments name one. It ends with the
 * test unless it is shared.
 */
export async function startServing(
  { env, home, bin = BIN, descriptors, isShared = false }: Server,
  ...words: readonly string[]
) {
  const port = words.includes('--port') ? [] : ['--port', '0'];
  const line = [process.execPath, bin, 'serve', ...port, '-o', 'json', ...words];
  const limited =
    descriptors === undefined
      ? line
      : ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...line];
  const [program = '', ...rest] = limited;
  const child = spawn(program, rest, { env, cwd: home });
  if (!isShared) onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [ready] = await once(createInterface(child.stdout), 'line');
  const { url, apiKey, authToken, workspaceId, workspaceAuthToken, admin } = JSON.parse(
    ready,
  ) as Record<ReadyKey, string>;
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  return {
    pid: child.pid ?? 0,
    headers,
    /** Environment variables that point `svc` at the service. */
    env: { SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken },
    workspaceEnv: { SVC_WORKSPACE_ID: workspaceId, SVC_WORKSPACE_AUTH_TOKEN: workspaceAuthToken },
    async call(path: string, data: object) {
      const response = await fetch(url + path, {
        method: 'POST',
        headers,
        body: JSON.stringify({ data }),
      });
      return { ok: response.ok, status: response.status, body: await response.json() };
    },
    /** Calls a route below `/_svc/`: a POST with a body, or a GET. */
    async admin(path: string, body?: object) {
      const bearer = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
      const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const response = await fetch(`${url}/_svc/${path}`, { ...init, headers: bearer });
      return { status: response.status, body: JSON.parse(await response.text()) };
    },
    /** Sends a POST to a route below `/_svc/`. */
    adminRequest(path: string, init: RequestInit) {
      const bearer = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
      return fetch(`${url}/_svc/${path}`, { ...init, method: 'POST', headers: bearer });
    },
    /** All output so far. */
    stderr: () => stderr,
    /** @returns the exit code, or `null` if a signal ended the process */
    async end(signal: NodeJS.Signals): Promise<number | null> {
      const exit = once(child, 'exit');
      child.kill(signal);
      return (await exit)[0];
    },
  };
}
