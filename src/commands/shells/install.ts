import { lstat, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { createFolder, localFileError, readTextIfExists, replaceFile } from '../../kernel/files.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { findCompletionFiles, insertMarkedLines, removeMarkedLines } from './completion-files.ts';
import { readCompletionScript, SHELL_NAMES } from './shells.ts';

interface FileChange {
  readonly path: string;
  readonly target: string;
  readonly text: string | undefined;
  readonly shown: string;
}

export async function installCompletion(context: Context, { arguments: [named] }: Invocation): Promise<void> {
  const { shell, script, startUp } = findCompletionFiles(named, context);
  const changes = [await planChange(script, await readCompletionScript(shell), '(completion script)')];
  if (startUp) {
    const text = await readTextIfExists(startUp.path);
    changes.push(await planChange(startUp.path, insertMarkedLines(text, startUp.lines), startUp.lines));
  }
  const unchangedMessage = `completion for ${SHELL_NAMES[shell]} is already installed`;
  if (await applyChanges(context, changes, unchangedMessage, 'Write these changes?'))
    await context.note(`installed completion for ${SHELL_NAMES[shell]}; start a new shell to use it`);
}

export async function uninstallCompletion(context: Context, { arguments: [named] }: Invocation): Promise<void> {
  const { shell, script, startUp } = findCompletionFiles(named, context);
  const changes: (FileChange | undefined)[] = [];
  const text = startUp && (await readTextIfExists(startUp.path));
  if (startUp && text !== undefined) {
    changes.push(await planChange(startUp.path, removeMarkedLines(text), `remove:\n${startUp.lines}`));
  }
  changes.push(await planChange(script, undefined, '(delete the file)'));
  await applyChanges(context, changes, `completion for ${SHELL_NAMES[shell]} is not installed`, 'Make these changes?');
}

async function planChange(path: string, text: string | undefined, shown: string): Promise<FileChange | undefined> {
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
    const existing = await stat(target).catch(() => undefined);
    await createFolder(dirname(target), 0o700);
    await replaceFile(target, text, { mode: existing ? existing.mode & 0o7777 : 0o644 });
  } catch (error) {
    throw localFileError('write', path, error);
  }
}

/** Resolves a link, even to a missing target. @throws SvcError `local` for a missing folder or a circular link */
async function resolveLink(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
  if (!isLink) return path;
  const found = await realpath(path).catch(() => undefined);
  if (found) return found;
  const next = resolve(dirname(path), await readlink(path));
  // Chains of broken links are rare, so they are not resolved.
  const folder = (await lstat(next).catch(() => undefined)) ? undefined : await realpath(dirname(next)).catch(() => undefined);
  if (folder) return join(folder, basename(next));
  throw new SvcError('local', `${path} is a broken link to ${next}`, {
    hint: 'nothing was written; create the target or remove the link, then run the command again',
  });
}
