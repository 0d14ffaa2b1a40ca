import type { Journal } from '../../bulk/journal/journal.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { commandLineOf, step } from '../../kernel/errors.ts';
import { writeText } from '../../kernel/log-commands.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import {
  findMadeChanges,
  type MadeChanges,
  type WrittenItems,
} from '../../settings/execute/item-states.ts';
import type { CreatedEndpoint } from '../../settings/execute/read-back.ts';
import { summarize } from '../../settings/plan/build-plan.ts';
import type { ReadyPlan } from '../../settings/plan/saved-plan.ts';
import type { PlanSummary } from '../../settings/plan.ts';
import { printFailures } from '../bulk/print-summary.ts';
import { nameTarget, renderTarget } from '../connection/find-target.ts';
import type { Context } from '../context.ts';
import { appendStepSummary } from '../outputs/append-step-summary.ts';
import { type NextCommands, renderNext } from '../render-next.ts';
import { commandForService } from '../service-flags.ts';
import { isInCi, selectGlyphs } from '../terminal/terminal.ts';
import { renderPlanMarkdown } from './plan-markdown.ts';
import { toAccessData } from './render-access.ts';
import { countChanges } from './render-plan.ts';

const APPLIED = {
  create: 'created',
  update: 'updated',
  replace: 'replaced',
  delete: 'deleted',
  send: 'sent',
};

interface AppliedResult {
  readonly summary: BulkSummary;
  readonly createdEndpoints: readonly CreatedEndpoint[];
  /** Items that earlier runs of the job had written. */
  readonly earlier: WrittenItems;
}

const MAX_LISTED = 5;

/** Prints the target of a plan whose changes are not shown again, if the result is text. */
export async function printTarget(context: Context, plan: ReadyPlan): Promise<void> {
  if ((await context.format()) !== 'table' || context.options.fields) return;
  const target = await nameTarget(context, plan.target, plan);
  const { stdout } = context.io;
  await writeText(stdout, `${renderTarget(target, selectGlyphs(context), '')}\n\n`);
}

/**
 * Prints the result of a job that applied a plan: the plan's data with `job` and `failed`, or the
 * number of changes.
 */
export async function printApplied(
  context: Context,
  plan: ReadyPlan,
  journal: Journal,
  { summary, createdEndpoints, earlier }: AppliedResult,
): Promise<void> {
  const { changes, predicted, notRestored, summary: planned } = plan;
  const { job, total, succeeded, failed, unknown, skipped, failures } = summary;
  context.activity.counts = { total, succeeded, failed, unknown, skipped };
  const applied = countMade(findMadeChanges(plan, journal, earlier));
  const alreadyThere = sumOf(countMade(findMadeChanges(plan, journal))) - sumOf(applied);
  // A target that demands approvals hands out no secrets.
  const endpoints = (await context.approvals()) ? [] : createdEndpoints;
  const next = nextOfApplied(context, endpoints);
  const { undo: _undo, ...others } = next;
  // Nobody undoes a job from the log of a CI run.
  const shownNext = isInCi(context) ? others : next;
  const target = await nameTarget(context, plan.target, plan);
  const rest = { 'already there': alreadyThere, failed, unknown, 'not sent': skipped };
  const words = [
    countChanges({ summary: applied, changes: [] }, APPLIED),
    ...Object.entries(rest).flatMap(([word, count]) =>
      count > 0 ? [`${groupDigits(count)} ${word}`] : [],
    ),
  ];
  const { approvedBy } = context.activity;
  const approved = approvedBy.length > 0 ? [`approved by ${approvedBy.join(', ')}`] : [];
  const result = words.filter(Boolean).join(', ') || 'nothing';
  const title = `Applied: ${[result, ...approved].join('; ')}`;
  const renderMarkdown = async () => {
    const sections = { Failures: failures.map(({ id, message }) => `${id}: ${message}`) };
    return renderPlanMarkdown(plan, { title, target, next: shownNext, sections });
  };
  await appendStepSummary(context, renderMarkdown);
  if ((await context.format()) !== 'table' || context.options.fields) {
    const outcome = {
      job,
      applied,
      ...(alreadyThere > 0 && { alreadyThere }),
      failed,
      unknown,
      skipped,
      failures,
      ...(approvedBy.length > 0 && { approvedBy }),
      next,
    };
    const data = {
      target,
      changes,
      predicted,
      notRestored,
      summary: planned,
      ...(plan.access && toAccessData(plan.access)),
      ...outcome,
    };
    return (await context.printer()).value(data, { renderMarkdown });
  }
  const { stdout } = context.io;
  await stdout.write(await formatMessage(title, stdout));
  await printFailures(context, summary);
  await writeText(stdout, renderNext(shownNext));
}

function countMade({ changes, users }: MadeChanges): PlanSummary {
  const counts = summarize(changes);
  return { ...counts, send: counts.send + users };
}

function sumOf(counts: PlanSummary): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/**
 * Returns the commands that print the signing secrets of created endpoints, and the one that undoes
 * the changes.
 */
function nextOfApplied(
  { options, activity }: Context,
  endpoints: readonly CreatedEndpoint[],
): NextCommands {
  const describe = (...command: readonly string[]) =>
    commandForService(options, 'webhooks', 'endpoints', ...command);
  const secrets = endpoints
    .slice(0, MAX_LISTED)
    .map(({ id, uid }) => [`signing secret of ${uid}`, describe('secret', id)]);
  const others = endpoints.length - secrets.length;
  if (others > 0)
    secrets.push([`IDs of ${formatNounCount(others, 'more endpoint')}`, describe('list', '--all')]);
  return {
    ...Object.fromEntries(secrets),
    ...(activity.undo !== null && { undo: commandLineOf(step('inspect', 'undo', activity.undo)) }),
  };
}
