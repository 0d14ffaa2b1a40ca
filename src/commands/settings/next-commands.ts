import { commandLineOf, step } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { commandForService } from '../service-flags.ts';

/** Command lines to run next, by what they do. */
export type NextCommands = Readonly<Record<string, string>>;

/** Flags of a command that plans changes of a settings file. */
interface GivenFlags {
  readonly file?: string | undefined;
  readonly env?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly prune?: boolean | undefined;
  readonly pruneLimit?: string | undefined;
  readonly allowReplace?: boolean | undefined;
}

/**
 * Returns the command that makes the planned changes: of the saved plan, or of the settings file
 * with the same flags. Returns none for a file from stdin, which could not be read again.
 */
export function nextOfPlan(
  { options }: Context,
  { out, ...flags }: GivenFlags & { readonly out?: string | undefined },
): NextCommands {
  if (out !== undefined) return { apply: commandForService(options, 'apply', out) };
  if (flags.file === '-') return {};
  return { apply: commandForService(options, 'apply', ...fileWords(flags), ...changeWords(flags)) };
}

/** Returns the commands that change the service or the file; none for a file from stdin. */
export function nextOfDrift({ options }: Context, flags: GivenFlags): NextCommands {
  if (flags.file === '-') return {};
  const words = fileWords(flags);
  return {
    restore: commandForService(options, 'apply', ...words, ...changeWords(flags)),
    accept: commandForService(options, 'pull', ...words),
  };
}

/** Returns the command that saves or applies a plan of `svc undo`. */
export function nextOfUndo(
  { options }: Context,
  job: string,
  out: string | undefined,
): NextCommands {
  if (out !== undefined) return { apply: commandForService(options, 'apply', out) };
  return { save: commandLineOf(step('inspect', 'undo', job, '--out', 'undo.json')) };
}

function fileWords({ file, env, only = [] }: GivenFlags): readonly string[] {
  return [
    ...(file === undefined ? [] : ['-f', file]),
    ...(env === undefined ? [] : ['--env', env]),
    ...only.flatMap((kind) => ['--only', kind]),
  ];
}

function changeWords({ prune, pruneLimit, allowReplace }: GivenFlags): readonly string[] {
  return [
    ...(prune ? ['--prune'] : []),
    ...(pruneLimit === undefined ? [] : ['--prune-limit', pruneLimit]),
    ...(allowReplace ? ['--allow-replace'] : []),
  ];
}
