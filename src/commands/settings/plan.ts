import { commandLineOf, hint, SvcError, step } from '../../kernel/errors.ts';
import { readNamedFile, resolveOutputPath } from '../../kernel/named-file.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Plan } from '../../settings/plan.ts';
import {
  createSavedPlan,
  parseSavedPlan,
  type SavedPlanOrigin,
} from '../../settings/saved-plan.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { type NextCommands, printPlan } from '../plan/render-plan.ts';
import { stepForService } from '../service-flags.ts';
import type { ChangeFlags, PlanFlags } from './flags.ts';
import { withPlan } from './prepare-plan.ts';

/** @throws SvcError `differs` with `--exit-code` if there are changes */
export async function planSettings(
  context: Context,
  { options }: Invocation<PlanFlags>,
): Promise<void> {
  const { allowReplace = false, out } = options;
  await withPlan(context, options, 'plan', async (opened, { plan, settings }) => {
    await printPlan(opened, plan, settings.name);
    if (out !== undefined) await savePlan(opened, plan, out, { ...settings, allowReplace });
    if (options.exitCode && plan.changes.length > 0)
      throw new SvcError('differs', 'the plan contains changes');
  });
}

/** @throws SvcError `differs` if the live service differs from the settings file */
export async function reportDrift(
  context: Context,
  { options }: Invocation<ChangeFlags>,
): Promise<void> {
  await withPlan(context, options, 'drift', async (opened, { plan, settings: { name } }) => {
    const next = plan.changes.length > 0 ? describeNext(opened, options) : undefined;
    await printPlan(opened, plan, name, { purpose: 'drift', ...(next && { next }) });
    const count = formatNounCount(plan.changes.length, 'difference');
    if (plan.changes.length > 0)
      throw new SvcError('differs', `${plan.target.url} differs from ${name}: ${count}`);
  });
}

/**
 * Returns the commands that change the service or the file; undefined for a file from stdin, which
 * they could not read again.
 */
function describeNext(
  context: Context,
  { file, env, only = [] }: ChangeFlags,
): NextCommands | undefined {
  if (file === '-') return undefined;
  const flags = [
    ...(file === undefined ? [] : ['--file', file]),
    ...(env === undefined ? [] : ['--env', env]),
    ...only.flatMap((kind) => ['--only', kind]),
  ];
  const describe = (command: string) =>
    commandLineOf(stepForService(context.options, step('change', command, ...flags)));
  return { restore: describe('apply'), accept: describe('pull') };
}

export async function showPlan(
  context: Context,
  { arguments: [file = ''] }: Invocation,
): Promise<void> {
  const { cwd, signal } = context;
  const text = (await readNamedFile(file, cwd, { signal })).toString();
  const plan = await parseSavedPlan(text, file);
  await printPlan(context, plan, file);
}

/** Saves a plan for `svc apply`. @throws SvcError `local` if the file cannot be written */
export async function savePlan(
  context: Context,
  plan: Plan,
  file: string,
  origin: Omit<SavedPlanOrigin, 'now'>,
) {
  const saved = await createSavedPlan(plan, { ...origin, now: context.clock.now() });
  const text = `${JSON.stringify(saved, null, 2)}\n`;
  // A plan that cannot be read back could not be applied.
  await parseSavedPlan(text, file);
  await writeOutputFile(resolveOutputPath(file, context.cwd), text, { signal: context.signal });
  await context.note(
    hint`saved the plan; ${step('change', 'apply', file)} applies exactly these changes`,
  );
}
