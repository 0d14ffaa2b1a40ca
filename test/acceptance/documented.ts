import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { report } from '../../src/commands/terminal/report.ts';
import { userFolders } from '../../src/kernel/folders.ts';
import { fakeContext } from '../commands/fake-context.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { BIN, HOME, run } from './svc.ts';

/** Everything that help and documents name, so that they find it. */
const SEED = {
  organizations: [{ organizationId: 'acme', organizationName: 'Acme' }],
  folders: [{ organizationId: 'acme', folderId: 'f1', folderName: 'Plans' }],
  documents: [
    { organizationId: 'acme', documentId: 'd1', documentName: 'Plan' },
    { organizationId: 'acme', documentId: 'd2', documentName: 'Other' },
  ],
  users: ['u1', 'u2', 'ada', '0123', 'no', '1e5', ...[3, 4, 5, 6, 7, 8].map((n) => `u-${n}`)].map((userId) => ({
    organizationId: 'acme',
    userId,
    name: userId,
  })),
  groups: [{ organizationId: 'acme', groupId: 'legal', groupName: 'Legal' }],
  activities: [{ organizationId: 'acme', documentId: 'd1', id: 'a1', featureType: 'custom', actionType: 'edit' }],
  crdt: [{ organizationId: 'acme', documentId: 'd1', editorId: 'e1', type: 'text', data: 'Hi' }],
  agents: [{ id: 'agent-1', name: 'Helper' }],
  endpoints: [{ id: 'ep_1', url: 'https://example.com/hook' }],
  config: { advancedWebhooks: { isEnabled: true } },
};

type Variables = Readonly<Record<string, string>>;

interface Ended {
  readonly code: number | null;
  /** What it wrote to both streams. */
  readonly talk: string;
}

interface Prepared {
  readonly folder: string;
  readonly apiKey: string;
}

/** Made once for the tests of a file, which get copies. */
let original: Promise<Prepared> | undefined;

afterAll(async () => {
  if (original) await rm((await original).folder, { recursive: true, force: true });
});

/** A folder with the files that help and documents name, and a store that holds the seed. */
export async function prepared(): Promise<Prepared> {
  original ??= prepare();
  const { folder, apiKey } = await original;
  return { folder: await copied(folder), apiKey };
}

async function prepare(): Promise<Prepared> {
  const home = await mkdtemp(join(tmpdir(), 'svc-documented-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const svc = (words: readonly string[]) => run([BIN, ...words], { cwd: home, env });
  await writeFile(join(home, 'seed.json'), JSON.stringify(SEED));
  expect(await svc(['local', 'import', 'seed.json'])).toMatchObject({ code: 0, stderr: '' });
  const base = ['--base-url', 'https://api.example.com', '--api-key', 'key-1'];
  expect(await svc(['profiles', 'add', 'staging', ...base])).toMatchObject({ code: 0 });
  for (const name of ['users.json', 'users.ndjson', 'users.csv', 'documents.csv']) {
    await cp(join(HOME, 'examples', name), join(home, name));
  }
  await writeFile(join(home, 'state.json'), JSON.stringify(SEED));
  for (const name of ['state.yaml', 'seed.yaml']) await writeFile(join(home, name), JSON.stringify(SEED));
  await writeFile(join(home, 'body.json'), '{}');
  await writeFile(join(home, 'token.txt'), 'not-a-real-one\n');
  await writeFile(join(home, 'package.json'), '{"scripts":{"test":"true"}}');
  await mkdir(join(home, 'bin'));
  const own = `[ "$1" = --version ] || [ -n "$DIRECT" ] || set -- --local "$@"; exec '${process.execPath}' '${BIN}' "$@"`;
  await program(home, 'svc', own);
  await program(home, 'npx', 'exec "$@"');
  await program(home, 'npm', await npmWithoutWork());
  await program(home, 'gh', 'exit 0');
  await cp(join(HOME, 'examples'), join(home, 'examples'), { recursive: true });
  const { stdout } = await svc(['workspace', 'get', '--local', '--jq', '.apiKeyList | keys[0]']);
  return { folder: home, apiKey: stdout.trim() };
}

/** A copy of a folder, for commands that shall not see what others did. */
export async function copied(folder: string): Promise<string> {
  const home = await temporaryFolder();
  await cp(folder, home, { recursive: true });
  return home;
}

/** Runs a line, or lines, of bash in a prepared folder, as a person would who is not asked. */
export function runAsUser(lines: string, home: string, variables: Variables = {}): Promise<Ended> {
  return startAsUser(lines, home, variables).ended;
}

/**
 * Runs a line as `runAsUser` does. One that is a command of svc and nothing else runs in this process, without a shell and
 * a Node.js of its own; others run in bash. A path of a store counts from the folder of the process.
 */
export async function runLine(line: string, home: string): Promise<Ended> {
  if (!/^svc [^|<>$&;`()*~\\]*$/.test(line) || / --store /.test(line)) return runAsUser(line, home);
  const environment = userEnvironment(home);
  const context = await fakeContext({ environment, cwd: home, folders: userFolders(environment) });
  const [, ...words] = wordsOf(line);
  const own = ['--local', ...words];
  const code = await runCommandLine(own, context).then(
    () => 0,
    (thrown: unknown) => report(context.io, own, environment, thrown),
  );
  return { code, talk: context.stdout() + context.stderr() };
}

/** The words of a line, as a shell reads them. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/** The variables of such a person. */
export function userEnvironment(home: string): Variables {
  return { HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}`, CI: '1' };
}

/** Starts lines of bash. What they leave running in the background goes with the test. */
export function startAsUser(lines: string, home: string, variables: Variables = {}) {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', lines], {
    cwd: home,
    env: { ...userEnvironment(home), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  onTestFinished(() => endGroup(child));
  let talk = '';
  let check = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      talk += text;
      check();
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, talk }));
    // A program in the background holds the streams open.
    child.on('exit', (code) => setTimeout(() => resolve({ code, talk }), 300));
  });
  const says = (text: string) =>
    new Promise<void>((resolve) => {
      check = () => talk.includes(text) && resolve();
      check();
    });
  return { ended, says, talk: () => talk, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** What npm is told has to be there; it is done by tests of its own, and by CI. */
async function npmWithoutWork(): Promise<string> {
  const { name, version, scripts } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
  const known = ['ci', 'test', 'pack ./dist', ...Object.keys(scripts).map((script) => `run ${script}`)];
  const tarball = `./${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  const installs = [`install ${name}`, `install --global ${name}`, `install --global ${tarball}`];
  return `case "$*" in ${[...known, ...installs].map((words) => `'${words}'`).join('|')}) ;; *) exit 1 ;; esac`;
}

async function program(home: string, name: string, script: string): Promise<void> {
  const path = join(home, 'bin', name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}
