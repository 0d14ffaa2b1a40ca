import { DEFAULT_LIMIT } from '../../catalog/local/default-limit.ts';
import type { Delivery } from '../../catalog/local/delivery.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { describeMore } from '../../output/list-selection.ts';
import type { ResultShape } from '../../output/printer.ts';
import { describeDelivery } from '../../service/deliveries/records.ts';
import { retryFailures } from '../../service/deliveries/retry.ts';
import { withStore } from '../connection/embedded-store.ts';
import type { Context } from '../context.ts';
import { deliveryLists, deliveryTable, toRecord } from '../terminal/delivery-views.ts';
import { createLocalCommand } from './operation.ts';

export const listLocalDeliveries = createLocalCommand('local.deliveries.list', {
  run: async ({ context, run }) => {
    const [{ deliveries, more }] = await run();
    await print(context, deliveries, { ...deliveryTable(deliveries), defaultLimit: DEFAULT_LIMIT });
    if (deliveries.length === 0) await context.note('no deliveries found');
    if (more) await context.note(describeMore(deliveries.length));
  },
});

export const showLocalDeliveries = createLocalCommand('local.deliveries.show', {
  run: async ({ context, run }) => {
    const found = await run();
    await print(context, found, deliveryLists(found));
  },
});

export const retryLocalDeliveries = createLocalCommand('local.deliveries.retry', {
  check: async ({ inputs: [{ retry }], invocation }) => {
    const { failed, endpoint } = invocation.options;
    const hasFilter = failed === true || endpoint !== undefined;
    if (hasFilter !== retry.length > 0) return;
    const problem = hasFilter
      ? 'delivery IDs cannot be combined with --failed and --endpoint'
      : 'delivery IDs, --failed, or --endpoint is required';
    throw new SvcError('usage', problem, {
      hint: hint`to list failed deliveries, run ${step('list', 'local', 'deliveries', 'list', '--state', 'failed')}`,
    });
  },
  run: async ({ context, inputs: [{ retry }], invocation, run }) => {
    const { endpoint } = invocation.options;
    const retried =
      retry.length > 0
        ? (await run())[0].deliveries
        : await retryAll(context, endpoint === undefined ? undefined : String(endpoint));
    await print(context, retried, deliveryTable(retried));
    if (retried.length > 0) {
      await context.note(
        hint`${formatNounCount(retried.length, 'delivery')} scheduled; to send pending deliveries, run ${step('change', 'serve')}`,
      );
    }
  },
});

async function retryAll(
  context: Context,
  endpoint: string | undefined,
): Promise<readonly Delivery[]> {
  const { retried, skipped } = await withStore(context, 'write', (store, apiKey, { time }) =>
    retryFailures(store, { apiKey, now: time.now() }, endpoint),
  );
  for (const [reason, count] of skipped)
    await context.warn(`${formatNounCount(count, 'delivery')} not retried: ${reason}`);
  if (retried.length === 0 && skipped.size === 0) await context.note('no failed deliveries');
  return retried.map(describeDelivery);
}

async function print(
  context: Context,
  deliveries: readonly Delivery[],
  shape: ResultShape,
): Promise<void> {
  await (await context.printer()).value(deliveries.map(toRecord), shape);
}
