import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import { amount } from '../../kernel/plural.ts';
import type { Shape } from '../../output/printer.ts';
import { type DeliveryDetail, findDeliveries, listDeliveries } from '../../service/deliveries/records.ts';
import { retryDeliveries, retryFailures } from '../../service/deliveries/retry.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { asLists, asTable } from '../embedded/delivery-drawing.ts';
import { withStore } from '../embedded/store.ts';
import { hintedCommand } from '../hinted-command.ts';
import { textValue, wholeNumber } from '../option-values.ts';
import { DELIVERY_STATES, LISTED } from './delivery-words.ts';

/** Prints deliveries, the newest first. */
export async function listCommand(context: Context, { options }: Invocation): Promise<void> {
  const limit = wholeNumber('--limit', textValue(options, 'limit'), 1) ?? LISTED;
  const filter = {
    state: DELIVERY_STATES.find((state) => state === options['state']),
    endpointId: textValue(options, 'endpoint'),
    event: textValue(options, 'event'),
  };
  const found = await withStore(context, 'read', (store, apiKey) => listDeliveries(store, apiKey, filter, limit + 1));
  const shown = found.slice(0, limit);
  await print(context, shown, asTable(shown));
  if (found.length === 0)
    await context.note('no deliveries; what a change sends to endpoints and basic webhooks is listed here');
  if (found.length > limit) await context.note(`there are more: add --limit ${limit * 10}`);
}

/** Prints all that is known of deliveries. */
export async function showCommand(context: Context, { arguments: ids }: Invocation): Promise<void> {
  const found = await withStore(context, 'read', (store, apiKey) => findDeliveries(store, apiKey, ids));
  await print(context, found, asLists(found));
}

/** Makes deliveries due again, and prints them. */
export async function retryCommand(context: Context, { arguments: ids, options }: Invocation): Promise<void> {
  const isFailed = options['failed'] === true;
  if (isFailed === ids.length > 0) {
    throw new SvcError('usage', isFailed ? 'give ids or --failed, not both' : 'which deliveries?', {
      hint: hint`name them, or --failed for all that were given up: ${step('list', 'local', 'deliveries', 'list', '--state', 'failed')}`,
    });
  }
  if (context.options.dryRun) return context.note('nothing was changed: --dry-run');
  const retried = isFailed ? await retryAll(context) : await retryThese(context, ids);
  await print(context, retried, asTable(retried));
  if (retried.length > 0) {
    await context.note(
      `${amount(retried.length, 'delivery')} due now; ${hintedCommand(context.options, 'serve')} sends what is due`,
    );
  }
}

function retryThese(context: Context, ids: readonly string[]): Promise<readonly DeliveryDetail[]> {
  const now = context.clock.now();
  return withStore(context, 'write', (store, apiKey) => retryDeliveries(store, { apiKey, now }, ids));
}

async function retryAll(context: Context): Promise<readonly DeliveryDetail[]> {
  const now = context.clock.now();
  const { retried, left } = await withStore(context, 'write', (store, apiKey) => retryFailures(store, { apiKey, now }));
  for (const [reason, count] of left) await context.warn(`${amount(count, 'delivery')} not sent again: ${reason}`);
  if (retried.length === 0 && left.size === 0) await context.note('no failed deliveries');
  return retried;
}

async function print(context: Context, details: readonly DeliveryDetail[], shape: Shape): Promise<void> {
  const printer = await context.printer();
  await printer.value(
    details.map(({ record }) => record),
    shape,
  );
}
