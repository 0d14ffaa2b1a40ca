import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { loadTools } from '../../src/commands/tree/definitions.ts';
import { borrowAuthority, writeClientFiles } from '../client/certificates.ts';
import { SIGNERS } from '../signers.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { runInProcess } from './in-process.ts';
import { HOME, sharedCache } from './svc.ts';
import { needsProcess, runInFolder, serveShells } from './svc-for-shells.ts';

/** Seed data for everything that help and documents mention. */
const SEED = {
  organizations: [{ organizationId: 'acme', organizationName: 'Acme' }],
  folders: [{ organizationId: 'acme', folderId: 'f1', folderName: 'Plans' }],
  documents: [
    { organizationId: 'acme', documentId: 'd1', documentName: 'Plan' },
    { organizationId: 'acme', documentId: 'd2', documentName: 'Other' },
  ],
  users: ['u1', 'u2', 'ada', '0123', 'no', '1e5', ...[3, 4, 5, 6, 7, 8].map((n) => `u-${n}`)].map(
    (userId) => ({
      organizationId: 'acme',
      userId,
      name: userId,
    }),
  ),
  groups: [{ organizationId: 'acme', groupId: 'legal', groupName: 'Legal' }],
  activities: [
    {
      organizationId: 'acme',
      documentId: 'd1',
      id: 'a1',
      featureType: 'custom',
      actionType: 'edit',
    },
  ],
  crdt: [{ organizationId: 'acme', documentId: 'd1', editorId: 'e1', type: 'text', data: 'Hi' }],
  agents: [{ id: 'agent-1', name: 'Helper' }],
  agentGroups: [{ groupId: 'ag1', agentIds: ['agent-1'] }],
  endpoints: [{ id: 'ep_1', url: 'https://example.com/hook' }],
  config: { advancedWebhooks: { isEnabled: true } },
};

/** Settings that match the seed data. */
const SETTINGS = `svc: 1
stack: acme
config: { advancedWebhooks: { isEnabled: true } }
endpoints: [{ id: ep_1, url: https://example.com/hook }]
folders: [{ organizationId: acme, folderId: f1, folderName: Plans }]
environments: { prod: { profile: prod }, staging: { profile: staging } }
`;

/** Commands that refuse `--local`, because they call no service. */
const COMMANDS_WITHOUT_SERVICE: readonly (readonly string[])[] = [
  ['commands'],
  ['login'],
  ...(await loadTools())
    .filter(({ globalFlags }) => !globalFlags.includes('service') && !globalFlags.includes('local'))
    .map(({ command }) => command),
];

type Variables = Readonly<Record<string, string>>;

interface CommandResult {
  readonly code: number | null;
  /** Output on both streams. */
  readonly output: string;
}

interface Prepared {
  readonly folder: string;
  readonly apiKey: string;
}

/** Created once per process. Tests use copies. */
let original: Promise<Prepared> | undefined;

/**
 * Creates a folder with the files that help and documents mention, and a store with the seed data.
 */
export async function prepareFolder(): Promise<Prepared> {
  original ??= createFolder();
  const { folder, apiKey } = await original;
  return { folder: await copyFolder(folder), apiKey };
}

async function createFolder() {
  const home = await mkdtemp(join(tmpdir(), 'svc-documented-'));
  const svc = (words: readonly string[]) => runInProcess(words, { cwd: home, env: { HOME: home } });
  await writeFile(join(home, 'seed.json'), JSON.stringify(SEED));
  expect(await svc(['local', 'import', 'seed.json'])).toMatchObject({ code: 0, stderr: '' });
  const base = ['--base-url', 'https://api.example.com', '--api-key', 'key-1'];
  expect(await svc(['profiles', 'add', 'staging', ...base])).toMatchObject({ code: 0 });
  for (const name of ['users.json', 'users.ndjson', 'users.csv', 'documents.csv']) {
    await cp(join(HOME, 'examples', name), join(home, name));
  }
  await writeFile(join(home, 'state.json'), JSON.stringify(SEED));
  for (const name of ['state.yaml', 'seed.yaml'])
    await writeFile(join(home, name), JSON.stringify(SEED));
  await writeFile(join(home, 'svc.yaml'), SETTINGS);
  await writeFile(join(home, 'orgs.csv'), 'organizationId\nacme\n');
  await writeFile(
    join(home, 'cases.yaml'),
    'cases: [{ org: acme, user: u1, document: d1, expect: allowed }]',
  );
  expect(await svc(['--local', 'plan', '--out', 'plan.json'])).toMatchObject({ code: 0 });
  await writeFile(join(home, 'contract.json'), '{"svcContract":1,"operations":{}}');
  await writeFile(join(home, 'findings.json'), '{"findings":[]}');
  await writeFile(join(home, 'body.json'), '{}');
  await writeFile(join(home, 'token.txt'), 'not-a-real-one\n');
  await writeClientFiles(await borrowAuthority(), home);
  await writeFile(join(home, 'allowed_signers'), SIGNERS);
  await writeFile(join(home, 'package.json'), '{"scripts":{"test":"true"}}');
  await mkdir(join(home, 'bin'));
  const shells = await serveShells(({ words, env }) => withService(words, env));
  await shells.install(join(home, 'bin', 'svc'));
  await writeProgram(home, 'npx', 'exec "$@"');
  await writeProgram(home, 'npm', await fakeNpmScript());
  await writeProgram(home, 'gh', 'exit 0');
  await cp(join(HOME, 'examples'), join(home, 'examples'), { recursive: true });
  const { stdout } = await svc(['workspace', 'get', '--local', '--jq', '.apiKeyList | keys[0]']);
  return { folder: home, apiKey: stdout.trim() };
}

