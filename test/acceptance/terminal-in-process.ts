import { PassThrough } from 'node:stream';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { reportError } from '../../src/commands/terminal/report-error.ts';
import { resolveUserFolders } from '../../src/kernel/folders.ts';
import { fakeContext } from '../commands/fake-context.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** Runs a command in this process, with streams like those of a terminal in raw mode. */
export function startTerminalInProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  columns: number,
): Terminal {
  const keys = new PassThrough();
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns, rows: 30 });
  // Each prompt ends its output, which has no effect on the streams of a process.
  stream.end = () => stream;
  const screen = {
    columns,
    rows: 30,
    stream,
    isTerminal: true,
    write: async (text: string | Uint8Array) => void stream.write(text),
  };
  const io = { stdin: { isTerminal: true, stream: keys }, stdout: screen, stderr: screen };
  const environment = { ...env, TERM: 'xterm-256color' };
  const run = async () => {
    const context = await fakeContext({ environment, folders: resolveUserFolders(env) });
    return runCommandLine(words, { ...context, io }).then(
      () => 0,
      (thrown: unknown) => reportError(io, words, environment, thrown),
    );
  };
  return createTerminal({
    read: (receive) => stream.on('data', (text: string) => receive(text.replaceAll('\n', '\r\n'))),
    ended: run(),
    type: (text) => keys.write(text),
    kill: () => keys.end(),
  });
}
