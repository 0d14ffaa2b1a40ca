import { completeLine } from '../../src/commands/completion/complete.ts';
import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { reportError } from '../../src/commands/terminal/report-error.ts';
import { resolveUserFolders } from '../../src/kernel/folders.ts';
import type { Sink } from '../../src/kernel/io.ts';
import { fakeContext } from '../commands/fake-context.ts';
import { checkPrintedCommands } from './hinted-steps.ts';
import { newUser, type Run, type Setting, type User } from './svc.ts';

/**
 * Creates a user whose commands run in this process. Much faster, for tests of requests and output,
 * not of the process.
 */
export async function newUserInProcess(): Promise<User> {
  const user = await newUser();
  const svc = (words: readonly string[], setting: Setting = {}) =>
    runInProcess(words, { cwd: user.home, ...setting, env: { ...user.env, ...setting.env } });
  return { ...user, svc };
}

export interface SettingInProcess extends Omit<Setting, 'stdin'> {
  readonly stdin?: string | Uint8Array;
  /** Width of a terminal with 30 lines. Without it, no stream is a terminal. */
  readonly columns?: number;
  /** Replaces `write` of stdout. */
  readonly write?: Sink['write'];
}

/**
 * Runs a command line in this process. Store paths are relative to the current folder of the
 * process.
 */
export async function runInProcess(
  words: readonly string[],
  setting: SettingInProcess,
): Promise<Run> {
  const { code, context } = await execute(words, setting);
  return { code, stdout: context.stdout(), stderr: context.stderr() };
}

/**
 * Runs a command line like `runInProcess`.
 * @returns the exit code, and the output on both streams in order
 */
export async function runInOrder(words: readonly string[], setting: SettingInProcess) {
  const { code, context } = await execute(words, setting);
  return { code, written: context.written };
}

async function execute(
  words: readonly string[],
  { env = {}, cwd, stdin, columns, write }: SettingInProcess,
) {
  const context = await fakeContext({
    environment: env,
    folders: resolveUserFolders(env),
    ...(cwd !== undefined && { cwd }),
    ...(stdin !== undefined && { stdin }),
    ...(columns !== undefined && { columns, answers: [] }),
  });
  const io = write ? { ...context.io, stdout: { ...context.io.stdout, write } } : context.io;
  // main.ts handles this word.
  const complete = async () =>
    io.stdout.write(await completeLine(words.slice(1), { ...context, environment: env }));
  const code = await (words[0] === '__complete'
    ? complete()
    : runCommandLine(words, { ...context, io })
  ).then(
    () => 0,
    (thrown: unknown) => reportError(io, words, env, thrown),
  );
  await checkPrintedCommands(words, {
    code,
    stdout: context.stdout(),
    stderr: context.stderr(),
  });
  return { code, context };
}
