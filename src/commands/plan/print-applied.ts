import type { Journal } from '../../bulk/journal/journal.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { commandLineOf, step } from '../../kernel/errors.ts';
import { formatNounCount, groupDigits } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import { summarize } from '../../settings/build-plan.ts';
import { findMadeChanges } from '../../settings/execute/item-states.ts';
import type { CreatedEndpoint } from '../../settings/execute/read-back.ts';
import type { ReadyPlan } from '../../settings/saved-plan.ts';
import { printFailures } from '../bulk/print-summary.ts';
import type { Context } from '../context.ts';
import { stepForService } from '../service-flags.ts';
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
}

const MAX_LISTED = 5;

/**
 * Prints the result of a job that applied a plan: the plan's data with `job` and `failed`, or the
 * number of changes.
 */
export async function printApplied(
  context: Context,
  plan: ReadyPlan,
  journal: Journal,
  { summary, createdEndpoints }: AppliedResult,
): Promise<void> {
  const { target, changes, predicted, notRestored, summary: planned } = plan;
  const { job, total, succeeded, failed, unknown, skipped, failures } = summary;
  context.activity.counts = { total, succeeded, failed, unknown, skipped };
  const made = findMadeChanges(plan, journal);
  const counts = summarize(made.changes);
  const applied = { ...counts, send: counts.send + made.users };
  if ((await context.format()) !== 'table' || context.options.fields) {
    const outcome = { job, applied, failed, unknown, skipped, failures };
    const result = { target, changes, predicted, notRestored, summary: planned, ...outcome };
    return (await context.printer()).value(result, {});
  }
  const { stdout } = context.io;
  const others = { failed, unknown, 'not sent': skipped };
  const words = [
    countChanges({ summary: applied, changes: [] }, APPLIED),
    ...Object.entries(others).flatMap(([word, count]) =>
      count > 0 ? [`${groupDigits(count)} ${word}`] : [],
    ),
  ];
  await stdout.write(
    await formatMessage(`Applied: ${words.filter(Boolean).join(', ') || 'nothing'}`, stdout),
  );
  await printFailures(context, summary);
  await printSecretCommands(context, createdEndpoints);
}

/** Prints the command that prints the signing secret of each created endpoint. */
async function printSecretCommands(
  { io: { stdout }, options }: Context,
  endpoints: readonly CreatedEndpoint[],
): Promise<void> {
  const describe = (...command: readonly string[]) =>
    commandLineOf(stepForService(options, step('show', 'webhooks', 'endpoints', ...command)));
  const lines = endpoints
    .slice(0, MAX_LISTED)
    .map(({ id, uid }) => `signing secret of ${uid}: ${describe('secret', id)}`);
  const others = endpoints.length - lines.length;
  if (others > 0)
    lines.push(`IDs of ${formatNounCount(others, 'more endpoint')}: ${describe('list', '--all')}`);
  for (const line of lines) await stdout.write(await formatMessage(line, stdout));
}
