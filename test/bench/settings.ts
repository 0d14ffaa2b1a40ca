/**
 * The cost of `svc plan`: a small file whose plan is empty, as a ratio to a bare `node -e 0`, and a
 * large file in seconds and memory. Both compare with `svc serve` over loopback. Run it with
 * `npm run bench:settings`; numbers after `--` are the factor of the large file's size, and the
 * rounds of the small one.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { median } from './median.ts';

const SIZE = Number(process.argv[2] ?? 1);
const ROUNDS = Number(process.argv[3] ?? 20);

const home = mkdtempSync(join(tmpdir(), 'svc-settings-'));
const environment: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: home };
const svc = [process.execPath, 'bin/svc.js'];
/** Prints the most memory that a process had, in kilobytes, when it ends. */
const REPORT = `--import=data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => process.stderr.write('\\nmaxRSS=' + process.resourceUsage().maxRSS))",
)}`;

const range = (count: number) => Array.from({ length: Math.ceil(count * SIZE) }, (_, at) => at);
const organizationId = 'acme';
const large = {
  organizations: [{ organizationId }, { organizationId: 'small' }],
  config: { advancedWebhooks: { isEnabled: true } },
  folders: range(10_000).map((at) => ({
    organizationId,
    folderId: `f${at}`,
    folderName: `Folder ${at}`,
    parentFolderId: at < 100 ? 'root' : `f${Math.floor(at / 10)}`,
  })),
  documents: range(100_000).map((at) => ({
    organizationId,
    documentId: `d${at}`,
    documentName: `Document ${at}`,
  })),
  endpoints: range(200).map((at) => ({
    uid: `bench.${at}`,
    url: `https://hooks.example.com/${at}`,
  })),
};
const { organizations: _organizations, ...declared } = large;
const seed = {
  ...large,
  folders: [
    ...large.folders,
    ...range(4 / SIZE).map((at) => ({
      organizationId: 'small',
      folderId: `f${at}`,
      folderName: `Folder ${at}`,
    })),
  ],
};
const [firstFolder, ...otherFolders] = declared.folders;
const changed = {
  ...declared,
  folders: [{ ...firstFolder, folderName: 'Renamed' }, ...otherFolders],
} as typeof declared;
const file = (name: string, content: object | string) => {
  const path = join(home, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
/** Writes lists in the usual form of YAML, one field per line. */
const toYaml = ({ config, ...lists }: typeof declared) =>
  `svc: 1\nstack: bench\nconfig: ${JSON.stringify(config)}\n${Object.entries(lists)
    .map(
      ([kind, records]) =>
        `${kind}:\n${records.map((record) => `  - ${formatFields(record)}\n`).join('')}`,
    )
    .join('')}`;
const formatFields = (record: object) =>
  Object.entries(record)
    .map(([field, value]) => `${field}: ${/^https/.test(value) ? JSON.stringify(value) : value}`)
    .join('\n    ');
/** The 30 lines of a typical file. */
const small = `svc: 1
stack: bench
vars:
  hooks: https://hooks.example.com
config:
  advancedWebhooks:
    isEnabled: true
endpoints:
${range(3 / SIZE)
  .map((at) => `  - uid: bench.${at}\n    url: "\${hooks}/${at}"\n    disabled: false\n`)
  .join('')}folders:
${range(4 / SIZE)
  .map((at) => `  - organizationId: small\n    folderId: f${at}\n    folderName: Folder ${at}\n`)
  .join('')}`;

const store = ['--store', join(home, 'store.sqlite')];
await run([...svc, 'local', 'import', file('seed.json', seed), ...store]);
const service = spawn(
  process.execPath,
  ['bin/svc.js', 'serve', '--port', '0', '-o', 'json', ...store],
  {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const [ready] = await once(createInterface(service.stdout), 'line');
const { url, apiKey, authToken } = JSON.parse(ready) as Readonly<Record<string, string>>;
Object.assign(environment, { SVC_BASE_URL: url, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken });
try {
  await measureSmall([...svc, 'plan', '--exit-code', '-f', file('small.yaml', small)]);
  const counts = `${declared.folders.length} folders, ${declared.documents.length} documents, ${declared.endpoints.length} endpoints`;
  console.log(counts);
  await measureLarge('empty plan', file('large.yaml', toYaml(declared)));
  await measureLarge('one change', file('changed.yaml', toYaml(changed)));
} finally {
  service.kill();
  rmSync(home, { recursive: true });
}

async function measureSmall(words: readonly string[]): Promise<void> {
  const [bare, planned]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const base = await run([process.execPath, '-e', '0']);
    const plan = await run(words);
    if (round > 0) bare.push(base.milliseconds);
    if (round > 0) planned.push(plan.milliseconds);
  }
  const ratio = (median(planned) / median(bare)).toFixed(2);
  console.log(
    `empty plan of ${small.split('\n').length - 1} lines  ${median(planned).toFixed(0)} ms  ${ratio}x node -e 0  (goal 3.2x)`,
  );
}

async function measureLarge(name: string, path: string): Promise<void> {
  const { milliseconds, megabytes } = await run([...svc, 'plan', '-f', path], {
    ...environment,
    NODE_OPTIONS: REPORT,
  });
  console.log(
    `${name}  ${(milliseconds / 1000).toFixed(2)} s  (goal 5 s)  ${megabytes.toFixed(0)} MB  (goal 500 MB)`,
  );
}

async function run([program = '', ...words]: readonly string[], env = environment) {
  const begun = performance.now();
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  let messages = '';
  child.stderr.on('data', (text) => {
    messages += text;
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${messages}`);
  const [, kilobytes = 0] = /maxRSS=(\d+)/.exec(messages) ?? [];
  return { milliseconds: performance.now() - begun, megabytes: Number(kilobytes) / 1024 };
}
