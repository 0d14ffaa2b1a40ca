/**
 * The cost of printing a long list as a table in a pipe: processor time and peak memory. One case
 * reads the records in pages, one in a single response, and one contains wide characters. Run it
 * with `npm run bench:tables`; a number after `--` is the number of records.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RECORDS = Number(process.argv[2] ?? 64_000);
const ROUNDS = Number(process.argv[3] ?? 3);
const GOALS = '(goals 1.5 s, 150 MB)';
const PAGE = 1_000;

const CASES = [
  { name: 'in pages', org: 'pages', format: 'table' },
  { name: 'in one response', org: 'whole', format: 'table' },
  { name: 'with wide characters', org: 'wide', format: 'table' },
  { name: 'in pages, as NDJSON', org: 'pages', format: 'ndjson' },
] as const;

/** Prints processor time in microseconds, and the most memory in kilobytes, when a process ends. */
const REPORT = `--import=data:text/javascript,${encodeURIComponent(
  `process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    process.stderr.write('\\nusage=' + (userCPUTime + systemCPUTime) + ' ' + maxRSS + '\\n');
  })`,
)}`;

const server = createServer(async (request, response) => {
  const { data } = JSON.parse((await Array.fromAsync(request)).join(''));
  const { organizationId, pageToken = '0' } = data;
  const from = Number(pageToken);
  const to = organizationId === 'whole' ? RECORDS : Math.min(RECORDS, from + PAGE);
  const records = Array.from({ length: to - from }, (_, at) => record(organizationId, from + at));
  const next = to < RECORDS ? { pageToken: String(to) } : {};
  const result = { status: 'success', message: 'ok', data: records, ...next };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ result }));
});
await once(server.listen(0, '127.0.0.1'), 'listening');

const home = mkdtempSync(join(tmpdir(), 'svc-tables-'));
const environment: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: home,
  SVC_API_KEY: 'bench',
  SVC_AUTH_TOKEN: 'bench',
  SVC_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  NODE_OPTIONS: REPORT,
};
try {
  for (const { name, org, format } of CASES) {
    const runs = [];
    for (let round = 0; round < ROUNDS; round += 1) runs.push(await run(org, format));
    const seconds = Math.min(...runs.map((usage) => usage.seconds));
    const megabytes = Math.max(...runs.map((usage) => usage.megabytes));
    const figure = `${seconds.toFixed(2)} s cpu  ${megabytes.toFixed(0)} MB`;
    console.log(`${RECORDS} records ${name}`.padEnd(40), figure.padStart(20), ` ${GOALS}`);
  }
} finally {
  server.close();
  rmSync(home, { recursive: true });
}

function record(organizationId: string, at: number) {
  const name = organizationId === 'wide' ? `四半期計画 ${at}` : `The plan for quarter ${at}`;
  return {
    id: `0b5f6c1e-7a3d-4c55-9d0e-${String(at).padStart(12, '0')}`,
    documentName: name,
    accessType: at % 3 === 0 ? 'restricted' : 'organizationPrivate',
    disabled: at % 7 === 0,
  };
}

async function run(org: string, format: string) {
  const words = ['bin/svc.js', 'documents', 'list', '--org', org, '--all', '-o', format];
  const child = spawn(process.execPath, words, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let lines = 0;
  child.stdout.on('data', (bytes: Buffer) => {
    for (const byte of bytes) if (byte === 0x0a) lines += 1;
  });
  let messages = '';
  child.stderr.on('data', (text) => {
    messages += text;
  });
  const [code] = await once(child, 'close');
  const [, microseconds, kilobytes] = /usage=(\d+) (\d+)/.exec(messages) ?? [];
  if (code !== 0 || lines < RECORDS) throw new Error(`${words.join(' ')}: ${code}\n${messages}`);
  return { seconds: Number(microseconds) / 1e6, megabytes: Number(kilobytes) / 1024 };
}
