import { spawn } from 'node:child_process';
import { open, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';
import { BIN, newUser } from './svc.ts';
import { startTerminal } from './terminal.ts';

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

describe('Ctrl-C', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
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
