import { type Delivery, FAILED_STATES } from '../../catalog/local/delivery.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import type { AdminInput } from '../../catalog/local/index.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { parsePeriod } from '../../kernel/timestamp.ts';
import { PIPE_DISPLAY } from '../../output/display-options.ts';
import { formatTime } from '../../output/times.ts';
import { createMeasure, truncateText } from '../../output/width.ts';
import { describeDelivery, listDeliveries } from '../../service/deliveries/records.ts';
import {
  planRetry,
  type RetryFilter,
  type RetryPlan,
  retryFailures,
} from '../../service/deliveries/retry.ts';
import { withStore } from '../connection/embedded-store.ts';
import { describeDeliverer } from '../connection/running-servers.ts';
import type { Context } from '../context.ts';
import type { Invocation, ParsedOptions } from '../definition.ts';
import {
  deliveryTable,
  EVENT_WIDTH,
  formatOutcome,
  nameEndpoint,
  shortenEvent,
  shortenId,
} from '../terminal/delivery-views.ts';
import { canAsk, selectGlyphs } from '../terminal/terminal.ts';
import { createLocalCommand, type LocalCall, readInputs, runLocal } from './operation.ts';

/** Maximum number of deliveries to choose from. */
const MAX_CHOICES = 100;
const CURSOR_WIDTH = 2;
/** Columns of a terminal from which the choices contain their ages. */
const AGE_WIDTH = 60;

type RetryCall = LocalCall<'local.deliveries.retry'>;

export const retryLocalDeliveries = createLocalCommand('local.deliveries.retry', {
  readFields: async (context, words) => {
    const readId = (word: string) => (word === 'last' ? findLastFailure(context) : word);
    return { retry: await Promise.all(words.map(readId)) };
  },
  check: async (call) => {
    const { context, inputs, invocation } = call;
    const hasIds = inputs[0].retry.length > 0;
    const isFiltered = hasFilter(invocation);
    if (isFiltered && hasIds) {
      const problem = 'delivery IDs cannot be combined with flags that select deliveries';
      throw new SvcError('usage', problem, {
        hint: hint`to list failed deliveries, run ${step('list', 'local', 'deliveries', 'list', '--state', 'failed')}`,
      });
    }
    if (isFiltered && context.options.dryRun) await previewRetry(call);
    if (isFiltered || hasIds || canAsk(context)) return;
    throw new SvcError('usage', 'delivery IDs, or flags that select deliveries, are required', {
      hint: hint`to retry all failed deliveries, run ${step('change', 'local', 'deliveries', 'retry', '--failed', '--yes')}`,
    });
  },
  run: async (call) => {
    const { context, inputs, invocation } = call;
    const retried = hasFilter(invocation)
      ? await retryMatching(call)
      : await retryIds(context, inputs[0].retry);
    if (!retried) return;
    await (await context.printer()).value(retried, deliveryTable(context, retried));
    if (retried.length > 0) {
      const sender = await describeDeliverer(context, 'send');
      await context.note(hint`${formatNounCount(retried.length, 'delivery')} scheduled; ${sender}`);
    }
  },
});

/** Whether flags select the deliveries. The command has no other flags. */
function hasFilter({ options }: Invocation<ParsedOptions>): boolean {
  return Object.values(options).some((value) => value !== undefined);
}

async function previewRetry(call: RetryCall): Promise<void> {
  const { filter, plan } = await readPlan(call);
  await call.context.note(`--dry-run: would retry ${describePlan(plan, filter)}`);
}

/** Asks before the retry. Returns undefined if the filter matches nothing. */
async function retryMatching(call: RetryCall): Promise<readonly Delivery[] | undefined> {
  const { context } = call;
  const { filter, plan } = await readPlan(call);
  for (const [reason, count] of plan.skipped)
    await context.warn(`${formatNounCount(count, 'delivery')} not retried: ${reason}`);
  if (plan.count === 0) {
    if (plan.skipped.size === 0) await context.note('no failed deliveries found');
    await (await context.printer()).value([], deliveryTable(context, []));
    return undefined;
  }
  await context.confirm(`Retry ${describePlan(plan, filter)}?`, 'this machine');
  const retried = await withStore(context, 'write', (store, apiKey, { time }) =>
    retryFailures(store, { apiKey, now: time.now() }, filter),
  );
  return retried.map(describeDelivery);
}

