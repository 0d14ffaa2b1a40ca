import { hint, SvcError, step } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { ResultShape } from '../../output/printer.ts';
import {
  type DeliveryDetail,
  findDeliveries,
  listDeliveries,
} from '../../service/deliveries/records.ts';
import { retryDeliveries, retryFailures } from '../../service/deliveries/retry.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { deliveryLists, deliveryTable } from '../embedded/delivery-views.ts';
import { withStore } from '../embedded/store.ts';
import { parseWholeNumber } from '../options.ts';
import {
  DEFAULT_LIST_LIMIT,
  type ListDeliveriesFlags,
  type RetryDeliveriesFlags,
} from './flags.ts';

export async function listLocalDeliveries(
  context: Context,
  { options }: Invocation<ListDeliveriesFlags>,
): Promise<void> {
  const limit = parseWholeNumber('--limit', options.limit, 1) ?? DEFAULT_LIST_LIMIT;
  const filter = { state: options.state, endpointId: options.endpoint, event: options.event };
  const found = await withStore(context, 'read', (store, apiKey) =>
    listDeliveries(store, apiKey, filter, limit + 1),
  );
  const shown = found.slice(0, limit);
  await print(context, shown, deliveryTable(shown));
  if (found.length === 0) await context.note('no deliveries found');
  if (found.length > limit)
    await context.note(`more deliveries exist; use --limit ${limit * 10} to show more`);
}

export async function showLocalDeliveries(
  context: Context,
  { arguments: ids }: Invocation,
): Promise<void> {
  const found = await withStore(context, 'read', (store, apiKey) =>
    findDeliveries(store, apiKey, ids),
  );
  await print(context, found, deliveryLists(found));
}

export async function retryLocalDeliveries(
  context: Context,
  { arguments: ids, options }: Invocation<RetryDeliveriesFlags>,
) {
  const isFailed = options.failed === true;
  if (isFailed === ids.length > 0) {
    const problem = isFailed
      ? 'delivery IDs and --failed cannot be combined'
      : 'delivery IDs or --failed is required';
    throw new SvcError('usage', problem, {
      hint: hint`to list failed deliveries: ${step('list', 'local', 'deliveries', 'list', '--state', 'failed')}`,
    });
  }
  if (context.options.dryRun) return context.note('--dry-run: nothing was changed');
  const retried = isFailed
    ? await retryAll(context)
    : await withStore(context, 'write', (store, apiKey, { time }) =>
        retryDeliveries(store, { apiKey, now: time.now() }, ids),
      );
  await print(context, retried, deliveryTable(retried));
  if (retried.length > 0) {
    await context.note(
      hint`${formatNounCount(retried.length, 'delivery')} scheduled; ${step('change', 'serve')} sends pending deliveries`,
    );
  }
}

async function retryAll(context: Context): Promise<readonly DeliveryDetail[]> {
  const { retried, skipped } = await withStore(context, 'write', (store, apiKey, { time }) =>
    retryFailures(store, { apiKey, now: time.now() }),
  );
  for (const [reason, count] of skipped)
    await context.warn(`${formatNounCount(count, 'delivery')} not retried: ${reason}`);
  if (retried.length === 0 && skipped.size === 0) await context.note('no failed deliveries');
  return retried;
}

async function print(
  context: Context,
  details: readonly DeliveryDetail[],
  shape: ResultShape,
): Promise<void> {
  const records = details.map(({ record }) => record);
  await (await context.printer()).value(records, shape);
}
