import { existsSync } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { platform as thisPlatform } from 'node:os';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { hint, SvcError, stepWithPlaceholder } from '../../kernel/errors.ts';
import {
  createFolder,
  createLocalFileError,
  readTextIfExists,
  resolveLinks,
  throwFileError,
} from '../../kernel/files.ts';
import { type Environment, type Folders, resolveHomeFolder } from '../../kernel/folders.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { replaceFile } from '../../kernel/staged-file.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { readCompletionScript, SCRIPT_FILES, SHELL_NAMES, SHELLS, type Shell } from './shells.ts';

interface FileChange {
  readonly path: string;
  readonly target: string;
  readonly text: string | undefined;
  readonly shown: string;
}

export async function installCompletion(
  context: Context,
  { arguments: [named] }: Invocation,
): Promise<void> {
  const { shell, script, startUp } = findCompletionFiles(named, context);
  if ((await findOwner(script)) === 'someone else')
    throw new SvcError('usage', `${script} already exists and is not a completion script by svc`, {
      hint: 'nothing was written; move the file, and run the command again',
    });
  const changes = [
    await planChange(script, await readCompletionScript(shell), '(completion script)'),
  ];
  if (startUp) {
    const text = await readTextIfExists(startUp.path);
    changes.push(
      await planChange(startUp.path, insertMarkedLines(text, startUp.lines), startUp.lines),
    );
  }
  const unchangedMessage = `completion for ${SHELL_NAMES[shell]} is already installed`;
  if (await applyChanges(context, changes, unchangedMessage, 'Write these changes?'))
    await context.note(
      `Installed completion for ${SHELL_NAMES[shell]}; start a new shell to use it`,
    );
}

export async function uninstallCompletion(
  context: Context,
  { arguments: [named] }: Invocation,
): Promise<void> {
  const { shell, script, startUp } = findCompletionFiles(named, context);
  const changes: (FileChange | undefined)[] = [];
  const text = startUp && (await readTextIfExists(startUp.path));
  if (startUp && text !== undefined)
    changes.push(
      await planChange(startUp.path, removeMarkedLines(text), `remove:\n${startUp.lines}`),
    );
  if ((await findOwner(script)) === 'someone else')
    await context.warn(`${script} stays, because it is not a completion script by svc`);
  else changes.push(await planChange(script, undefined, '(delete the file)'));
  await applyChanges(
    context,
    changes,
    `completion for ${SHELL_NAMES[shell]} is not installed`,
    'Make these changes?',
  );
}

/** How each completion script of svc begins, also those of other versions. */
const SCRIPT_START = /^(?:#compdef svc\n)?# Completion for svc\b/;

/** Returns who wrote the completion script at a path, if there is one. */
async function findOwner(script: string): Promise<'svc' | 'someone else' | undefined> {
  const text = await readTextIfExists(script);
  if (!text) return undefined;
  return SCRIPT_START.test(text.replaceAll('\r\n', '\n')) ? 'svc' : 'someone else';
}

async function planChange(
  path: string,
  text: string | undefined,
  shown: string,
): Promise<FileChange | undefined> {
  const target = await resolveLink(path);
  return (await readTextIfExists(target)) === text ? undefined : { path, target, text, shown };
}

async function applyChanges(
  context: Context,
  planned: readonly (FileChange | undefined)[],
  unchangedMessage: string,
  question: string,
): Promise<boolean> {
  const changes = planned.filter((change) => change !== undefined);
  if (changes.length === 0) await context.note(unchangedMessage);
  for (const { path, target, shown } of changes) {
    await context.note(path === target ? path : `${path} (a link to ${target})`);
    for (const line of shown.trimEnd().split('\n')) await context.note(`  ${line}`);
  }
  if (changes.length === 0 || context.options.dryRun) return false;
  await context.confirm(question, 'this machine');
  for (const change of changes) await writeChange(change);
  return true;
}

async function writeChange({ path, target, text }: FileChange): Promise<void> {
  try {
    if (text === undefined) return await rm(target, { force: true });
    await createFolder(dirname(target), 0o700);
    await replaceFile(target, text, { mode: 0o644 });
  } catch (error) {
    throw createLocalFileError('write', path, error);
  }
}

/**
 * Resolves a link, even to a missing target.
 * @throws SvcError `local` for a missing folder or a circular link
 */
async function resolveLink(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
  if (!isLink) return path;
  const target = await resolveLinks(path).catch(throwFileError('write', path));
  if (existsSync(dirname(target))) return target;
  throw new SvcError('local', `${path} is a broken link to ${target}`, {
    hint: 'nothing was written; create the target or remove the link, then run the command again',
  });
}

/**
 * The completion script of a shell, and the start-up file that loads it. fish loads the script by
 * itself.
 */
interface CompletionFiles {
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

export function findCompletionFiles(
  named: string | undefined,
  dependencies: CompletionDependencies,
): CompletionFiles {
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
      const folder =
        platform === 'win32' ? join(home, 'Documents', 'PowerShell') : join(config, 'powershell');
      const path = join(folder, 'Microsoft.PowerShell_profile.ps1');
      return { shell, script, startUp: { path, lines: markedBlock(powerShellSourceLine(script)) } };
    }
  }
}

/**
 * Start-up files of bash login shells, which macOS terminals open. bash reads only the first one
 * that exists.
 */
const LOGIN_SHELL_FILES = ['.bash_profile', '.bash_login', '.profile'];

function findBashStartUpFile(
  home: string,
  { platform = thisPlatform(), isFile = existsSync }: CompletionDependencies,
): string {
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

/**
 * Returns the exact text of a start-up file before the installation. Returns `undefined` if there
 * was no file.
 */
export function removeMarkedLines(text: string): string | undefined {
  const found = MARKED_BLOCK.exec(text);
  if (!found) return text;
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  if (before === '') return after || undefined;
  const rest = before.replace(/\n$/, '');
  // Text after the marked lines must start on a new line.
  return after !== '' && rest !== '' && !rest.endsWith('\n') ? before + after : rest + after;
}