/** Copies a folder, for commands that must not affect each other. */
export async function copyFolder(folder: string): Promise<string> {
  const home = await createTemporaryFolder();
  // Much faster than without Sync.
  cpSync(folder, home, { recursive: true });
  return home;
}

/** Runs lines of bash in a prepared folder, without a terminal. */
export function runAsUser(
  lines: string,
  home: string,
  variables: Variables = {},
): Promise<CommandResult> {
  return startAsUser(lines, home, variables).ended;
}

/** Lines that affect later lines of a shell, or are only part of a command. */
const DEPENDENT_LINE = /^(\s|alias |case |cd |complete |export |\w+=(?!\S* svc ))|<<|[\\&]$/;

/**
 * Runs lines like `runAsUser`. Independent lines run one by one, and plain svc commands among them
 * in this process, without a shell and a separate Node.js.
 */
export async function runLines(
  lines: string,
  home: string,
  variables: Variables = {},
): Promise<CommandResult> {
  const each = lines.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  if (each.some((line) => DEPENDENT_LINE.test(line))) return runAsUser(lines, home, variables);
  let all = '';
  for (const line of each) {
    const { code, output } = await runLine(line, home, variables);
    all += output;
    if (code !== 0) return { code, output: all };
  }
  return { code: 0, output: all };
}

/**
 * Runs a line like `runAsUser`. A plain svc command runs in this process, all other lines run in
 * bash.
 */
export async function runLine(
  line: string,
  home: string,
  variables: Variables = {},
): Promise<CommandResult> {
  const [, ...words] = splitWords(line.replace(/ +#.*$/, ''));
  if (!/^svc [^|<>$&;`()*~\\]*$/.test(line) || needsProcess(words))
    return runAsUser(line, home, variables);
  const env = { ...testUserEnvironment(home), ...variables };
  const { code, written } = await runInFolder(withService(words, env), { env, cwd: home });
  return { code, output: String(Buffer.concat(written.map(({ bytes }) => bytes))) };
}

/** Adds `--local` to commands that call a service and name none. */
function withService(words: readonly string[], { DIRECT: direct }: Variables): readonly string[] {
  const hasService =
    direct !== undefined ||
    ['--profile', '--version'].some((flag) => words.includes(flag)) ||
    COMMANDS_WITHOUT_SERVICE.some((command) => command.every((word, at) => words[at] === word));
  return hasService ? words : ['--local', ...words];
}

/** Splits a line into words like a shell. */
function splitWords(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** Returns the environment of the test user. */
export function testUserEnvironment(home: string): Variables {
  return {
    HOME: home,
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    CI: '1',
    ...sharedCache(),
  };
}

/** Starts lines of bash. Background processes end with the test. */
export function startAsUser(lines: string, home: string, variables: Variables = {}) {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', lines], {
    cwd: home,
    env: { ...testUserEnvironment(home), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => endGroup(child));
  let output = '';
  let check = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      check();
    });
  }
  const ended = new Promise<CommandResult>((resolve) => {
    child.on('close', (code) => resolve({ code, output }));
    // A background program keeps the streams open.
    child.on('exit', (code) => setTimeout(() => resolve({ code, output }), 300));
  });
  const prints = (text: string) =>
    new Promise<void>((resolve) => {
      check = () => output.includes(text) && resolve();
      check();
    });
  return {
    ended,
    prints,
    output: () => output,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All processes have ended.
  }
}

/**
 * Returns a script that checks the arguments of npm but does no work. Other tests and CI run the
 * real npm.
 */
async function fakeNpmScript(): Promise<string> {
  const { name, version, scripts } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
  const known = [
    'ci',
    'test',
    'pack ./dist',
    ...Object.keys(scripts).map((script) => `run ${script}`),
  ];
  const tarball = `./${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  const installs = [
    `install ${tarball}`,
    `install --global ${tarball}`,
    `install --global --ignore-scripts ${tarball}`,
  ];
  return `case "$*" in ${[...known, ...installs].map((words) => `'${words}'`).join('|')}) ;; *) exit 1 ;; esac`;
}

async function writeProgram(home: string, name: string, script: string): Promise<void> {
  const path = join(home, 'bin', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
