import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';
import { runInOrder, type SettingInProcess } from './in-process.ts';
import { BIN, type Run, type User } from './svc.ts';

interface Call {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Commands that run until a signal, or start a program with their streams. */
const NEEDS_PROCESS = /^(serve|mcp|exec|listen|tail|watch)$/;

/** Follows the NUL of the last variable. */
const END = Buffer.from('\0\u0001\0');

/**
 * Starts a server for programs that shells run as `svc`: the shell parses the line and connects the
 * streams, and the command runs in this process, much faster than a process of its own. The server
 * ends with this process.
 *
 * @param complete returns the words to run, for example with additional flags
 */
export async function serveShells(
  complete: (call: Call) => readonly string[] = ({ words }) => words,
) {
  const server = createServer((socket) => {
    let request = Buffer.alloc(0);
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        request = Buffer.concat([request, bytes]);
        if (request.subarray(-END.length).equals(END))
          void answer(socket, String(request), complete);
      });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    /** Writes the program. */
    install: (path: string) => writeFile(path, program(port), { mode: 0o755 }),
  };
}

/** Used by all tests of this process. */
let pasted: ReturnType<typeof serveShells> | undefined;

/** Runs a line like a user who pastes it into a shell. Its svc runs in this process. */
export async function runPasted(
  { home, env }: User,
  line: string,
  variables: Call['env'] = {},
): Promise<Run> {
  pasted ??= serveShells();
  await (await pasted).install(join(home, 'svc'));
  return new Promise((ended) => {
    const setting = { cwd: home, env: { ...env, ...variables, PATH: `${home}:${env['PATH']}` } };
    execFile('sh', ['-c', line], setting, (error, stdout, stderr) =>
      ended({ code: Number(error?.code ?? 0), stdout, stderr }),
    ).stdin?.end();
  });
}

/**
 * Sends the folder, the file with the input, the arguments, and the environment, and runs the lines
 * that it receives. A command with a terminal or a device that cannot be written needs a process.
 */
const program = (port: number) => `#!/usr/bin/env bash
input=
if [ -t 0 ] && [ "$1" != __complete ] || [ /dev/stdout -ef /dev/full ]; then export SVC_TEST_PROCESS=1; fi
if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then input="$HOME/.stdin.$$"; cat > "$input"; fi
exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$PWD" "$input" "$#" "$@"; env -0; printf '\\1\\0'; } >&3
eval "$(cat <&3)"
`;

async function answer(
  socket: Socket,
  request: string,
  complete: (call: Call) => readonly string[],
): Promise<void> {
  const [cwd = '', input = '', count, ...rest] = request.slice(0, -END.length).split('\0');
  const env = Object.fromEntries(
    rest.slice(Number(count)).map((entry) => splitAt(entry, entry.indexOf('='))),
  );
  const words = complete({ words: rest.slice(0, Number(count)), env });
  if (needsProcess(words) || env['SVC_TEST_PROCESS']) {
    const command = [process.execPath, BIN, ...words].map(quote).join(' ');
    return void socket.end(`exec 3>&-\nexec ${command}${input && ` < ${quote(input)}`}`);
  }
  const stdin = input === '' ? '' : await readFile(input);
  if (input !== '') await rm(input);
  const { code, written } = await runInFolder(words, { cwd, env, stdin });
  const lines = written.map(
    ({ stream, bytes }) => `printf %s ${quote(String(bytes))}${stream === 'stderr' ? ' >&2' : ''}`,
  );
  socket.end([...lines, `exit ${code}`].join('\n'));
}

/**
 * Whether a command line cannot run in this process. The path of a store may be relative to the
 * folder of the process.
 */
export function needsProcess(words: readonly string[]): boolean {
  return words.some(
    (word, at) => NEEDS_PROCESS.test(word) || (words[at - 1] === '--store' && !isAbsolute(word)),
  );
}

/** Runs a command line in this process like in a process in the given folder. */
export function runInFolder(
  words: readonly string[],
  setting: SettingInProcess & { readonly cwd: string },
) {
  // In this process, paths of secrets are relative to its own folder.
  const absolute = words.map((word, at) =>
    /^--[a-z-]*-file$/.test(words[at - 1] ?? '') && word !== '-'
      ? resolve(setting.cwd, word)
      : word,
  );
  return runInOrder(absolute, setting);
}

const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

const splitAt = (text: string, at: number) => [text.slice(0, at), text.slice(at + 1)] as const;
