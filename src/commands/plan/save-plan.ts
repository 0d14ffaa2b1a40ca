import { replaceFile } from '../../kernel/files.ts';
import { hint, step } from '../../kernel/hint.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import type { Plan } from '../../settings/plan.ts';
import { createSavedPlan, type SavedPlanOrigin } from '../../settings/saved-plan.ts';
import type { Context } from '../context.ts';

/** Saves a plan for `svc apply`. @throws SvcError `local` if the file cannot be written */
export async function savePlan(
  context: Context,
  plan: Plan,
  file: string,
  origin: Omit<SavedPlanOrigin, 'now'>,
): Promise<void> {
  const saved = createSavedPlan(plan, { ...origin, now: context.clock.now() });
  await replaceFile(resolveOutputPath(file, context.cwd), `${JSON.stringify(saved, null, 2)}\n`);
  await context.note(hint`saved the plan; ${step('change', 'apply', file)} applies exactly these changes`);
}
