import { statSync } from 'node:fs';
import { platform as thisPlatform } from 'node:os';
import { win32 } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';

interface SpawnDependencies {
  readonly environment: Environment;
  readonly cwd: string;
  readonly platform?: NodeJS.Platform;
  isFile?(path: string): boolean;
}

/**
 * Returns the program and the arguments that run a command. On Windows, batch files such as `npm.cmd` run in the command
 * interpreter, with arguments that are already quoted (`verbatim`).
 * @throws SvcError `usage` for an argument that cannot be quoted
 */
export function resolveSpawn(command: string, words: readonly string[], dependencies: SpawnDependencies) {
  const { platform = thisPlatform(), environment } = dependencies;
  const batchFile = platform === 'win32' ? findBatchFile(command, dependencies) : undefined;
  if (batchFile === undefined) return { program: command, programArguments: words, verbatim: false };
  const line = [batchFile, ...words].map(quoted).join(' ');
  const interpreter = variable(environment, 'ComSpec') || 'cmd.exe';
  return { program: interpreter, programArguments: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

function findBatchFile(command: string, dependencies: SpawnDependencies): string | undefined {
  const { environment, cwd, isFile = fileExists } = dependencies;
  const extensions = (variable(environment, 'PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';');
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [''] : (variable(environment, 'PATH') ?? '').split(';').filter((folder) => folder !== '');
  const names = win32.extname(command) === '' ? extensions.map((extension) => command + extension) : [command];
  const candidates = folders.flatMap((folder) => names.map((name) => win32.resolve(cwd, folder, name)));
  const found = candidates.find(isFile);
  return found !== undefined && /\.(bat|cmd)$/i.test(found) ? found : undefined;
}

/** Returns an environment variable, ignoring case as Windows does. */
function variable(environment: Environment, name: string): string | undefined {
  const key = Object.keys(environment).find((known) => known.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : environment[key];
}

function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** Quotes an argument for the command interpreter, which cannot quote `"`, `%`, and line breaks. */
function quoted(word: string): string {
  if (/["%\r\n\0]/.test(word)) {
    throw new SvcError('usage', `cannot pass '${word}' to a batch file: quotes, %, and line breaks are not supported`, {
      hint: 'put the command into a script and run the script',
    });
  }
  return `"${word.replace(/\\+$/, '$&$&')}"`;
}
