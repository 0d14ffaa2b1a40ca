import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { ResultShape } from '../../output/printer.ts';
import { type DeliveryDetail, findDeliveries, listDeliveries } from '../../service/deliveries/records.ts';
import { retryDeliveries, retryFailures } from '../../service/deliveries/retry.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { deliveryLists, deliveryTable } from '../embedded/delivery-views.ts';
import { withStore } from '../embedded/store.ts';
import { parseWholeNumber } from '../option-values.ts';
import { commandForService } from '../service-flags.ts';
import { DEFAULT_LIST_LIMIT } from './delivery-constants.ts';
import type { ListDeliveriesFlags, RetryDeliveriesFlags } from './flags.ts';

/** Lists deliveries, newest first. */
export async function listLocalDeliveries(
  context: Context,
  { options }: Invocation<ListDeliveriesFlags>,
): Promise<void> {
  const limit = parseWholeNumber('--limit', options.limit, 1) ?? DEFAULT_LIST_LIMIT;
  const filter = {
    state: options.state,
    endpointId: options.endpoint,
    event: options.event,
  };
  const found = await withStore(context, 'read', (store, apiKey) => listDeliveries(store, apiKey, filter, limit + 1));
  const shown = found.slice(0, limit);
  await print(context, shown, deliveryTable(shown));
  if (found.length === 0) await context.note('no deliveries found');
  if (found.length > limit) await context.note(`more deliveries exist; use --limit ${limit * 10} to show more`);
}

/** Shows deliveries with all attempts. */
export async function showLocalDeliveries(context: Context, { arguments: ids }: Invocation): Promise<void> {
  const found = await withStore(context, 'read', (store, apiKey) => findDeliveries(store, apiKey, ids));
  await print(context, found, deliveryLists(found));
}

/** Schedules deliveries again, and prints them. */
export async function retryLocalDeliveries(
  context: Context,
  { arguments: ids, options }: Invocation<RetryDeliveriesFlags>,
): Promise<void> {
  const isFailed = options.failed === true;
  if (isFailed === ids.length > 0) {
    throw new SvcError(
      'usage',
      isFailed ? 'delivery IDs and --failed cannot be combined' : 'delivery IDs or --failed required',
      {
        hint: hint`to list failed deliveries: ${step('list', 'local', 'deliveries', 'list', '--state', 'failed')}`,
      },
    );
  }
  if (context.options.dryRun) return context.note('--dry-run: nothing was changed');
  const retried = isFailed ? await retryAll(context) : await retryThese(context, ids);
  await print(context, retried, deliveryTable(retried));
  if (retried.length > 0) {
    await context.note(
      `${formatNounCount(retried.length, 'delivery')} scheduled; ${commandForService(context.options, 'serve')} sends pending deliveries`,
    );
  }
}

function retryThese(context: Context, ids: readonly string[]): Promise<readonly DeliveryDetail[]> {
  const now = context.clock.now();
  return withStore(context, 'write', (store, apiKey) => retryDeliveries(store, { apiKey, now }, ids));
}

async function retryAll(context: Context): Promise<readonly DeliveryDetail[]> {
  const now = context.clock.now();
  const { retried, skipped: left } = await withStore(context, 'write', (store, apiKey) =>
    retryFailures(store, { apiKey, now }),
  );
  for (const [reason, count] of left)
    await context.warn(`${formatNounCount(count, 'delivery')} not retried: ${reason}`);
  if (retried.length === 0 && left.size === 0) await context.note('no failed deliveries');
  return retried;
}

async function print(context: Context, details: readonly DeliveryDetail[], shape: ResultShape): Promise<void> {
  const printer = await context.printer();
  await printer.value(
    details.map(({ record }) => record),
    shape,
  );
}
