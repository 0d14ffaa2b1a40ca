import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { FORMATS } from '../../src/output/format.ts';
import { SLOW } from '../slow.ts';
import { copyFolder, prepareFolder } from './documented.ts';
import { newUserInProcess, runInProcess } from './in-process.ts';
import { BIN, sharedCache } from './svc.ts';

/** Commands of each kind of output that run as a process, as the arguments of `svc`. */
const PROCESSES: readonly string[] = [
  '--help',
  '--version',
  'help exit-codes',
  'completion bash',
  'commands',
  'history -o ndjson',
  'serve --port 0 -o json',
  'documents list --local --org acme -o table',
  'documents list --local --org acme --all -o ndjson',
  'users add --local --org acme --file users.json -o json',
  'local export',
  'users validate --file bad.json --format github',
];

/** Other commands that print something. They print it to the same stream of the process. */
const COMMANDS: readonly string[] = [
  ...FORMATS.map((format) => `documents list --local --org acme -o ${format}`),
  ...['table', 'csv'].map(
    (format) => `users add --local --org acme --file users.json -o ${format}`,
  ),
  'workspace get --local -o yaml',
  'history',
  'users add --help',
  'schema users.add',
  'openapi',
  'whoami --all',
  'profiles list',
  'local export -o yaml',
  'folders tree --local --org acme',
  'webhooks events',
  'doctor --local',
  'documents list --local --org acme --jq .[]',
  'documents list --local --org acme --dry-run',
  'users validate --file users.csv',
  'jobs list -o json',
  'api /v2/agents/get --local',
  'local deliveries list -o json',
  'documents migrate --local --org acme --document d1 --new-document d9 --yes -q',
  'serve --port 0',
  'webhooks send huddle.join --url http://127.0.0.1:9/ --dry-run',
];

/** Creates a folder with the data that those commands need. */
async function createSeededFolder(): Promise<string> {
  const { folder } = await prepareFolder();
  await writeFile(join(folder, 'bad.json'), '[{"userId":7}]');
  await runInProcess(['users', 'add', '--local', '--org', 'acme', '--user', 'u1'], setting(folder));
  return folder;
}

const setting = (home: string) => ({
  env: { PATH: process.env['PATH'] ?? '', HOME: home, SVC_PROFILE: '', ...sharedCache() },
  cwd: home,
});

interface End {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs a command as a process with the given stdout descriptor. */
async function runWithStdout(
  words: readonly string[],
  folder: string,
  stdout: number,
): Promise<End> {
  const child = spawn(process.execPath, [BIN, ...words], {
    ...setting(folder),
    stdio: ['ignore', stdout, 'pipe'],
  });
  if (!child.stderr) throw new TypeError('stderr is a pipe');
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [stderr, code] = await Promise.all([text(child.stderr), ended]);
  return { code, stderr };
}

/** Returns the commands with an unexpected exit code or message. */
async function findUnexpected(
  commands: readonly string[],
  folder: string,
  run: (words: readonly string[], folder: string) => Promise<End>,
  isExpected: (end: End) => boolean,
) {
  const found: string[] = [];
  const waiting = [...commands];
  const worker = async () => {
    for (let command = waiting.shift(); command; command = waiting.shift()) {
      const end = await run(command.split(' '), await copyFolder(folder));
      if (!isExpected(end)) found.push(`${command}: ${end.code} ${end.stderr}`);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return found;
}

const isDiskFull = ({ code, stderr }: End) =>
  code === 12 && /cannot write the output: the disk is full/.test(stderr);
const isReaderGone = ({ code, stderr }: End) =>
  code === 141 && !/svc:|at .*\.js|EPIPE|reader/.test(stderr);

it('only CSV can begin with a byte order mark', async () => {
  const { svc } = await newUserInProcess();
  await svc(['users', 'add', '--local', '--org', 'acme', '--user', 'ada']);
  const list = ['local', 'list', 'users', '--bom', '--fields', 'userId'];
  expect((await svc([...list, '-o', 'csv'])).stdout).toBe('\ufeffuserId\r\nada\r\n');
  for (const format of [[], ['-o', 'json'], ['-o', 'csv', '--jq', '.']]) {
    const { code, stdout } = await svc([...list, ...format]);
    expect([format, code, stdout]).toEqual([format, 2, '']);
  }
});

describe('stdout of every kind of command', () => {
  it('results in exit code 12 and a message if the disk is full', SLOW, async () => {
    const full = await open('/dev/full', 'w');
    const run = (words: readonly string[], folder: string) => runWithStdout(words, folder, full.fd);
    expect(await findUnexpected(PROCESSES, await createSeededFolder(), run, isDiskFull)).toEqual(
      [],
    );
    await full.close();
  });

  it('results in exit code 141 without a message if its reader exits', SLOW, async () => {
    const folder = await createSeededFolder();
    const pipe = await openPipeWithoutReader(folder);
    const run = (words: readonly string[], copy: string) => runWithStdout(words, copy, pipe);
    expect(await findUnexpected(PROCESSES, folder, run, isReaderGone)).toEqual([]);
    closeSync(pipe);
  });

  it.each([
    {
      failure: new SvcError('local', 'cannot write the output: the disk is full'),
      isExpected: isDiskFull,
    },
    {
      failure: new SvcError('stdout_closed', 'the reader of the output closed the pipe'),
      isExpected: isReaderGone,
    },
  ])(
    'ends the command if it cannot be written: $failure.message',
    SLOW,
    async ({ failure, isExpected }) => {
      const write = () => Promise.reject(failure);
      const run = (words: readonly string[], folder: string) =>
        runInProcess(words, { ...setting(folder), write });
      expect(await findUnexpected(COMMANDS, await createSeededFolder(), run, isExpected)).toEqual(
        [],
      );
    },
  );
});

/** Larger than all buffers between writer and reader. */
const MANY = Array.from({ length: 1_200 }, (_, at) => ({
  organizationId: 'acme',
  documentId: `document-${at}-${'x'.repeat(80)}`,
}));

it('reaches a slow reader completely', SLOW, async () => {
  const { home, env, svc } = await newUserInProcess();
  await writeFile(
    join(home, 'many.json'),
    JSON.stringify({ organizations: [{ organizationId: 'acme' }], documents: MANY }),
  );
  expect(await svc(['local', 'import', 'many.json'])).toMatchObject({ code: 0 });
  const list = ['documents', 'list', '--local', '--org', 'acme', '--all', '-o'];
  const commands = [
    [...list, 'table'],
    [...list, 'ndjson'],
    ['local', 'export', '-o', 'yaml'],
    ['openapi'],
  ];
  const expectComplete = async (words: readonly string[]) => {
    const child = spawn(process.execPath, [BIN, ...words], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
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
