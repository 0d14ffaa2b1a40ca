import { statSync } from 'node:fs';
import { platform as thisPlatform } from 'node:os';
import { win32 } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';

/** How a program is started, in the terms of `spawn`. */
export interface Start {
  readonly program: string;
  readonly words: readonly string[];
  /** The words are a command line already, not to be quoted again. */
  readonly verbatim: boolean;
}

export interface StartDependencies {
  readonly environment: Environment;
  readonly cwd: string;
  readonly platform?: NodeJS.Platform;
  isFile?(path: string): boolean;
}

/**
 * How to start a command. On Windows many are batch files (`npm` is `npm.cmd`), which only the command interpreter
 * runs: it gets them quoted, and words that it would change in spite of that are refused.
 * @throws SvcError `usage` for such a word
 */
export function startOf(command: string, words: readonly string[], dependencies: StartDependencies): Start {
  const { platform = thisPlatform(), environment } = dependencies;
  const batchFile = platform === 'win32' ? findBatchFile(command, dependencies) : undefined;
  if (batchFile === undefined) return { program: command, words, verbatim: false };
  const line = [batchFile, ...words].map(quoted).join(' ');
  const interpreter = variable(environment, 'ComSpec') || 'cmd.exe';
  return { program: interpreter, words: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}

/** The batch file that a command means, as Windows looks for it; `undefined` where a program comes first, or nothing is found. */
function findBatchFile(command: string, dependencies: StartDependencies): string | undefined {
  const { environment, cwd, isFile = isFileHere } = dependencies;
  const extensions = (variable(environment, 'PATHEXT') || '.COM;.EXE;.BAT;.CMD').split(';');
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [''] : (variable(environment, 'PATH') ?? '').split(';').filter((folder) => folder !== '');
  const names = win32.extname(command) === '' ? extensions.map((extension) => command + extension) : [command];
  const candidates = folders.flatMap((folder) => names.map((name) => win32.resolve(cwd, folder, name)));
  const found = candidates.find(isFile);
  return found !== undefined && /\.(bat|cmd)$/i.test(found) ? found : undefined;
}

/** Windows does not tell `Path` from `PATH`. */
function variable(environment: Environment, name: string): string | undefined {
  const key = Object.keys(environment).find((known) => known.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : environment[key];
}

function isFileHere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** In quotes nothing is special to the interpreter but the quote itself, `%` and the end of the line. */
function quoted(word: string): string {
  if (/["%\r\n\0]/.test(word)) {
    throw new SvcError(
      'usage',
      `a batch file cannot be handed '${word}': quotes, % and line breaks change on the way`,
      {
        hint: 'put the command into a script of your own, and run that',
      },
    );
  }
  return `"${word.replace(/\\+$/, '$&$&')}"`;
}
