import type { State } from '../../catalog/state.ts';
import { SvcError } from '../../kernel/errors.ts';
import { createSavedPlan, type ReadyPlan, type SavedPlan } from '../../settings/plan/saved-plan.ts';
import { nameTarget, type PlanOrigin } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { applyPlan } from './apply-job.ts';
import { createBlockedError, findBlocked } from './blocked-changes.ts';
import { APPLIED_BEFORE, checkPlan, createStalePlanError } from './check-plan.ts';
import { checkPrediction, predictPlan } from './check-prediction.ts';
import type { ApplyFlags } from './flags.ts';
import { withEnvironment } from './open-environment.ts';
import { withPlan } from './prepare-plan.ts';
import { printPlan } from './print-plan.ts';
import type { PlanRequest } from './read-input.ts';
import { countChanges, type ShownPlan } from './render-plan.ts';
import { isUsed } from './used-mark.ts';
import { type CheckedApprovals, grantApproved, readApprovals } from './verify-approvals.ts';

/**
 * Plans and applies a settings file.
 * @throws SvcError `usage` if the changes are not confirmed or must not be made, and like `applyPlan`
 */
export async function applyRequest(
  context: Context,
  request: PlanRequest,
  { allowReplace = false }: ApplyFlags,
): Promise<void> {
  const { settings } = request;
  await withPlan(context, request, 'apply', async (opened, { plan, predicted, live }) => {
    const blocked = createBlockedError(plan, live);
    if (plan.writes.length === 0) return printUnchanged(opened, plan, settings, blocked);
    const origin = { ...settings, allowReplace, now: context.clock.now() };
    const ready = { ...(await createSavedPlan(plan, origin)), writes: plan.writes };
    await confirmAndApply(opened, ready, { origin: settings, allowReplace, blocked }, predicted);
  });
}

/**
 * Applies a saved plan.
 * @throws SvcError `stale_plan` if the plan is outdated, and like `applyRequest`
 */
export async function applySavedPlan(
  context: Context,
  saved: SavedPlan,
  file: string,
  { allowReplace = saved.allowReplace }: ApplyFlags,
): Promise<void> {
  const { environment, profile } = saved;
  const named = {
    file,
    ...optionalProperty('name', environment ?? undefined),
    ...optionalProperty('profile', profile ?? undefined),
  };
  await withEnvironment(context, named, async (opened) => {
    const approved = await grantApproved(opened, saved, () => readApprovals(context.cwd, file));
    if (approved.files.length > 0 && (await isUsed(saved, file, context.cwd)))
      throw createStalePlanError(saved, file, APPLIED_BEFORE);
    const { plan, live } = await checkPlan(opened, saved, file);
    const prediction = await predictPlan(opened, plan, live);
    const blocked = createBlockedError(saved, live);
    if (plan.writes.length === 0)
      return printUnchanged(opened, saved, { name: file, environment }, blocked);
    const ready = { ...saved, writes: plan.writes };
    const source = { origin: { name: file, environment }, file, approved, allowReplace, blocked };
    await confirmAndApply(opened, ready, source, prediction?.state);
  });
}

interface NamedOrigin extends PlanOrigin {
  readonly name: string;
}

/** Prints a plan without writes. @throws SvcError for records that could not be applied */
async function printUnchanged(
  context: Context,
  plan: ShownPlan,
  origin: NamedOrigin,
  blocked: SvcError | undefined,
): Promise<void> {
  await printPlan(context, plan, origin.name, {
    target: await nameTarget(context, plan.target, origin),
    next: {},
    fields: { job: null, failed: findBlocked(plan).length },
    isReported: true,
  });
  if (blocked) throw blocked;
}

interface PlanSource {
  readonly origin: NamedOrigin;
  /** File of a saved plan. */
  readonly file?: string;
  readonly approved?: CheckedApprovals;
  readonly allowReplace: boolean;
  /** The error of records that cannot be applied. */
  readonly blocked: SvcError | undefined;
}

/**
 * Shows a plan, asks for confirmation, and applies the plan. After the question, checks the plan
 * again.
 */
async function confirmAndApply(
  context: Context,
  plan: ReadyPlan,
  { origin, file, approved, allowReplace, blocked }: PlanSource,
  predicted: State | undefined,
): Promise<void> {
  const target = await nameTarget(context, plan.target, origin);
  if ((await context.format()) === 'table') await printPlan(context, plan, origin.name, { target });
  if (plan.summary.replace > 0 && !allowReplace) {
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
  await applyPlan(context, plan, { file, approved });
  if (predicted) await checkPrediction(context, plan, predicted);
  if (blocked) throw blocked;
}
