import { SvcError } from '../../kernel/errors.ts';
import { replaceFile } from '../../kernel/files.ts';
import { hint, step } from '../../kernel/hint.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { createSavedPlan } from '../../settings/saved-plan.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { printPlan } from '../plan/render-plan.ts';
import type { PlanFlags } from './flags.ts';
import { type PreparedPlan, preparePlan } from './prepare-plan.ts';

/**
 * Prints what would change, and saves the plan if asked to.
 * @throws SvcError `differs` with `--exit-code` if there are changes
 */
export async function planSettings(context: Context, { options }: Invocation<PlanFlags>): Promise<void> {
  const prepared = await preparePlan(context, options);
  try {
    const { plan, settings } = prepared;
    await printPlan(prepared.context, plan, settings.name);
    if (options.out !== undefined) await save(prepared, options.out, options.allowReplace === true);
    if (options.exitCode === true && plan.changes.length > 0) throw new SvcError('differs', 'there are changes');
  } finally {
    await prepared.close();
  }
}

async function save({ context, plan, settings }: PreparedPlan, file: string, allowReplace: boolean): Promise<void> {
  const { clock, cwd } = context;
  const saved = createSavedPlan(plan, { ...settings, allowReplace, now: clock.now() });
  await replaceFile(resolveOutputPath(file, cwd), `${JSON.stringify(saved, null, 2)}\n`);
  await context.note(hint`saved the plan; ${step('change', 'apply', file)} applies exactly these changes`);
}
