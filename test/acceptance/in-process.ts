import { runCommandLine } from '../../src/commands/line/command-line.ts';
import { reportError } from '../../src/commands/terminal/report-error.ts';
import { resolveUserFolders } from '../../src/kernel/folders.ts';
import { fakeContext } from '../commands/fake-context.ts';
import { newUser, type Run, type Setting, type User } from './svc.ts';

/** Creates a user whose commands run in this process. Much faster, for tests of requests and output, not of the process. */
export async function newUserInProcess(): Promise<User> {
  const user = await newUser();
  const svc = (words: readonly string[], setting: Setting = {}) =>
    runInProcess(words, { cwd: user.home, ...setting, env: { ...user.env, ...setting.env } });
  return { ...user, svc };
}

/** Runs a command line in this process. Store paths are relative to the current folder of the process. */
export async function runInProcess(words: readonly string[], { env = {}, cwd, stdin }: Setting): Promise<Run> {
  const context = await fakeContext({
    environment: env,
    folders: resolveUserFolders(env),
    ...(cwd !== undefined && { cwd }),
    ...(stdin !== undefined && { stdin }),
  });
  const code = await runCommandLine(words, context).then(
    () => 0,
    (thrown: unknown) => reportError(context.io, words, env, thrown),
  );
  return { code, stdout: context.stdout(), stderr: context.stderr() };
}
