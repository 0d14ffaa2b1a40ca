import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/output/format.ts';
import { copyFolder, prepareFolder } from './documented.ts';
import { newUserInProcess } from './in-process.ts';
import { BIN, sharedCache } from './svc.ts';

/** Commands of every kind that print something, as the arguments of `svc`. */
const COMMANDS: readonly string[] = [
  ...FORMATS.map((format) => `documents list --local --org acme -o ${format}`),
  ...['table', 'json', 'csv'].map((format) => `users add --local --org acme --file users.json -o ${format}`),
  ...['workspace get --local -o yaml', 'history', 'history -o ndjson'],
  ...['--help', '--version', 'help exit-codes', 'users add --help', '__complete users ""'],
  ...['completion bash', 'commands', 'schema users.add', 'openapi', 'auth status', 'profiles list'],
  ...['local export', 'local export -o yaml', 'folders tree --local --org acme', 'webhooks events'],
  ...['documents list --local --org acme --jq .[]', 'documents list --local --org acme --dry-run'],
  ...['users validate --file users.csv', 'users validate --file bad.json --format github', 'doctor --local'],
  ...['documents migrate --local --org acme --document d1 --new-document d9 --yes -q', 'jobs list -o json'],
  ...['api /v2/agents/get --local', 'webhooks send huddle.join --url http://127.0.0.1:9/ --dry-run'],
  ...['serve --port 0 -o json', 'serve --port 0', 'local deliveries list -o json'],
];

/** Commands without those that differ from an earlier one only in the output format: all formats are written by the same code. */
const oncePerKind = () => [...new Map(COMMANDS.map((command) => [command.replace(/ -o \w+$/, ''), command])).values()];

/** Shell completion prints nothing if its output fails. */
const isSilent = (command: string) => command.startsWith('__complete');

/** Creates a folder with the data that those commands need. */
async function createSeededFolder(): Promise<string> {
  const { folder } = await prepareFolder();
  await writeFile(join(folder, 'bad.json'), '[{"userId":7}]');
  const { env, cwd } = setting(folder);
  execFileSync(process.execPath, [BIN, 'users', 'add', '--local', '--org', 'acme', '--user', 'u1'], { env, cwd });
  return folder;
}

const setting = (home: string) => ({
  env: { PATH: process.env['PATH'] ?? '', HOME: home, SVC_PROFILE: '', ...sharedCache() },
  cwd: home,
});

/** Runs a command with the given stdout descriptor and returns its exit code and stderr. */
async function runWithStdout(
  command: string,
  folder: string,
  stdout: number,
): Promise<{ code: number | null; stderr: string }> {
  const words = command.split(' ').map((word) => (word === '""' ? '' : word));
  const home = await copyFolder(folder);
  const child = spawn(process.execPath, [BIN, ...words], { ...setting(home), stdio: ['ignore', stdout, 'pipe'] });
  if (!child.stderr) throw new TypeError('stderr is a pipe');
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stderr, code] = await Promise.all([text(child.stderr), ended]);
  return { code, stderr };
}

/** Returns the commands with an unexpected exit code or message. */
async function findUnexpected(
  commands: readonly string[],
  folder: string,
  stdout: number,
  isExpected: (end: { code: number | null; stderr: string }) => boolean,
) {
  const found: string[] = [];
  const waiting = commands.filter((command) => !isSilent(command));
  const worker = async () => {
    for (let command = waiting.shift(); command; command = waiting.shift()) {
      const end = await runWithStdout(command, folder, stdout);
      if (!isExpected(end)) found.push(`${command}: ${end.code} ${end.stderr}`);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return found;
}

describe('stdout of every kind of command', () => {
  it('results in exit code 12 and a message if the disk is full', async () => {
    const full = await open('/dev/full', 'w');
    const found = await findUnexpected(
      COMMANDS,
      await createSeededFolder(),
      full.fd,
      ({ code, stderr }) => code === 12 && /cannot write the output: the disk is full/.test(stderr),
    );
    await full.close();
    expect(found).toEqual([]);
  });

  it('results in exit code 141 without a message if its reader exits', async () => {
    const folder = await createSeededFolder();
    const pipe = await openPipeWithoutReader(folder);
    const found = await findUnexpected(
      oncePerKind(),
      folder,
      pipe,
      ({ code, stderr }) => code === 141 && !/svc:|at .*\.js|EPIPE|reader/.test(stderr),
    );
    closeSync(pipe);
    expect(found).toEqual([]);
  });
});

/** Larger than all buffers between writer and reader. */
const MANY = Array.from({ length: 4_000 }, (_, at) => ({ organizationId: 'acme', documentId: `document-${at}` }));

it('reaches a slow reader completely', async () => {
  const { home, env, svc } = await newUserInProcess();
  await writeFile(join(home, 'many.json'), JSON.stringify({ organizations: [{ organizationId: 'acme' }], documents: MANY }));
  expect(await svc(['local', 'import', 'many.json'])).toMatchObject({ code: 0 });
  const lists = FORMATS.map((format) => ['documents', 'list', '--local', '--org', 'acme', '--all', '-o', format]);
  const commands = [...lists, ['local', 'export'], ['local', 'export', '-o', 'yaml'], ['openapi']];
  const expectComplete = async (words: readonly string[]) => {
    const child = spawn(process.execPath, [BIN, ...words], { env, cwd: home, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(child, 'close');
    let slow = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      slow += chunk;
      await sleep(10);
    }
    expect(await ended).toEqual([0, null]);
    const fast = await svc(words);
    expect(slow.length, words.join(' ')).toBeGreaterThan(100_000);
    expect(slow, words.join(' ')).toBe(fast.stdout);
  };
  // The readers mostly sleep.
  await Promise.all(commands.map(expectComplete));
});

async function openPipeWithoutReader(home: string): Promise<number> {
  const path = join(home, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  closeSync(reader);
  execFileSync('rm', [path]);
  return writer;
}
