import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

/** The checkout. Tests of the built tool run its own entry point, as a user would. */
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

/** A user with an empty home: what `svc` writes goes there, and nothing of this machine's settings comes in. */
export async function newUser(): Promise<User> {
  const home = await temporaryFolder();
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const begin = (words: readonly string[], setting: Setting = {}) =>
    start([BIN, ...words], { cwd: home, ...setting, env: { ...env, ...setting.env } });
  return { home, env, svc: (words, setting) => begin(words, setting).ended, start: begin };
}

/** Runs this Node.js with the given words to its end. */
export function run(words: readonly string[], setting: Setting): Promise<Run> {
  return start(words, setting).ended;
}

/** Starts this Node.js with the given words. */
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
    // A command that reads nothing may be gone before its input is written.
    child.stdin.on('error', () => undefined).end(stdin);
  });
  return { ended, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}
