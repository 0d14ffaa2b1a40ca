import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { State } from '../../catalog/state.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import type { ApprovalFile } from '../../settings/approval.ts';
import {
  createSavedPlan,
  parseSavedPlan,
  type ReadyPlan,
  type SavedPlan,
} from '../../settings/saved-plan.ts';
import type { DeclaredSettings } from '../../settings/settings.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { applyPlan } from '../plan/apply-job.ts';
import { checkPlan } from '../plan/check-plan.ts';
import { checkPrediction, predictPlan } from '../plan/check-prediction.ts';
import { nameTarget } from '../plan/find-target.ts';
import { withEnvironment } from '../plan/open-environment.ts';
import { printPlan } from '../plan/print-plan.ts';
import { countChanges, type ShownPlan } from '../plan/render-plan.ts';
import { grantApproved, readApprovals } from '../plan/verify-approvals.ts';
import type { ApplyFlags } from './flags.ts';
import { withPlan } from './prepare-plan.ts';

/**
 * Applies a saved plan, or plans and applies a settings file.
 * @throws SvcError `stale_plan` if a saved plan is outdated, `usage` if the changes are not
 * confirmed or must not be made, and like `applyPlan`
 */
export async function applySettings(
  context: Context,
  invocation: Invocation<ApplyFlags>,
): Promise<void> {
  const [argument] = invocation.arguments;
  const { options } = invocation;
  const saved = argument === undefined ? undefined : await readSavedPlan(context, argument);
  if (argument !== undefined && saved) return applySavedPlan(context, saved, argument, options);
  if (argument !== undefined && options.file !== undefined)
    throw new SvcError('usage', 'the settings file was given both as an argument and with --file');
  const { allowReplace = false } = options;
  const flags = { ...options, ...optionalProperty('file', argument) };
  await withPlan(context, flags, 'apply', async (opened, { plan, settings, predicted }) => {
    if (plan.writes.length === 0) return printUnchanged(opened, plan, settings);
    const origin = { ...settings, allowReplace, now: context.clock.now() };
    const ready = { ...(await createSavedPlan(plan, origin)), writes: plan.writes };
    await confirmAndApply(opened, ready, { name: settings.name, approvals: [] }, predicted);
  });
}

/**
 * Reads a saved plan; `undefined` if the file is not JSON with a digest, and so can only be a
 * settings file.
 */
async function readSavedPlan(
  { cwd, signal }: Context,
  file: string,
): Promise<SavedPlan | undefined> {
  const isFile = (await stat(resolve(cwd, file)).catch(() => undefined))?.isFile();
  if (!isFile || /\.ya?ml$/i.test(file)) return undefined;
  const text = (await readNamedFile(file, cwd, { signal })).toString();
  const content = tryParseJson(text);
  return isObject(content) && 'sha256' in content ? parseSavedPlan(text, file) : undefined;
}

async function applySavedPlan(
  context: Context,
  saved: SavedPlan,
  name: string,
  options: ApplyFlags,
): Promise<void> {
  const { allowReplace = saved.allowReplace, ...others } = options;
  const [flag] = Object.keys(others);
  if (flag !== undefined) {
    throw new SvcError(
      'usage',
      'a saved plan cannot be changed; only --allow-replace can be added',
      {
        hint: 'create a new plan with these flags',
      },
    );
  }
  const { environment, profile } = saved;
  const target = { environment: environment ?? undefined, profile: profile ?? undefined };
  await withEnvironment(context, target, async (opened) => {
    const approvals = await grantApproved(opened, saved, () => readApprovals(context.cwd, name));
    const { plan, live } = await checkPlan(opened, saved, name);
    const prediction = await predictPlan(opened, plan, live);
    if (plan.writes.length === 0) return printUnchanged(opened, saved, { name, ...target });
    const ready = { ...saved, allowReplace, writes: plan.writes };
    await confirmAndApply(opened, ready, { name, file: name, approvals }, prediction?.state);
  });
}

/** Prints a plan without writes. */
async function printUnchanged(
  context: Context,
  plan: ShownPlan,
  { name, environment }: Pick<DeclaredSettings, 'name' | 'environment'>,
): Promise<void> {
  await printPlan(context, plan, name, {
    target: await nameTarget(context, plan.target, environment),
    next: {},
    fields: { job: null, failed: 0 },
    isReported: true,
  });
}

/** The name of a plan for messages, its file if it was saved, and its approvals. */
interface PlanSource {
  readonly name: string;
  readonly file?: string;
  readonly approvals: readonly ApprovalFile[];
}

/**
 * Shows a plan, asks for confirmation, and applies the plan. After the question, checks the plan
 * again.
 */
async function confirmAndApply(
  context: Context,
  plan: ReadyPlan,
  { name, file, approvals }: PlanSource,
  predicted: State | undefined,
): Promise<void> {
  const target = await nameTarget(context, plan.target, plan.environment);
  if ((await context.format()) === 'table') await printPlan(context, plan, name, { target });
  if (plan.summary.replace > 0 && !plan.allowReplace) {
    throw new SvcError(
      'usage',
      'the plan replaces endpoints, which get a new ID and signing secret',
      {
        hint: 'nothing was sent; to replace them, add --allow-replace',
      },
    );
  }
  if (!context.options.yes) {
    await context.confirm(`Apply these changes (${countChanges(plan)})?`);
    await checkPlan(context, plan, file);
  }
  await applyPlan(context, plan, file, approvals);
  if (predicted) await checkPrediction(context, plan, predicted);
}
