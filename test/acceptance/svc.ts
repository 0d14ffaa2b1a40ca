import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { CACHE_VARIABLE } from '../run-folder.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Path of the checkout. Tests run the tool's entry point like a user. */
export const HOME = join(import.meta.dirname, '..', '..');
export const BIN = join(HOME, 'bin', 'svc.js');

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

export interface User {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  svc(words: readonly string[], setting?: Setting): Promise<Run>;
  start(words: readonly string[], setting?: Setting): ReturnType<typeof start>;
}

/**
 * Creates a user with an empty home folder, by default one that ends with the test. Isolated from
 * the settings of this machine.
 */
export async function newUser(folder?: string): Promise<User> {
  const home = folder ?? (await createTemporaryFolder());
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...sharedCache() };
  const begin = (words: readonly string[], setting: Setting = {}) =>
    start([BIN, ...words], { cwd: home, ...setting, env: { ...env, ...setting.env } });
  return { home, env, svc: (words, setting) => begin(words, setting).ended, start: begin };
}

/**
 * The variable that lets the tools of all tests share compiled code. Without it, each start with a
 * new home compiles its own.
 */
export function sharedCache(): Readonly<Record<string, string>> {
  const folder = process.env[CACHE_VARIABLE];
  return folder === undefined ? {} : { XDG_CACHE_HOME: folder };
}

/** Runs this Node.js with the given arguments until it exits. */
export function run(words: readonly string[], setting: Setting): Promise<Run> {
  return start(words, setting).ended;
}

/** Starts this Node.js with the given arguments. */
export function start(words: readonly string[], { env = {}, stdin = '', cwd = HOME }: Setting) {
  const child = spawn(process.execPath, words, { env, cwd });
  const ended = new Promise<Run>((resolve, reject) => {
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
    // A command that reads no input may exit before its input is written.
    child.stdin.on('error', () => undefined).end(stdin);
  });
  return { ended, pid: child.pid, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}
