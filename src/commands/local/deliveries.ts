import { DEFAULT_LIMIT } from '../../catalog/local/default-limit.ts';
import type { ReceiverHealth } from '../../catalog/local/delivery.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { describeMore } from '../../output/list-selection.ts';
import { runAdminOperation } from '../../service/local/operations.ts';
import { deliveryLists, deliveryTable } from '../terminal/delivery-views.ts';
import { watchRecords } from '../terminal/watch-records.ts';
import { withAdminContext } from './admin-context.ts';
import { createLocalCommand, type LocalCall } from './operation.ts';

type ListCall = LocalCall<'local.deliveries.list'>;

export const listLocalDeliveries = createLocalCommand('local.deliveries.list', {
  run: async (call) => {
    const { context, invocation, inputs, run } = call;
    if (invocation.options.watch === true) return watchDeliveries(call);
    const [{ deliveries, more, receivers }] = await run();
    const shape = deliveryTable(context, deliveries);
    await (await context.printer()).value(deliveries, { ...shape, defaultLimit: DEFAULT_LIMIT });
    if (deliveries.length === 0) await context.note('no deliveries found');
    if (more) await context.note(describeMore(deliveries.length));
    const isOfOne = inputs[0].endpointId !== undefined || deliveries.length === 0;
    const summary = isOfOne ? undefined : describeFailing(receivers);
    if (summary !== undefined) await context.note(summary);
  },
});

export const showLocalDeliveries = createLocalCommand('local.deliveries.show', {
  run: async ({ context, run }) => {
    const found = await run();
    await (await context.printer()).value(found, deliveryLists(found));
  },
});

/** Describes the receivers if several fail: `5 of 6 endpoints fail: 2 × http 5xx, 1 × timeout`. */
function describeFailing({ total, failing }: ReceiverHealth): string | undefined {
  const counts = Object.entries(failing);
  const sum = counts.reduce((all, [, count]) => all + count, 0);
  if (sum < 2) return undefined;
  const reasons = counts
    .toSorted(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} × ${reason.replace('connection ', '')}`);
  return `${sum} of ${formatNounCount(total, 'endpoint')} fail: ${reasons.join(', ')}`;
}

/** Prints deliveries, oldest first, and then each new or changed one, until a signal arrives. */
function watchDeliveries({ context, inputs: [input] }: ListCall): Promise<void> {
  return withAdminContext(context, 'local.deliveries.list', (needed) =>
    watchRecords(context, {
      read: async () =>
        (await runAdminOperation('local.deliveries.list', needed, input)).deliveries.toReversed(),
      idOf: ({ id }) => id,
      shapeOf: (deliveries) => deliveryTable(context, deliveries),
    }),
  );
}
