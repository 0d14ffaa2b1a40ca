import { existsSync } from 'node:fs';
import { platform as thisPlatform } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { type Environment, type Folders, resolveHomeFolder } from '../../kernel/folders.ts';
import { hint, stepWithPlaceholder } from '../../kernel/hint.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { SCRIPT_FILES, SHELLS, type Shell } from './shells.ts';

/** The completion script of a shell, and the start-up file that loads it. fish loads the script by itself. */
export interface CompletionFiles {
  readonly shell: Shell;
  readonly script: string;
  readonly startUp?: { readonly path: string; readonly lines: string };
}

interface CompletionDependencies {
  readonly environment: Environment;
  readonly folders: Folders;
  readonly platform?: NodeJS.Platform;
  isFile?(path: string): boolean;
}

export function findCompletionFiles(named: string | undefined, dependencies: CompletionDependencies): CompletionFiles {
  const { environment, folders, platform = thisPlatform() } = dependencies;
  const shell = chooseShell(named, environment);
  const home = resolveHomeFolder(environment);
  const config = absoluteOrUndefined(environment['XDG_CONFIG_HOME']) ?? join(home, '.config');
  const script = join(folders.config, 'completion', SCRIPT_FILES[shell]);
  switch (shell) {
    case 'bash': {
      const path = findBashStartUpFile(home, dependencies);
      return { shell, script, startUp: { path, lines: markedBlock(sourceLine(script)) } };
    }
    case 'zsh': {
      const path = join(absoluteOrUndefined(environment['ZDOTDIR']) ?? home, '.zshrc');
      const setup = '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }';
      return { shell, script, startUp: { path, lines: markedBlock(setup, sourceLine(script)) } };
    }
    case 'fish':
      return { shell, script: join(config, 'fish', 'completions', SCRIPT_FILES.fish) };
    case 'powershell': {
      const folder = platform === 'win32' ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell');
      const path = join(folder, 'Microsoft.PowerShell_profile.ps1');
      return { shell, script, startUp: { path, lines: markedBlock(powerShellSourceLine(script)) } };
    }
  }
}

/** Start-up files of bash login shells, which macOS terminals open. bash reads only the first one that exists. */
const LOGIN_SHELL_FILES = ['.bash_profile', '.bash_login', '.profile'];

function findBashStartUpFile(home: string, { platform = thisPlatform(), isFile = existsSync }: CompletionDependencies): string {
  const names = platform === 'darwin' ? LOGIN_SHELL_FILES : ['.bashrc'];
  const paths = names.map((name) => join(home, name));
  return paths.find(isFile) ?? join(home, names[0] ?? '');
}

function chooseShell(named: string | undefined, environment: Environment): Shell {
  const shellName = named ?? basename(environment['SHELL'] ?? '');
  const shell = SHELLS.find((known) => known === shellName);
  if (shell) return shell;
  if (named === undefined) {
    throw new SvcError('usage', 'cannot detect your shell', {
      hint: hint`specify the shell: ${stepWithPlaceholder('configure', ['completion', 'install'], SHELLS.join('|'))}`,
    });
  }
  throw new SvcError('usage', `unsupported shell '${named}'`, { hint: didYouMean(named, SHELLS) });
}

function absoluteOrUndefined(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}

function sourceLine(script: string): string {
  const word = `'${script.replaceAll("'", `'\\''`)}'`;
  return `[ ! -r ${word} ] || . ${word}`;
}

function powerShellSourceLine(script: string): string {
  const word = `'${script.replaceAll("'", "''")}'`;
  return `if (Test-Path -LiteralPath ${word}) { . ${word} }`;
}

function markedBlock(...lines: readonly string[]): string {
  return ['# >>> svc completion >>>', ...lines, '# <<< svc completion <<<', ''].join('\n');
}

const MARKED_BLOCK = /# >>> svc completion >>>\r?\n[\s\S]*?# <<< svc completion <<<(\r?\n)?/;

export function insertMarkedLines(text: string | undefined, lines: string): string {
  if (text === undefined) return lines;
  return MARKED_BLOCK.test(text) ? text.replace(MARKED_BLOCK, () => lines) : `${text}\n${lines}`;
}

/** Returns the exact text of a start-up file before the installation. Returns `undefined` if there was no file. */
export function removeMarkedLines(text: string): string | undefined {
  const found = MARKED_BLOCK.exec(text);
  if (!found) return text;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  if (before === '') return after || undefined;
  const rest = before.replace(/\n$/, '');
  // Text after the marked lines must start on a new line.
  return after !== '' && rest !== '' && !rest.endsWith('\n') ? before + after : rest + after;
}
