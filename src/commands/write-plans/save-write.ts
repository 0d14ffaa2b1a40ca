import type { OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { isStream, writeOutputFile } from '../../kernel/output-file.ts';
import {
  createSavedWrite,
  parsePlanFile,
  type SavedWrite,
} from '../../settings/plan/saved-write.ts';
import { findPlanTarget, nameTarget } from '../connection/find-target.ts';
import { findProtections } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import { nextOfPlanFile } from '../render-next.ts';
import { printWrite } from './print-write.ts';

/** Returns a context for a command that saves its write: its questions are not about a write now. */
export function openPlanning(context: Context): Context {
  if (context.options.dryRun)
    throw new SvcError('usage', '--out and --dry-run cannot be combined', {
      hint: 'omit --dry-run: with --out, svc sends no write',
    });
  return { ...context, confirm: (question) => context.confirm(question, 'this machine') };
}

/**
 * Rejects a write with a secret, which a plan must not contain.
 * @throws SvcError `usage`
 */
export function rejectSecrets(
  { flags }: OperationEntry,
  inputs: readonly Readonly<Record<string, unknown>>[],
): void {
  const secret = flags.find(
    ({ kind, path }) =>
      kind === 'secret' && inputs.some((input) => (valueAt(input, path) ?? '') !== ''),
  );
  if (secret)
    throw new SvcError(
      'usage',
      `--out cannot save ${secret.path.join('.')}, because a plan contains no secrets`,
      { hint: 'declare it in a settings file, with a reference to the secret' },
    );
}

/** Prints the plan of a write, and saves it. Sends no write. */
export async function saveWrite(
  context: Context,
  write: SavedWrite['write'],
  out: string,
): Promise<void> {
  const { clock, cwd, signal, words } = context;
  const target = await findPlanTarget(context);
  const named = await nameTarget(context, target, {});
  const { profile } = named;
  const saved = createSavedWrite({ profile, target, write, command: words }, clock.now());
  const text = `${JSON.stringify(saved, null, 2)}\n`;
  // A plan that cannot be read back could not be applied.
  await parsePlanFile(text, out);
  const path = resolveOutputPath(out, cwd);
  // A device or a pipe cannot be read back, so no command can apply the plan, and no input file is copied.
  const isStreamed = await isStream(path);
  const next = isStreamed ? {} : nextOfPlanFile(context, await findProtections(context), out);
  await printWrite(context, saved, {
    target: named,
    next,
    isReported: true,
    hasCopies: !isStreamed,
  });
  await writeOutputFile(path, text, { mode: 0o600, signal });
  if (!isStreamed) await context.note(`Saved the plan as ${out}`);
}