async function readPlan({ context, invocation }: RetryCall) {
  const words = { ...invocation, arguments: [] };
  const { command } = getAdminEntry('local.deliveries.retry');
  const [input] = await readInputs(context, 'local.deliveries.list', words, {}, { command });
  return withStore(context, 'read', async (store, apiKey, { time }) => {
    const filter = toFilter(input, time.now());
    return { filter, plan: await planRetry(store, apiKey, filter) };
  });
}

function describePlan({ count, endpointIds }: RetryPlan, { endpointId }: RetryFilter): string {
  const [only = '', ...others] = endpointIds;
  const target =
    others.length === 0
      ? escapeForTerminal(endpointId ?? only)
      : formatNounCount(endpointIds.length, 'endpoint');
  return count === 0
    ? 'no deliveries'
    : `${formatNounCount(count, 'failed delivery')} to ${target}`;
}

function toFilter(input: AdminInput<'local.deliveries.list'>, now: number): RetryFilter {
  const { endpointId, event, reason, since, until } = input;
  return {
    state: FAILED_STATES.find((state) => state === input.state) ?? 'failed',
    endpointId,
    event,
    reason,
    ...parsePeriod({ since, until }, now),
  };
}

async function retryIds(
  context: Context,
  ids: readonly string[],
): Promise<readonly Delivery[] | undefined> {
  const chosen = ids.length > 0 ? ids : await pickFailure(context);
  if (chosen.length === 0) {
    await context.note('no failed deliveries found');
    return undefined;
  }
  const [{ deliveries }] = await runLocal(context, 'local.deliveries.retry', [
    { retry: [...chosen] },
  ]);
  return deliveries;
}

/** @throws SvcError `not_found` */
async function findLastFailure(context: Context): Promise<string> {
  const [last] = await listFailures(context, 1);
  if (last) return last.id;
  throw new SvcError('not_found', 'no delivery has failed', {
    hint: hint`to list the deliveries, run ${step('list', 'local', 'deliveries', 'list')}`,
  });
}

async function listFailures(context: Context, limit: number): Promise<readonly Delivery[]> {
  const found = await withStore(context, 'read', (store, apiKey) =>
    listDeliveries(store, apiKey, { state: 'failed' }, limit),
  );
  return found.map(describeDelivery);
}

/** Lets the user choose a failed delivery. Returns an empty list without failures. */
async function pickFailure(context: Context): Promise<readonly string[]> {
  const failures = await listFailures(context, MAX_CHOICES);
  if (failures.length === 0) return [];
  const columns = context.io.stderr.columns || 80;
  const { ellipsis } = selectGlyphs(context);
  const now = await readNow(context);
  const rows = failures.map((failure) => {
    const last = failure.attempts.at(-1);
    const time = { ...PIPE_DISPLAY, time: 'relative', now } as const;
    const age = formatTime(failure.createdAt, time) ?? '';
    return [
      shortenEvent(failure.event, Math.min(EVENT_WIDTH, columns / 2), ellipsis),
      shortenId(nameEndpoint(failure)),
      ...(columns < AGE_WIDTH ? [] : [age]),
      last ? formatOutcome(last) : '',
    ];
  });
  const widths = columnWidths(rows);
  const lines = rows.map((row) =>
    escapeForTerminal(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).trimEnd(),
  );
  const measure = await createMeasure([lines]);
  const choices = failures.map(({ id, event, endpointId }, at) => {
    const label = truncateText(lines[at] ?? '', columns - CURSOR_WIDTH, measure, ellipsis);
    return { value: id, label, keywords: [event, endpointId] };
  });
  const prompter = await context.prompter();
  return [await prompter.pick({ message: 'Delivery to retry', choices })];
}

function columnWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return (rows[0] ?? []).map((_, column) => widthOf(column));
}

function readNow(context: Context): Promise<number> {
  return withStore(context, 'read', async (_, __, { time }) => time.now());
}
