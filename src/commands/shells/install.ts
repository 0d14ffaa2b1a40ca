import { lstat, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, makeFolder, readTextIfExists, replaceFile } from '../../kernel/files.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { placesFor, withLines, withoutLines } from './places.ts';
import { completionScript } from './script.ts';
import { SHELL_NAMES } from './shells.ts';

/** A file as it is to be. No text: it is to go. */
interface Change {
  readonly path: string;
  /** The file itself, where the path is a link to it. It stays one. */
  readonly target: string;
  readonly text: string | undefined;
  /** What is new in it, for the one who is asked. */
  readonly shown: string;
}

export async function installCompletion(context: Context, { arguments: [named] }: Invocation): Promise<void> {
  const { shell, script, startUp } = placesFor(named, context);
  const changes = [await changeTo(script, completionScript(shell), '(the completion script)')];
  if (startUp) {
    const text = await readTextIfExists(startUp.path);
    changes.push(await changeTo(startUp.path, withLines(text, startUp.lines), startUp.lines));
  }
  await apply(context, changes, `completion for ${SHELL_NAMES[shell]} is installed already`, 'Write this?');
  await context.note(`svc is completed in every ${SHELL_NAMES[shell]} that starts from now on`);
}

export async function uninstallCompletion(context: Context, { arguments: [named] }: Invocation): Promise<void> {
  const { shell, script, startUp } = placesFor(named, context);
  const changes: (Change | undefined)[] = [];
  const text = startUp && (await readTextIfExists(startUp.path));
  if (startUp && text !== undefined) {
    changes.push(await changeTo(startUp.path, withoutLines(text), `without:\n${startUp.lines}`));
  }
  changes.push(await changeTo(script, undefined, '(is removed)'));
  await apply(context, changes, `completion for ${SHELL_NAMES[shell]} is not installed`, 'Take this out?');
}

async function changeTo(path: string, text: string | undefined, shown: string): Promise<Change | undefined> {
  const target = await linkedFile(path);
  return (await readTextIfExists(target)) === text ? undefined : { path, target, text, shown };
}

/** Shows what would change, asks, and does it; with nothing to do it only says so. */
async function apply(
  context: Context,
  planned: readonly (Change | undefined)[],
  otherwise: string,
  question: string,
): Promise<void> {
  const changes = planned.filter((change) => change !== undefined);
  if (changes.length === 0) return context.note(otherwise);
  for (const { path, target, shown } of changes) {
    await context.note(path === target ? path : `${path} (a link to ${target})`);
    for (const line of shown.trimEnd().split('\n')) await context.note(`  ${line}`);
  }
  if (context.options.dryRun) return;
  await context.confirm(question, 'this machine');
  for (const change of changes) await write(change);
}

/** Replaces a file as a whole, and leaves its permissions as they are. */
async function write({ path, target, text }: Change): Promise<void> {
  try {
    if (text === undefined) return await rm(target, { force: true });
    const mode = await stat(target).then(
      (found) => found.mode & 0o7777,
      () => 0o644,
    );
    await makeFolder(dirname(target), 0o700);
    await replaceFile(target, text, { mode });
  } catch (error) {
    throw localFileError('write', path, error);
  }
}

/**
 * The file that a path leads to, which need not be there.
 * @throws SvcError `local` for a link into a folder that is not there, or in a circle: what was meant is not to be guessed
 */
async function linkedFile(path: string): Promise<string> {
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
  if (!isLink) return path;
  const found = await realpath(path).catch(() => undefined);
  if (found) return found;
  const next = resolve(dirname(path), await readlink(path));
  // A link to another one that leads nowhere is rare enough to be put right by hand.
  const folder = (await lstat(next).catch(() => undefined))
    ? undefined
    : await realpath(dirname(next)).catch(() => undefined);
  if (folder) return join(folder, basename(next));
  throw new SvcError('local', `${path} is a link to ${next}, which leads nowhere`, {
    hint: 'put the file that it names in place, or remove the link, then run the command again; nothing was written',
  });
}
