import { SvcError } from '../../kernel/errors.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { parseSavedPlan } from '../../settings/saved-plan.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { printPlan } from '../plan/render-plan.ts';
import { savePlan } from '../plan/save-plan.ts';
import type { ChangeFlags, PlanFlags } from './flags.ts';
import { withPlan } from './prepare-plan.ts';

/**
 * Prints what would change, and saves the plan if asked to.
 * @throws SvcError `differs` with `--exit-code` if there are changes
 */
export function planSettings(invoked: Context, { options }: Invocation<PlanFlags>): Promise<void> {
  const { out, exitCode, allowReplace = false } = options;
  return withPlan(invoked, options, { readsOnly: false }, async ({ context, plan, settings }) => {
    await printPlan(context, plan, settings.name);
    if (out !== undefined) await savePlan(context, plan, out, { ...settings, allowReplace });
    if (exitCode && plan.changes.length > 0) throw new SvcError('differs', 'there are changes');
  });
}

/**
 * Prints the differences between a settings file and the live service.
 * @throws SvcError `differs` if there are any
 */
export function reportDrift(invoked: Context, { options }: Invocation<ChangeFlags>): Promise<void> {
  return withPlan(invoked, options, { readsOnly: true }, async ({ context, plan, settings }) => {
    await printPlan(context, plan, settings.name, { purpose: 'drift' });
    const count = formatNounCount(plan.changes.length, 'difference');
    if (plan.changes.length > 0)
      throw new SvcError('differs', `${plan.target.url} differs from ${settings.name}: ${count}`);
  });
}

/** Prints a saved plan. */
export async function showPlan(context: Context, { arguments: [file = ''] }: Invocation): Promise<void> {
  const plan = parseSavedPlan((await readNamedFile(file, context.cwd)).toString(), file);
  await printPlan(context, plan, file);
}
