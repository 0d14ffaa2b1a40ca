import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { describe, expect, it } from 'vitest';

const [IO, PROCESS] = ['io', 'process'].map(
  (name) => new URL(`../../src/kernel/${name}.ts`, import.meta.url).href,
);

/**
 * A separate program, because the test runner owns the streams of this process. It prints the
 * result of a write to stderr.
 */
function program(body: string): string[] {
  const code = `
    import { createProcessIo } from ${JSON.stringify(IO)};
    import { withoutExperimentalWarning } from ${JSON.stringify(PROCESS)};
    const { stdin, stdout, stderr } = createProcessIo();
    const tell = (value) => stderr.write(JSON.stringify(value));
    const tried = (text) => stdout.write(text).then(() => tell('written'), ({ failure, hint }) => tell({ failure, hint }));
    ${body}`;
  return ['--input-type=module', '--eval', code];
}

function run(body: string, stdout: 'pipe' | number = 'pipe'): ChildProcess {
  return spawn(process.execPath, program(body), { stdio: ['pipe', stdout, 'pipe'] });
}

function readAll(stream: Readable | null): Promise<string> {
  return text(stream ?? Readable.from([]));
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve));
}

describe.each([
  { way: 'at once', opening: '' },
  { way: 'through its stream', opening: 'stdout.stream;' },
])('stdout, written $way', ({ opening }) => {
  it.runIf(existsSync('/dev/full'))('reports a full disk', async () => {
    const full = await open('/dev/full', 'w');
    const child = run(`${opening} await tried('result');`, full.fd);
    const [message, code] = await Promise.all([readAll(child.stderr), exitCode(child)]);
    await full.close();
    expect(JSON.parse(message)).toEqual({
      failure: 'local',
      hint: expect.stringContaining('disk'),
    });
    expect(code).toBe(0);
  });

  it('reports that its reader closed the pipe', async () => {
    const child = run(
      `${opening} for await (const _ of stdin.stream) break; await tried('result');`,
    );
    child.stdout?.destroy();
    child.stdin?.write('the reader has left');
    const [message, code] = await Promise.all([readAll(child.stderr), exitCode(child)]);
    expect(JSON.parse(message)).toMatchObject({ failure: 'stdout_closed' });
    expect(code).toBe(0);
  });

  it('writes everything to a slow reader, in order', async () => {
    const child = run(`${opening}
      for (let page = 0; page < 64; page++) await stdout.write(String(page % 10).repeat(65_536));
      await tell('all written');`);
    const ended = exitCode(child);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const received = await readAll(child.stdout);
    const expected = Array.from({ length: 64 }, (_, page) => String(page % 10).repeat(65_536)).join(
      '',
    );
    expect(received === expected).toBe(true);
    expect(await ended).toBe(0);
  });
});

it("stdout recognizes Windows' error code for a closed pipe", async () => {
  const child = run(`
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeSync } = fs;
    fs.writeSync = (descriptor, ...rest) => {
      if (descriptor === 1) throw Object.assign(new Error('EOF: end of file, write'), { code: 'EOF' });
      return writeSync(descriptor, ...rest);
    };
    syncBuiltinESMExports();
    await tried('result');`);
  expect(JSON.parse(await readAll(child.stderr))).toMatchObject({ failure: 'stdout_closed' });
});

describe('a sink', () => {
  const SIZE =
    'await stdout.write(JSON.stringify([stdin.isTerminal, stdout.isTerminal, stdout.columns ?? null]));';

  it('has no width if it is a pipe', async () => {
    expect(await readAll(run(SIZE).stdout)).toBe('[false,false,null]');
  });

  it('has a width if it is a terminal', async () => {
    const terminal = spawnTerminal(process.execPath, program(SIZE), { cols: 97, rows: 20 });
    let shown = '';
    terminal.onData((data) => {
      shown += data;
    });
    await new Promise<void>((resolve) => terminal.onExit(() => resolve()));
    expect(shown).toContain('[true,true,97]');
  });

  it('accepts bytes', async () => {
    expect(await readAll(run("await stdout.write(new TextEncoder().encode('é'));").stdout)).toBe(
      'é',
    );
  });
});

it.runIf(existsSync('/dev/full'))(
  'a message that cannot be written does not fail the command',
  async () => {
    const full = await open('/dev/full', 'w');
    const body =
      "await stderr.write('messages'); stderr.stream; await stderr.write('messages'); await stdout.write('result');";
    const child = spawn(process.execPath, program(body), { stdio: ['ignore', 'pipe', full.fd] });
    const [result, code] = await Promise.all([readAll(child.stdout), exitCode(child)]);
    await full.close();
    expect({ result, code }).toEqual({ result: 'result', code: 0 });
  },
);

it('suppresses the warning of one experimental feature, but no other or later warning', async () => {
  const child = run(`
    const warn = (feature) => process.emitWarning(feature + ' is new', 'ExperimentalWarning');
    const value = await withoutExperimentalWarning('SQLite', async () => { warn('SQLite'); warn('Other'); return 7; });
    warn('SQLite again');
    await stdout.write(String(value));`);
  const [messages, value] = await Promise.all([readAll(child.stderr), readAll(child.stdout)]);
  expect(value).toBe('7');
  expect(messages).not.toContain('SQLite is new');
  expect(messages).toContain('Other is new');
  expect(messages).toContain('SQLite again is new');
});
