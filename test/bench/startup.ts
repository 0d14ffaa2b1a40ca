/**
 * How long svc takes from start to end, as a ratio to a bare `node -e 0` measured in the same run.
 * Runs alternate, so that a machine that slows down slows both. Prints medians; run it with
 * `npm run bench:startup`.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median } from './median.ts';

const ROUNDS = Number(process.argv[2] ?? 40);
const home = mkdtempSync(join(tmpdir(), 'svc-startup-'));
const environment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: home,
  SVC_API_KEY: 'bench',
  SVC_AUTH_TOKEN: 'bench',
};

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        result: { status: 'success', message: 'ok', data: [{ id: 'd1', documentName: 'One' }] },
      }),
    );
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
environment['SVC_BASE_URL'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const node = process.execPath;
const svc = [node, 'bin/svc.js'];
// Of `npm run build:executables`, where that has been run.
const executable = `executables/svc-${process.platform}-${process.arch}`;
const cases: readonly (readonly [string, readonly string[], number])[] = [
  ['node -e 0', [node, '-e', '0'], 1],
  ['svc --version', [...svc, '--version'], 1.15],
  ['svc --help', [...svc, '--help'], 1.2],
  ['svc __complete users add --du', [...svc, '__complete', 'users', 'add', '--du'], 1.2],
  ['svc users add --help', [...svc, 'users', 'add', '--help'], 1.25],
  ['svc plan --help', [...svc, 'plan', '--help'], 1.25],
  ['one call, a table, over loopback', [...svc, 'documents', 'list', '--org', 'acme'], 2.4],
  [
    'one call, --jq, over loopback',
    [...svc, 'documents', 'list', '--org', 'acme', '--jq', '.[].id'],
    2.4,
  ],
  ['one call, a table, --local', [...svc, 'folders', 'list', '--org', 'acme', '--local'], 3],
  [
    'one call, --jq, --local',
    [...svc, 'folders', 'list', '--org', 'acme', '--local', '--jq', '.[].id'],
    3,
  ],
  ...(existsSync(executable) ? executableCases() : []),
];

const folder = ['--org', 'acme', '--create-organization', '--folder', 'f1', '--name', 'One'];
const added = spawnSync(node, ['bin/svc.js', 'folders', 'add', '--local', ...folder], {
  env: environment,
});
if (added.status !== 0) throw new Error(String(added.stderr));
const times = cases.map((): number[] => []);
for (let round = 0; round <= ROUNDS; round++) {
  for (const [index, [, words]] of cases.entries()) {
    const milliseconds = await time(words);
    if (round > 0) times[index]?.push(milliseconds);
  }
}
server.close();
rmSync(home, { recursive: true });

const base = median(times[0] ?? []);
console.log(`Node ${process.version}, ${ROUNDS} rounds, medians`);
for (const [index, [name, , goal]] of cases.entries()) {
  const middle = median(times[index] ?? []);
  console.log(
    `${name.padEnd(34)} ${middle.toFixed(1).padStart(7)} ms  ${(middle / base).toFixed(2)}x  (goal ${goal}x)`,
  );
}

function executableCases(): typeof cases {
  return [
    ['executable --version', [executable, '--version'], 1.2],
    ['executable --help', [executable, '--help'], 1.3],
    ['executable users add --help', [executable, 'users', 'add', '--help'], 1.6],
    [
      'executable, one call, --local',
      [executable, 'folders', 'list', '--org', 'acme', '--local'],
      6.5,
    ],
  ];
}

function time([program = '', ...words]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = process.hrtime.bigint();
    const child = spawn(program, words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    let complaint = '';
    child.stderr.on('data', (text) => {
      complaint += text;
    });
    child.on('exit', (code) => {
      if (code !== 0) reject(new Error(`${words.join(' ')} ended with ${code}: ${complaint}`));
      else resolve(Number(process.hrtime.bigint() - begun) / 1e6);
    });
  });
}
