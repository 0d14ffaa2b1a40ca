import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { printPlan } from '../plan/render-plan.ts';
import { savePlan } from '../plan/save-plan.ts';
import type { PlanFlags } from './flags.ts';
import { preparePlan } from './prepare-plan.ts';

/**
 * Prints what would change, and saves the plan if asked to.
 * @throws SvcError `differs` with `--exit-code` if there are changes
 */
export async function planSettings(context: Context, { options }: Invocation<PlanFlags>): Promise<void> {
  const prepared = await preparePlan(context, options);
  try {
    const { plan, settings } = prepared;
    await printPlan(prepared.context, plan, settings.name);
    if (options.out !== undefined) {
      const origin = { ...settings, allowReplace: options.allowReplace === true };
      await savePlan(prepared.context, plan, options.out, origin);
    }
    if (options.exitCode === true && plan.changes.length > 0) throw new SvcError('differs', 'there are changes');
  } finally {
    await prepared.close();
  }
}
