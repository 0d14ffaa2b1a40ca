import { chmod, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { localFileError, makeFolder, moveOver, readTextIfExists } from '../../kernel/files.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { placesFor, withLines, withoutLines } from './places.ts';
import { completionScript } from './script.ts';
import { SHELL_NAMES } from './shells.ts';

/** A file as it is to be. No text: it is to go. */
interface Change {
  readonly path: string;
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
  return (await readTextIfExists(path)) === text ? undefined : { path, text, shown };
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
  for (const { path, shown } of changes) {
    await context.note(path);
    for (const line of shown.trimEnd().split('\n')) await context.note(`  ${line}`);
  }
  if (context.options.dryRun) return;
  await context.confirm(question, 'this machine');
  for (const change of changes) await write(change);
}

/** Replaces a file as a whole, where a link leads to it, and leaves its permissions as they are. */
async function write({ path, text }: Change): Promise<void> {
  try {
    if (text === undefined) return await rm(path, { force: true });
    const target = await realpath(path).catch(() => path);
    const mode = await stat(target).then(
      (found) => found.mode & 0o7777,
      () => 0o644,
    );
    await makeFolder(dirname(target));
    const staged = `${target}.svc-new`;
    await writeFile(staged, text, { mode });
    await chmod(staged, mode);
    await moveOver(staged, target);
  } catch (error) {
    throw localFileError('write', path, error);
  }
}
