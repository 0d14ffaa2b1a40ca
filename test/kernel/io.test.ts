import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { describe, expect, it } from 'vitest';

const IO = new URL('../../src/kernel/io.ts', import.meta.url).href;

/** A program of its own, because the streams of this one belong to the test runner. It tells stderr how a write ended. */
function program(body: string): string[] {
  const code = `
    import { processIo, withoutExperimentalWarning } from ${JSON.stringify(IO)};
    const { stdin, stdout, stderr } = processIo();
    const tell = (value) => stderr.write(JSON.stringify(value));
    const tried = (text) => stdout.write(text).then(() => tell('written'), ({ failure, hint }) => tell({ failure, hint }));
    ${body}`;
  return ['--input-type=module', '--eval', code];
}

function run(body: string, stdout: 'pipe' | number = 'pipe'): ChildProcess {
  return spawn(process.execPath, program(body), { stdio: ['pipe', stdout, 'pipe'] });
}

function textOf(stream: Readable | null): Promise<string> {
  return text(stream ?? Readable.from([]));
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve));
}

describe.each([
  { way: 'at once', opening: '' },
  { way: 'through its stream', opening: 'stdout.stream;' },
])('stdout, written $way', ({ opening }) => {
  it.runIf(existsSync('/dev/full'))('says that a full disk took nothing', async () => {
    const full = await open('/dev/full', 'w');
    const child = run(`${opening} await tried('result');`, full.fd);
    const [told, code] = await Promise.all([textOf(child.stderr), exitCode(child)]);
    await full.close();
    expect(JSON.parse(told)).toEqual({ failure: 'local', hint: expect.stringContaining('disk') });
    expect(code).toBe(0);
  });

  it('says that its reader left', async () => {
    const child = run(`${opening} for await (const _ of stdin.stream) break; await tried('result');`);
    child.stdout?.destroy();
    child.stdin?.write('the reader has left');
    const [told, code] = await Promise.all([textOf(child.stderr), exitCode(child)]);
    expect(JSON.parse(told)).toMatchObject({ failure: 'reader_gone' });
    expect(code).toBe(0);
  });

  it('gives a slow reader everything, in order', async () => {
    const child = run(`${opening}
      for (let page = 0; page < 64; page++) await stdout.write(String(page % 10).repeat(65_536));
      await tell('all written');`);
    const ended = exitCode(child);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const received = await textOf(child.stdout);
    const expected = Array.from({ length: 64 }, (_, page) => String(page % 10).repeat(65_536)).join('');
    expect(received === expected).toBe(true);
    expect(await ended).toBe(0);
  });
});

it("stdout says that its reader left in Windows' words as well", async () => {
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
  expect(JSON.parse(await textOf(child.stderr))).toMatchObject({ failure: 'reader_gone' });
});

describe('a sink', () => {
  const SIZE = 'await stdout.write(JSON.stringify([stdin.isTerminal, stdout.isTerminal, stdout.columns ?? null]));';

  it('that is a pipe has no width', async () => {
    expect(await textOf(run(SIZE).stdout)).toBe('[false,false,null]');
  });

  it('that is a terminal knows its width', async () => {
    const terminal = spawnTerminal(process.execPath, program(SIZE), { cols: 97, rows: 20 });
    let shown = '';
    terminal.onData((data) => {
      shown += data;
    });
    await new Promise<void>((resolve) => terminal.onExit(() => resolve()));
    expect(shown).toContain('[true,true,97]');
  });

  it('takes bytes as well', async () => {
    expect(await textOf(run("await stdout.write(new TextEncoder().encode('é'));").stdout)).toBe('é');
  });
});

it.runIf(existsSync('/dev/full'))('talk that cannot be written fails nothing', async () => {
  const full = await open('/dev/full', 'w');
  const body = "await stderr.write('talk'); stderr.stream; await stderr.write('talk'); await stdout.write('result');";
  const child = spawn(process.execPath, program(body), { stdio: ['ignore', 'pipe', full.fd] });
  const [result, code] = await Promise.all([textOf(child.stdout), exitCode(child)]);
  await full.close();
  expect({ result, code }).toEqual({ result: 'result', code: 0 });
});

it('one experimental feature is used without its warning; other warnings pass, and so does the same one later', async () => {
  const child = run(`
    const warn = (feature) => process.emitWarning(feature + ' is new', 'ExperimentalWarning');
    const value = await withoutExperimentalWarning('SQLite', async () => { warn('SQLite'); warn('Other'); return 7; });
    warn('SQLite again');
    await stdout.write(String(value));`);
  const [talk, value] = await Promise.all([textOf(child.stderr), textOf(child.stdout)]);
  expect(value).toBe('7');
  expect(talk).not.toContain('SQLite is new');
  expect(talk).toContain('Other is new');
  expect(talk).toContain('SQLite again is new');
});
