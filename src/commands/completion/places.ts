import { existsSync } from 'node:fs';
import { homedir, platform as thisPlatform } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import type { Environment, Folders } from '../../kernel/folders.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { SCRIPT_FILES, SHELLS, type Shell } from './shells.ts';

/** Where a shell's completion goes: the script, and the start-up file with the lines that load it. fish needs no lines. */
export interface Places {
  readonly shell: Shell;
  readonly script: string;
  readonly startUp?: { readonly path: string; readonly lines: string };
}

interface PlacesWorld {
  readonly environment: Environment;
  readonly folders: Folders;
  readonly platform?: NodeJS.Platform;
  isFile?(path: string): boolean;
}

/** @throws SvcError `usage` for a shell that there is no script for. */
export function placesFor(named: string | undefined, world: PlacesWorld): Places {
  const { environment, folders, platform = thisPlatform() } = world;
  const shell = chosenShell(named, environment);
  const home = environment['HOME'] || homedir();
  const config = absolute(environment['XDG_CONFIG_HOME']) ?? join(home, '.config');
  const script = join(folders.config, 'completion', SCRIPT_FILES[shell]);
  switch (shell) {
    case 'bash':
      return { shell, script, startUp: { path: bashStartUp(home, world), lines: block(`. ${quoted(script)}`) } };
    case 'zsh': {
      const path = join(absolute(environment['ZDOTDIR']) ?? home, '.zshrc');
      const lines = block(
        `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }`,
        `. ${quoted(script)}`,
      );
      return { shell, script, startUp: { path, lines } };
    }
    case 'fish':
      return { shell, script: join(config, 'fish', 'completions', SCRIPT_FILES.fish) };
    case 'powershell': {
      const folder = platform === 'win32' ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell');
      const path = join(folder, 'Microsoft.PowerShell_profile.ps1');
      return { shell, script, startUp: { path, lines: block(`. '${script.replaceAll("'", "''")}'`) } };
    }
  }
}

/** Terminals of macOS open login shells, and bash reads for those the first of these files that there is, and no `.bashrc`. */
const OF_LOGIN_SHELLS = ['.bash_profile', '.bash_login', '.profile'];

function bashStartUp(home: string, { platform = thisPlatform(), isFile = existsSync }: PlacesWorld): string {
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
      hint: `name it: svc completion install ${SHELLS.join('|')}`,
    });
  }
  throw new SvcError('usage', `there is no completion for '${named}'`, { hint: didYouMean(named, SHELLS) });
}

function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}

/** A path as one word of a POSIX shell. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Lines of a start-up file that can be found again. */
function block(...lines: readonly string[]): string {
  return ['# >>> svc completion >>>', ...lines, '# <<< svc completion <<<', ''].join('\n');
}

const BLOCK = /\n?# >>> svc completion >>>\n[\s\S]*?# <<< svc completion <<<\n?/g;

/** A start-up file's text with the lines put in at its end, or at the place where they were. */
export function withLines(text: string, lines: string): string {
  const rest = withoutLines(text);
  return rest === '' ? lines : `${rest.replace(/\n?$/, '\n')}\n${lines}`;
}

/** A start-up file's text as it was before the lines were put in. */
export function withoutLines(text: string): string {
  return text.replace(BLOCK, '');
}
