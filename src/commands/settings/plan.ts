import { parseOptionalDuration } from '../../kernel/duration.ts';
import { SvcError } from '../../kernel/errors.ts';
import { readNamedFile, resolveOutputPath } from '../../kernel/named-file.ts';
import { writeOutputFile } from '../../kernel/output-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { findExpiring } from '../../settings/plan/access/access.ts';
import {
  createSavedPlan,
  hasWrites,
  parseSavedPlan,
  type SavedPlanOrigin,
} from '../../settings/plan/saved-plan.ts';
import { isSavedWrite, parsePlanFile } from '../../settings/plan/saved-write.ts';
import { nameInSentence, type Plan } from '../../settings/plan.ts';
import { nameSavedTarget, nameTarget } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import { type Invocation, withInput } from '../definition.ts';
import { checkOutputs } from '../outputs/check-outputs.ts';
import { printWrite } from '../write-plans/print-write.ts';
import type { ChangeFlags, PlanFlags } from './flags.ts';
import { settingsFiles } from './load-settings-file.ts';
import { nextOfDrift, nextOfPlan, nextOfSavedPlan } from './next-commands.ts';
import { withPlan } from './prepare-plan.ts';
import { printPlan } from './print-plan.ts';
import { type PlanRequest, readPlanRequest } from './read-input.ts';
import type { ReadMembers } from './read-members.ts';
import { countDifferingRecords } from './render-changes.ts';

/** @throws SvcError `differs` with `--exit-code` if there are changes */
export const planSettings = withInput(readPlanRequest, planRequested);

async function planRequested(
  context: Context,
  request: PlanRequest,
  options: PlanFlags,
): Promise<void> {
  const { settings } = request;
  const { allowReplace = false, out, force = false } = options;
  const inputs = [
    ...settingsFiles(settings),
    ...(options.members === undefined ? [] : [{ name: '--members', file: options.members }]),
  ];
  if (out !== undefined)
    await checkOutputs(context, {
      inputs,
      outputs: [{ name: '--out', file: out, use: 'plan' }],
      force,
    });
  const within = parseOptionalDuration('--expiring', options.expiring);
  const members = await readMembersFlag(context, options.members);
  await withPlan(context, { ...request, members }, 'plan', async (opened, { plan }) => {
    const target = await nameTarget(opened, plan.target, settings);
    const next =
      plan.writes.length > 0
        ? await nextOfPlan(context, opened, { ...options, env: settings.environment })
        : {};
    const expiring =
      within === undefined
        ? undefined
        : {
            within: String(options.expiring),
            grants: findExpiring(settings.declared, opened.clock.now(), within),
          };
    await printPlan(opened, plan, settings.name, { target, next, expiring, isReported: true });
    if (out !== undefined) {
      const { url: _url, apiKey: _key, environment: _environment, ...others } = target;
      const names = { file: settings.name, ...others };
      await savePlan(opened, plan, out, { ...settings, names, allowReplace });
    }
    if (options.exitCode && plan.changes.length > 0)
      throw new SvcError('differs', 'the plan contains changes');
  });
}

async function readMembersFlag(
  context: Context,
  file: string | undefined,
): Promise<ReadMembers | undefined> {
  if (file === undefined) return undefined;
  const { readMembers } = await import('./read-members.ts');
  return readMembers(context, file);
}

/** @throws SvcError `differs` if the live service differs from the settings file */
export const reportDrift = withInput(readPlanRequest, printDrift);

async function printDrift(
  context: Context,
  request: PlanRequest,
  options: ChangeFlags,
): Promise<void> {
  const { settings } = request;
  const { name, environment } = settings;
  await withPlan(context, request, 'drift', async (opened, { plan }) => {
    const target = await nameTarget(opened, plan.target, settings);
    const deletes = plan.changes.some(({ sign }) => sign === '-');
    // Records that cannot be read can be neither restored nor accepted.
    const next = plan.changes.some(({ sign }) => sign !== '?')
      ? await nextOfDrift(context, opened, {
          ...options,
          env: environment,
          prune: deletes || options.prune,
          hasWrites: plan.writes.length > 0,
        })
      : {};
    await printPlan(opened, plan, name, { purpose: 'drift', target, next, isReported: true });
    const count = formatNounCount(countDifferingRecords(plan.changes), 'record');
    if (plan.changes.length > 0)
      throw new SvcError(
        'differs',
        `${nameInSentence(plan.target)} differs from ${name} in ${count}`,
      );
  });
}

export async function showPlan(
  context: Context,
  { arguments: [file = ''] }: Invocation,
): Promise<void> {
  const { cwd, signal } = context;
  const text = (await readNamedFile(file, cwd, { signal })).toString();
  const plan = await parsePlanFile(text, file);
  const target = nameSavedTarget(plan);
  if (isSavedWrite(plan)) {
    const next = await nextOfSavedPlan(context, plan, file);
    return printWrite(context, plan, { target, next });
  }
  const next = hasWrites(plan) ? await nextOfSavedPlan(context, plan, file) : {};
  await printPlan(context, plan, file, { target, settingsFile: plan.names?.file ?? file, next });
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
  const { cwd, signal } = context;
  await writeOutputFile(resolveOutputPath(file, cwd), text, { mode: 0o600, signal });
  await context.note(`Saved the plan as ${file}`);
}
