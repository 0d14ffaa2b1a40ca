import { existsSync } from 'node:fs';
import { platform as thisPlatform } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { type Environment, type Folders, homeFolder } from '../../kernel/folders.ts';
import { hint, template } from '../../kernel/hint.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { SCRIPT_FILES, SHELLS, type Shell } from './shells.ts';

/** Where a shell's completion goes: the script, and the start-up file with the lines that load it. fish needs no lines. */
export interface Places {
  readonly shell: Shell;
  readonly script: string;
  readonly startUp?: { readonly path: string; readonly lines: string };
}

interface PlacesDependencies {
  readonly environment: Environment;
  readonly folders: Folders;
  readonly platform?: NodeJS.Platform;
  isFile?(path: string): boolean;
}

/** @throws SvcError `usage` for a shell that there is no script for. */
export function placesFor(named: string | undefined, dependencies: PlacesDependencies): Places {
  const { environment, folders, platform = thisPlatform() } = dependencies;
  const shell = chosenShell(named, environment);
  const home = homeFolder(environment);
  const config = absolute(environment['XDG_CONFIG_HOME']) ?? join(home, '.config');
  const script = join(folders.config, 'completion', SCRIPT_FILES[shell]);
  switch (shell) {
    case 'bash':
      return { shell, script, startUp: { path: bashStartUp(home, dependencies), lines: block(sourced(script)) } };
    case 'zsh': {
      const path = join(absolute(environment['ZDOTDIR']) ?? home, '.zshrc');
      const lines = block(`(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }`, sourced(script));
      return { shell, script, startUp: { path, lines } };
    }
    case 'fish':
      return { shell, script: join(config, 'fish', 'completions', SCRIPT_FILES.fish) };
    case 'powershell': {
      const folder = platform === 'win32' ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell');
      const path = join(folder, 'Microsoft.PowerShell_profile.ps1');
      return { shell, script, startUp: { path, lines: block(sourcedByPowerShell(script)) } };
    }
  }
}

/** Terminals of macOS open login shells, and bash reads for those the first of these files that there is, and no `.bashrc`. */
const OF_LOGIN_SHELLS = ['.bash_profile', '.bash_login', '.profile'];

function bashStartUp(home: string, { platform = thisPlatform(), isFile = existsSync }: PlacesDependencies): string {
  const names = platform === 'darwin' ? OF_LOGIN_SHELLS : ['.bashrc'];
  const paths = names.map((name) => join(home, name));
  return paths.find(isFile) ?? join(home, names[0] ?? '');
}

function chosenShell(named: string | undefined, environment: Environment): Shell {
  const wanted = named ?? basename(environment['SHELL'] ?? '');
  const shell = SHELLS.find((known) => known === wanted);
  if (shell) return shell;
  if (named === undefined) {
    throw new SvcError('usage', 'cannot tell which shell this is', {
      hint: hint`name it: ${template('configure', ['completion', 'install'], SHELLS.join('|'))}`,
    });
  }
  throw new SvcError('usage', `there is no completion for '${named}'`, { hint: didYouMean(named, SHELLS) });
}

function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}

/** A script that is gone is no reason for an error whenever a shell starts. */
function sourced(script: string): string {
  const word = `'${script.replaceAll("'", `'\\''`)}'`;
  return `[ ! -r ${word} ] || . ${word}`;
}

function sourcedByPowerShell(script: string): string {
  const word = `'${script.replaceAll("'", "''")}'`;
  return `if (Test-Path -LiteralPath ${word}) { . ${word} }`;
}

/** Lines of a start-up file that can be found again. */
function block(...lines: readonly string[]): string {
  return ['# >>> svc completion >>>', ...lines, '# <<< svc completion <<<', ''].join('\n');
}

const BLOCK = /# >>> svc completion >>>\r?\n[\s\S]*?# <<< svc completion <<<(\r?\n)?/;

/** A start-up file's text with the lines at the place where they were, else at its end; a new file has them alone. */
export function withLines(text: string | undefined, lines: string): string {
  if (text === undefined) return lines;
  return BLOCK.test(text) ? text.replace(BLOCK, () => lines) : `${text}\n${lines}`;
}

/** A start-up file's text as it was, byte for byte, before the lines were put in; undefined where there was no file. */
export function withoutLines(text: string): string | undefined {
  const found = BLOCK.exec(text);
  if (!found) return text;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  if (before === '') return after || undefined;
  const rest = before.replace(/\n$/, '');
  // What came behind the lines since stays on lines of its own.
  return after !== '' && rest !== '' && !rest.endsWith('\n') ? before + after : rest + after;
}
