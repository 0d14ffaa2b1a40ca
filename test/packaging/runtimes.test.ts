import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BIN, HOME } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { fetchTool, runsNativeTools } from './tools.ts';

const execute = promisify(execFile);

/** Commands that write, in order. Their output does not depend on the time. */
const WRITES: readonly (readonly string[])[] = [
  ['organizations', 'add', '--local', '--org', 'acme'],
  ['users', 'add', '--local', '--org', 'acme', '--user', 'u1', '-q'],
  [
    'users',
    'add',
    '--local',
    '--org',
    'acme',
    '--file',
    'users.csv',
    '--yes',
    '-q',
    '-o',
    'json',
    '--jq',
    '.succeeded',
  ],
  [
    'users',
    'add',
    '--local',
    '--org',
    'acme',
    '--file',
    'users.yaml',
    '--yes',
    '-q',
    '-o',
    'json',
    '--jq',
    '.succeeded',
  ],
];

const READS: readonly (readonly string[])[] = [
  ['--version'],
  ['--help'],
  ['users', 'add', '--help'],
  ['__complete', 'users', 'a'],
  ['local', 'list', 'users', '-o', 'json', '--jq', '.[] | .userId'],
  ['documents', 'list', '--local', '--org', 'acme'],
  ['folders', 'list', '--local', '--org', 'missing', '-o', 'json'],
  ['jobs', 'list', '-o', 'json', '--jq', '.[].state'],
  ['webhooks', 'snippet', '--lang', 'python'],
  ['schema', 'users.add'],
  ['plan', '-f', 'missing.yaml'],
  ['users', 'list'],
];

/** Runs svc like a user with an own home, on a runtime given by the start of its command line. */
async function newRuntimeUser([program = '', ...start]: readonly string[]) {
  const home = await createTemporaryFolder();
  await cp(join(HOME, 'examples'), home, { recursive: true });
  const env = { HOME: home, PATH: process.env['PATH'], TZ: 'UTC' };
  return {
    start: (words: readonly string[]) =>
      spawn(program, [...start, BIN, ...words], { cwd: home, env }),
    run: (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      execute(program, [...start, BIN, ...words], { cwd: home, env: { ...env, ...more } }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      ),
  };
}

type User = Awaited<ReturnType<typeof newRuntimeUser>>;

async function runAll({ run }: User) {
  const ended = [];
  for (const words of WRITES) ended.push({ words, ...(await run(words)) });
  const read = READS.map(async (words) => ({ words, ...(await run(words)) }));
  return [...ended, ...(await Promise.all(read))];
}

describe.skipIf(!runsNativeTools).each([
  { runtime: 'Bun', tool: 'bun' as const, start: [] },
  { runtime: 'Deno', tool: 'deno' as const, start: ['run', '--allow-all', '--no-remote'] },
])('svc on $runtime', ({ tool, start }) => {
  it('prints the same as on Node.js', async () => {
    const other = await newRuntimeUser([await fetchTool(tool), ...start]);
    const node = await newRuntimeUser([process.execPath]);
    const [expected, actual] = await Promise.all([runAll(node), runAll(other)]);
    expect(actual).toEqual(expected);
    expect(actual.filter(({ code }) => code !== 0).length).toBe(3);
  });

  it('serves the embedded service, and imports into it over the network', async () => {
    const user = await newRuntimeUser([await fetchTool(tool), ...start]);
    const service = user.start(['serve', '--port', '0', '-o', 'json']);
    const ended = once(service, 'exit');
    const [line] = await once(createInterface({ input: service.stdout }), 'line');
    const { url, apiKey, authToken } = JSON.parse(line);
    const env = { SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken };
    const words = ['users', 'add', '--org', 'acme', '--file', 'users.ndjson', '--yes'];
    const { code, stdout } = await user.run([...words, '-o', 'json'], env);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, total: 10, succeeded: 10 });
    service.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});
