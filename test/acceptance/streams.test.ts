import { spawn } from 'node:child_process';
import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { BIN, newUser } from './svc.ts';
import { startInTerminal, startTerminal } from './terminal.ts';

const documents = Array.from({ length: 5_000 }, (_, at) => ({
  id: `document-${at}`,
  documentName: `Document ${at}`,
}));
const list = [BIN, 'documents', 'list', '--org', 'acme'];

async function createListing() {
  const [{ env: userEnv, svc }, { env }] = await Promise.all([
    newUserInProcess(),
    startMockService(() => success(documents)),
  ]);
  return { env: { ...userEnv, ...env }, svc: (words: readonly string[]) => svc(words, { env }) };
}

const exitCode = (child: ReturnType<typeof spawn>) =>
  new Promise((resolve) => child.on('close', resolve));

describe('stdout', () => {
  // output.test.ts tests the other formats.
  it.each(['json', 'yaml', 'csv'])(
    'results in exit code 12 if it cannot be written, as %s',
    async (format) => {
      const { env } = await createListing();
      const full = await open('/dev/full', 'w');
      const child = spawn(process.execPath, [...list, '-o', format], {
        env,
        stdio: ['ignore', full.fd, 'pipe'],
      });
      let stderr = '';
      child.stderr?.on('data', (text) => {
        stderr += text;
      });
      expect(await exitCode(child)).toBe(12);
      expect(stderr).toContain('cannot write the output: the disk is full');
      await full.close();
    },
  );

  it('results in exit code 141 without a message if its reader exits', async () => {
    const { env } = await createListing();
    const child = spawn(process.execPath, [...list, '-o', 'ndjson'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    expect({ code: await exitCode(child), stderr }).toEqual({ code: 141, stderr: '' });
  });

  it('reaches a slow reader completely', async () => {
    const { env } = await createListing();
    const child = spawn(process.execPath, [...list, '-o', 'ndjson'], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      stdout += chunk;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toEqual(documents.map(({ id }) => id));
  });

  it('contains only the result in every format', async () => {
    const { svc } = await createListing();
    const [json, ndjson, csv] = [
      await svc([...list.slice(1), '-o', 'json', '--debug']),
      await svc([...list.slice(1), '-o', 'ndjson', '-v']),
      await svc([...list.slice(1), '-o', 'csv', '--no-headers']),
    ];
    expect(JSON.parse(json.stdout)).toHaveLength(documents.length);
    expect(ndjson.stdout.trim().split('\n')).toHaveLength(documents.length);
    expect(csv.stdout.trim().split('\n')).toHaveLength(documents.length);
    expect(json.stderr).toContain('/v2/organizations/documents/get');
    expect(json.stderr).not.toContain('token-of-the-key-0001');
  });
});

describe('stderr with -o json', () => {
  it('has a line of JSON for each message, and the error as the last line', async () => {
    let calls = 0;
    const { env } = await startMockService((_, response) => {
      calls += 1;
      if (calls > 1)
        return { status: 404, body: { error: { status: 'NOT_FOUND', message: 'no folder' } } };
      response.setHeader('retry-after-ms', '100');
      return { status: 429, body: { error: { status: 'RESOURCE_EXHAUSTED', message: 'slow' } } };
    });
    for (const format of ['json', 'ndjson']) {
      // Another process of the same user would know of the rate limit, and wait before its call.
      const { svc } = await newUserInProcess();
      calls = 0;
      const words = ['folders', 'list', '--org', 'acme', '-v', '--insecure-http', '-o', format];
      const { stderr } = await svc(words, { env });
      const lines = stderr.trimEnd().split('\n');
      const [error, ...notes] = lines.map((line) => JSON.parse(line)).reverse();
      expect(error).toEqual({
        error: expect.objectContaining({ status: 'NOT_FOUND', message: 'no folder' }),
      });
      // On a busy machine, the pause that this process saved may end after its own wait.
      expect(notes.length).toBeGreaterThan(0);
      for (const { note } of notes)
        expect(note).toEqual({
          level: 'info',
          message: expect.stringMatching(/^waiting \d+ s for the service's rate limit/),
        });
    }
  });

  it('shows warnings as such, and no progress of an import', async () => {
    const { svc, home } = await newUserInProcess();
    const { env } = await startMockService(() =>
      success({ u1: { success: true }, u2: { success: true } }),
    );
    await writeFile(join(home, 'users.json'), '[{"userId":"u1","nmae":"x"},{"userId":"u2"}]');
    const words = ['users', 'add', '--org', 'acme', '--file', 'users.json', '--yes', '-o', 'json'];
    const { stderr, code } = await svc(words, { env });
    expect(code).toBe(0);
    const notes = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).note);
    expect(notes).toContainEqual({ level: 'warning', message: expect.stringContaining("'nmae'") });
    expect(notes.map(({ message }) => message).join()).not.toContain('sending');
  });
});

describe('Ctrl-C', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s during a hanging call exits with %i immediately', async (signal, code) => {
    const { env: userEnv } = await newUser();
    const arrived = Promise.withResolvers<void>();
    const { env } = await startMockService(() => {
      arrived.resolve();
      return undefined;
    });
    const child = spawn(process.execPath, list, {
      env: { ...userEnv, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await arrived.promise;
    child.kill(signal);
    expect(await exitCode(child)).toBe(code);
  });
});

describe('a closed terminal', () => {
  it('ends a prompt like SIGHUP', async () => {
    const { env } = await newUser();
    const terminal = startTerminal(['profiles', 'add'], env);
    onTestFinished(terminal.kill);
    await terminal.shows('Profile name');
    terminal.close();
    expect(await terminal.ended).toBe(129);
  });
});

describe('SIGHUP', () => {
  const OUTPUT = 'svc.out';

  /** A service that answers after `release`, with the moment when the call arrives. */
  async function startHeldService() {
    const arrived = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { env } = await startMockService(async () => {
      arrived.resolve();
      await held.promise;
      return success([{ id: 'd1' }]);
    });
    return { env, arrived: arrived.promise, release: held.resolve };
  }

  it('has no effect without a terminal', async () => {
    const { env: userEnv } = await newUser();
    const { env, arrived, release } = await startHeldService();
    const child = spawn(process.execPath, list, {
      env: { ...userEnv, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await arrived;
    child.kill('SIGHUP');
    child.kill('SIGHUP');
    release();
    expect(await exitCode(child)).toBe(0);
  });

  it('of a closed terminal has no effect under nohup', async () => {
    const { env: userEnv, home } = await newUser();
    const { env, arrived, release } = await startHeldService();
    const svc = [process.execPath, ...list].join("' '");
    // The shell keeps the terminal open until the test closes it.
    const terminal = startInTerminal('sh', ['-c', `nohup '${svc}' > ${OUTPUT} 2>&1 & wait`], {
      env: { ...userEnv, ...env, PATH: process.env['PATH'] ?? '' },
      cwd: home,
    });
    onTestFinished(terminal.kill);
    await arrived;
    terminal.close();
    // Long enough for a signal to arrive.
    await sleep(200);
    release();
    await eventually(async () =>
      expect(await readFile(join(home, OUTPUT), 'utf8')).toContain('d1'),
    );
  });

  it('of a closed terminal ends a call that writes to a file but has a terminal', async () => {
    const { env: userEnv, home } = await newUser();
    const { env, arrived, release } = await startHeldService();
    const svc = [process.execPath, ...list].join("' '");
    const terminal = startInTerminal('sh', ['-c', `exec '${svc}' > ${OUTPUT} 2>&1`], {
      env: { ...userEnv, ...env, PATH: process.env['PATH'] ?? '' },
      cwd: home,
    });
    onTestFinished(terminal.kill);
    await arrived;
    terminal.close();
    expect(await terminal.ended).toBe(129);
    release();
  });
});

describe('Ctrl-C during a job on the embedded service', () => {
  it('is handled between two batches, and every record is accounted for', SLOW, async () => {
    const { env, home } = await newUser();
    const lines = Array.from({ length: 60_000 }, (_, at) => `{"userId":"user-${at}"}`);
    await writeFile(join(home, 'users.ndjson'), lines.join('\n'));
    const words = [
      'users',
      'add',
      '--local',
      '--org',
      'acme',
      '--file',
      'users.ndjson',
      '-o',
      'json',
      '--results',
      'results',
    ];
    const child = spawn(process.execPath, [BIN, ...words], {
      env,
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    while ((await stat(join(home, 'results')).catch(() => undefined))?.size === undefined)
      await sleep(20);
    child.kill('SIGINT');
    expect(await exitCode(child)).toBe(130);
    const { total, succeeded, failed, unknown, skipped } = JSON.parse(stdout);
    expect(total).toBe(lines.length);
    expect(succeeded + failed + unknown + skipped).toBe(total);
    expect({ failed, unknown }).toEqual({ failed: 0, unknown: 0 });
    expect(skipped).toBeGreaterThan(0);
  });
});
