import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { userId } from '../../src/kernel/process.ts';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { ADD_USERS, createBulkUser, findOnlyJob, type RequestHandler } from './bulk-service.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, success } from './mock-service.ts';
import { BIN, newUser, type User } from './svc.ts';
import { startTokenService } from './token-service.ts';

interface Output {
  readonly words: readonly string[];
  /** Exit code if the output can be written. */
  readonly code?: number;
  /** Part of what the command writes. */
  readonly content: string;
}

const ADD_DOCUMENTS = ['--local', 'documents', 'add', '--org', 'acme'];

/** Commands that end with the path of their output file. */
const OUTPUTS: Readonly<Record<string, Output>> = {
  'a saved plan': { words: ['--local', 'plan', '--out'], content: '"sha256"' },
  'a plan of an import': {
    words: [...ADD_DOCUMENTS, '--file', 'new.csv', '--out'],
    content: '"sha256"',
  },
  'a HAR file': { words: ['local', 'requests', 'list', '--har'], content: '"entries"' },
  results: {
    words: [...ADD_DOCUMENTS, '--file', 'new.csv', '--results'],
    content: '"id":"d2"',
  },
  rejects: {
    words: [...ADD_DOCUMENTS, '--file', 'old.csv', '--rejects'],
    code: 10,
    content: 'documentId\nd1\nd0\n',
  },
  'a job report': { words: ['jobs', 'show', 'JOB', '--html', '--file'], content: '<!doctype' },
  'a new token': {
    words: ['auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '--output-file'],
    content: '\n',
  },
  'a schema': { words: ['schema', 'settings', '--out'], content: '"title"' },
  'an exported state': { words: ['local', 'export'], content: '"acme"' },
  'the outputs of a workflow step': {
    words: ['auth-tokens', 'reset', '--api-key', 'key-1', '--yes', '--github', 'GITHUB_OUTPUT'],
    content: 'token=',
  },
};
const CASES = Object.entries(OUTPUTS);

/** Prepares the embedded service, input files, and a service whose tokens can be reset. */
async function prepare(user: User) {
  const { home, svc } = user;
  await writeFile(join(home, 'svc.yaml'), 'organizations:\n  - organizationId: acme\n');
  await writeFile(join(home, 'old.csv'), 'documentId\nd1\nd0\n');
  await writeFile(join(home, 'new.csv'), 'documentId\nd2\nd3\n');
  for (const words of [
    ['--local', 'orgs', 'add', '--org', 'acme'],
    [...ADD_DOCUMENTS, '--file', 'old.csv'],
  ])
    expect(await svc(words)).toMatchObject({ code: 0 });
  const [job] = JSON.parse((await svc(['jobs', 'list', '-o', 'json'])).stdout);
  const service = await startTokenService();
  /** Replaces the names in a command line of the table by the values of this user. */
  return ({ words }: Output, path: string) => {
    const named = words.map((word) => (word === 'JOB' ? job.id : word));
    const variable = named.at(-1) ?? '';
    return variable === 'GITHUB_OUTPUT'
      ? { words: named.slice(0, -1), env: { ...service.env, [variable]: path } }
      : { words: [...named, path], env: named[0] === 'auth-tokens' ? service.env : {} };
  };
}

describe('an output that is a device', () => {
  it.skipIf(userId !== 0).each(CASES)(
    'is written through and stays the only file: %s',
    SLOW,
    async (_, output) => {
      const user = await newUserInProcess();
      const commandFor = await prepare(user);
      const folder = join(user.home, 'devices');
      await mkdir(folder);
      const device = join(folder, 'null');
      execFileSync('mknod', ['-m', '666', device, 'c', '1', '3']);
      await symlink('null', join(folder, 'link'));
      const { words, env } = commandFor(output, join(folder, 'link'));
      const run = await user.svc(words, { env });
      expect(run, run.stderr).toMatchObject({ code: output.code ?? 0 });
      expect(run.stderr).not.toMatch(/reasons: |run: /);
      const stats = await stat(device);
      expect([stats.isCharacterDevice(), stats.mode & 0o777]).toEqual([true, 0o666]);
      expect((await readdir(folder)).toSorted()).toEqual(['link', 'null']);
    },
  );
});

describe('an output that is a folder', () => {
  it.each(CASES)('ends with exit code 12: %s', async (_, output) => {
    const user = await newUserInProcess();
    const commandFor = await prepare(user);
    const folder = join(user.home, 'folder');
    await mkdir(folder);
    const { words, env } = commandFor(output, folder);
    const run = await user.svc(words, { env });
    expect(run).toMatchObject({ code: 12 });
    expect(run.stderr).toContain(`svc: cannot write ${folder}: is a folder\n`);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('an output that is a FIFO', () => {
  it.each(CASES)('is written to its reader: %s', async (_, output) => {
    const user = await newUserInProcess();
    const commandFor = await prepare(user);
    const path = join(user.home, 'fifo');
    execFileSync('mkfifo', [path]);
    const { words, env } = commandFor(output, path);
    const running = user.svc(words, { env });
    expect(await readFile(path, 'utf8')).toContain(output.content);
    expect(await running).toMatchObject({ code: output.code ?? 0 });
    expect((await stat(path)).isFIFO()).toBe(true);
  });

  it.each(CASES)('and has no reader does not keep svc from ending: %s', SLOW, async (_, output) => {
    const user = await newUser();
    const commandFor = await prepare(user);
    const path = join(user.home, 'fifo');
    execFileSync('mkfifo', [path]);
    const { words, env } = commandFor(output, path);
    const started = user.start(words, { env });
    await eventually(async () => {
      // svc handles SIGHUP, the lowest bit, as soon as it runs; Node.js alone does not.
      const status = await readFile(`/proc/${started.pid}/status`, 'utf8');
      expect(status).toMatch(/^SigCgt:\s+\w*[13579bdf]$/m);
    });
    await sleep(500);
    started.kill('SIGTERM');
    expect((await started.ended).code).toBe(143);
  });
});

describe('svc pull', () => {
  it('refuses to edit a FIFO', async () => {
    const { home, svc } = await newUserInProcess();
    const path = join(home, 'settings.yaml');
    execFileSync('mkfifo', [path]);
    const run = await svc(['--local', 'pull', path]);
    expect(run).toMatchObject({ code: 12 });
    expect(run.stderr).toContain(`svc: cannot edit ${path}: it is not a regular file\n`);
  });
});

describe('the existing outputs of an import', () => {
  const RESULTS = '{"id":"u0","line":1,"status":"failed","message":"no","code":"x"}\n';
  const REJECTS = '{"userId":"corrected"}\n';
  const ADD = [...ADD_USERS, '--results', 'results.ndjson', '--rejects', 'again.ndjson'];

  async function createOutputs(home: string) {
    await writeFile(join(home, 'results.ndjson'), RESULTS);
    await writeFile(join(home, 'again.ndjson'), REJECTS);
    const read = (name: string) => readFile(join(home, name), 'utf8');
    return {
      read,
      readBoth: async () => [await read('results.ndjson'), await read('again.ndjson')],
    };
  }

  it('keep their bytes after kills and Ctrl-C, until the job ends', SLOW, async () => {
    let isSilent = true;
    const { home, start, svc, more } = await createBulkUser(300, (ids) => {
      if (isSilent && ids.includes('u250')) return 'silence';
      const items = ids.map((id) => [id, { success: id !== 'u5', message: 'no', code: 'x' }]);
      return success(Object.fromEntries(items));
    });
    const { read, readBoth } = await createOutputs(home);
    const stopAfter = async (
      words: readonly string[],
      requests: number,
      signal: NodeJS.Signals,
    ) => {
      const reached = more(requests);
      const running = start(...words);
      await reached;
      await sleep(200);
      running.kill(signal);
      await running.ended;
      expect(await readBoth()).toEqual([RESULTS, REJECTS]);
    };
    await stopAfter(ADD, 3, 'SIGKILL');
    await stopAfter(['jobs', 'resume', '--timeout', '1s'], 1, 'SIGINT');
    isSilent = false;
    const { code, stdout } = await svc('jobs', 'resume', '-o', 'json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 10, rejects: 'again.2.ndjson' });
    const ids = (await read('results.ndjson')).trimEnd().split('\n');
    expect(ids).toHaveLength(300);
    expect(await read('again.ndjson')).toBe(REJECTS);
    expect(await read('again.2.ndjson')).toBe('{"userId":"u5","name":"User 5"}\n');
  });

  const JUDGES: readonly (readonly [number, RequestHandler])[] = [
    [4, () => failure(401, 'UNAUTHENTICATED', 'no')],
    [0, () => undefined],
  ];

  it.each(JUDGES)(
    'keep their bytes with exit code %s unless they are replaced',
    async (code, judge) => {
      const { home, svc } = await createBulkUser(3, judge);
      const { read } = await createOutputs(home);
      expect(await svc(...ADD)).toMatchObject({ code });
      expect(await read('again.ndjson')).toBe(REJECTS);
      expect((await read('results.ndjson')) === RESULTS).toBe(code === 4);
      expect((await readdir(home)).filter((name) => /staged|again\.2/.test(name))).toEqual([]);
    },
  );
});

describe('the results of a job that stopped', () => {
  const words = [...ADD_USERS, '--batch-size', '100', '--concurrency', '1'];

  it.each([
    ['replaced by another job', ['--file', 'others.ndjson', '--results', 'results.ndjson']],
    ['removed', undefined],
  ])('are complete after it was resumed, also if they were %s', async (_, others) => {
    let isDown = true;
    const { home, svc } = await createBulkUser(300, (_, request) =>
      isDown && request > 2 ? failure(401, 'UNAUTHENTICATED', 'no') : undefined,
    );
    const path = join(home, 'results.ndjson');
    await writeFile(join(home, 'others.ndjson'), '{"userId":"other"}\n');
    const stopped = [...words, '--results', 'results.ndjson'];
    expect(await svc(...stopped)).toMatchObject({ code: 11 });
    expect((await readFile(path, 'utf8')).split('\n').length).toBeGreaterThan(100);
    const job = await findOnlyJob(svc);
    isDown = false;
    if (others) expect(await svc(...ADD_USERS.slice(0, 4), ...others)).toMatchObject({ code: 0 });
    else rmSync(path);
    expect(await svc('jobs', 'resume', job)).toMatchObject({ code: 0 });
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    const users = Array.from({ length: 300 }, (_, at) => `u${at}`);
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(users);
  });
});

describe('outputs with a long name', () => {
  const LONG = 'x'.repeat(251);

  it('are written, or refused before anything is sent', async () => {
    const { home, svc, requests } = await createBulkUser(2, () =>
      success({ u0: { success: false, message: 'no', code: 'x' }, u1: { success: true } }),
    );
    const input = `${LONG}.csv`;
    await writeFile(join(home, input), 'userId\nu0\nu1\n');
    const add = [...ADD_USERS.slice(0, 4), '--file', input];
    const refused = await svc(...add, '--rejects', `${LONG}.csv`);
    expect([refused.code, requests()]).toEqual([2, 0]);
    const tooLong = await svc(...ADD_USERS, '--rejects', `${LONG.replace('x', 'y')}.csv`);
    expect([tooLong.code, requests()]).toEqual([12, 0]);
    expect(tooLong.stderr).toContain('x.csv.reasons.ndjson: the name is too long');
    const results = `${LONG}.nds`;
    expect(await svc(...add, '--results', results)).toMatchObject({ code: 10 });
    expect(await readFile(join(home, `${'x'.repeat(200)}.rejects.csv`), 'utf8')).toContain('u0');
    expect(await svc(...add, '--results', results)).toMatchObject({ code: 10 });
  });
});

describe('a plan that cannot be saved', () => {
  it('leaves no copy of its input', async () => {
    const { home, svc } = await newUserInProcess();
    await writeFile(join(home, 'in.csv'), 'userId\nann\n');
    await mkdir(join(home, 'folder'));
    const words = ['--local', 'users', 'add', '--org', 'acme', '--file', 'in.csv', '--out'];
    expect(await svc([...words, 'folder'])).toMatchObject({ code: 12 });
    expect((await readdir(home)).filter((name) => name.startsWith('folder'))).toEqual(['folder']);
    expect(await svc([...words, 'plan.json'])).toMatchObject({ code: 0 });
    const copy = (await readdir(home)).find((name) => /^plan\.json\..*\.csv$/.test(name)) ?? '';
    await writeFile(join(home, copy), 'userId\nbob\n');
    const other = await svc([...words, 'plan.json']);
    expect(other).toMatchObject({ code: 2 });
    expect(other.stderr).toContain(`${copy} already exists and is not a copy of in.csv\n`);
    expect(await readFile(join(home, copy), 'utf8')).toBe('userId\nbob\n');
  });

  it('names no copy and no command if it goes to a device', async () => {
    const { home, svc } = await newUserInProcess();
    await writeFile(join(home, 'in.csv'), 'userId\nann\n');
    const words = ['--local', 'users', 'add', '--org', 'acme', '--file', 'in.csv', '--out'];
    const { code, stdout, stderr } = await svc([...words, '/dev/null']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /in\.csv: 11 bytes, SHA-256 \w+\n\nPlan: 1 user to send in 1 request\n$/,
    );
    expect(stderr).toBe(
      'warning: /dev/null is not a file, so the plan cannot be applied: it has no copy of its input\n',
    );
  });
});

describe('rejects that cannot be written', () => {
  const refuse: RequestHandler = (ids) =>
    success(
      Object.fromEntries(ids.map((id) => [id, { success: false, message: 'no', code: 'x' }])),
    );

  it('need another path, with which the job ends', async () => {
    const folder: { path?: string } = {};
    const { home, svc, requests } = await createBulkUser(2, (ids, ...others) => {
      if (folder.path !== undefined) rmSync(folder.path, { recursive: true });
      return refuse(ids, ...others);
    });
    folder.path = join(home, 'gone');
    await mkdir(folder.path);
    const failed = await svc(...ADD_USERS, '--rejects', 'gone/again.ndjson');
    expect(failed.code).toBe(12);
    const { error } = JSON.parse(failed.stderr);
    expect(error.message).toContain('gone/again.ndjson: no such file');
    expect(error.hint).toMatch(/^to resume, run svc jobs resume \S+ --rejects <path>$/);
    expect(await svc('jobs', 'resume')).toMatchObject({ code: 12 });
    const overInput = await svc('jobs', 'resume', '--rejects', './users.ndjson');
    expect([overInput.code, overInput.stderr]).toEqual([
      2,
      expect.stringContaining('--rejects and the input are the same file'),
    ]);
    const resumed = await svc('jobs', 'resume', '--rejects', 'here.ndjson', '-o', 'json');
    expect(resumed.code).toBe(10);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ failed: 2, rejects: 'here.ndjson' });
    expect(await readFile(join(home, 'here.ndjson'), 'utf8')).toContain('"u1"');
    expect(requests()).toBe(1);
  });
});

describe('standard output', () => {
  it('is neither an input nor another output', SLOW, async () => {
    const { home, env } = await newUser();
    const path = join(home, 'in.csv');
    await writeFile(path, 'userId\nann\n');
    await writeFile(join(home, 'svc.yaml'), 'organizations: []\n');
    const ADD = ['users', 'add', '--local', '--org', 'acme', '--file', 'in.csv'];
    for (const [words, file, message] of [
      [ADD, 'in.csv', 'stdout and --file are the same file: in.csv'],
      [[...ADD, '--results', 'o'], 'o', '--results and stdout are the same file: o'],
      [['plan', '--local'], 'svc.yaml', 'stdout and the settings file are the same file: svc.yaml'],
      [
        ['plan', '--local', '-f', '.'],
        'svc.yaml',
        'stdout and . are the same file: $HOME/svc.yaml',
      ],
      [
        ['contract', 'diff', '--known', 'in.csv'],
        'in.csv',
        'stdout and --known are the same file: in.csv',
      ],
    ] as const) {
      const stdout = openSync(join(home, file), 'a');
      const { status, stderr } = spawnSync(process.execPath, [BIN, ...words], {
        cwd: home,
        env,
        stdio: ['ignore', stdout, 'pipe'],
        encoding: 'utf8',
      });
      closeSync(stdout);
      expect([status, stderr]).toEqual([
        2,
        `svc: ${message.replace('$HOME', home)}\nhint: nothing was sent; choose another file\n`,
      ]);
    }
    expect(await readFile(join(home, 'svc.yaml'), 'utf8')).toBe('organizations: []\n');
    expect(await readFile(path, 'utf8')).toBe('userId\nann\n');
  });
});

describe('standard input', () => {
  it('is not an output by the name of its descriptor or its file', SLOW, async () => {
    const { home, env } = await newUser();
    const path = join(home, 'in.csv');
    await writeFile(path, 'userId\nann\n');
    for (const output of ['/dev/stdin', '/dev/fd/0', '/proc/self/fd/0', './in.csv']) {
      const words = [
        'users',
        'add',
        '--local',
        '--org',
        'acme',
        '--file',
        '-',
        '--results',
        output,
      ];
      const stdio = [openSync(path, 'r+'), 'pipe', 'pipe'] as const;
      const { status, stderr } = spawnSync(process.execPath, [BIN, ...words], {
        cwd: home,
        env,
        stdio: [...stdio],
        encoding: 'utf8',
      });
      closeSync(stdio[0]);
      expect([status, stderr]).toEqual([
        2,
        `svc: --results and stdin are the same file: ${output}\nhint: nothing was sent; choose another file\n`,
      ]);
      expect(await readFile(path, 'utf8')).toBe('userId\nann\n');
    }
  });
});
