import type { Hint } from '../../kernel/hint.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { ListenerEvent } from '../../webhooks/listener.ts';
import type { Context } from '../context.ts';
import type { ListenOptions } from './listen-options.ts';
import type { DeliveryOutput } from './listen-output.ts';

export const NO_DELIVERIES = { accepted: 0, notForwarded: 0, repeated: 0, rejected: 0, filtered: 0, replayed: 0 };
export type DeliveryCounts = typeof NO_DELIVERIES;

/** Prints the address and settings of the listener to stderr. Scripts can wait for the first line. */
export async function announceListener(
  { note }: Context,
  options: ListenOptions,
  url: string,
  notes: readonly (string | Hint)[] = [],
): Promise<void> {
  await note(`listening on ${url}`);
  if (options.folder !== undefined) await note(`recording to ${options.folder}`);
  if (options.skipVerify) await note('verification is off: deliveries from anyone who can reach this port are accepted');
  for (const text of notes) await note(text);
}

export async function reportEvent(context: Context, output: DeliveryOutput, counts: DeliveryCounts, event: ListenerEvent) {
  switch (event.kind) {
    case 'received':
      if (event.payloadProblem !== undefined) await context.warn(`${event.delivery.id}: ${event.payloadProblem}`);
      await output.show(event.delivery);
      if (event.accepted) counts.accepted += 1;
      else counts.notForwarded += 1;
      return;
    case 'replayed':
      if (event.delivery.forwarded) counts.replayed += 1;
      return event.delivery.forwarded ? output.show(event.delivery) : context.note(NO_TARGET);
    case 'filtered':
      counts.filtered += 1;
      return;
    case 'duplicate':
      counts.repeated += 1;
      return context.note(`duplicate, not forwarded again: ${event.id}`);
    case 'rejected':
      counts.rejected += 1;
      return context.note(`rejected: ${event.reason}`);
  }
}

const NO_TARGET = 'the latest delivery has no target; to set one, add --forward-to or --route';

/** Formats counts as `12 deliveries accepted, 1 duplicate, 3 rejected`. */
export function formatCounts(counts: DeliveryCounts): string {
  const { accepted, notForwarded, repeated, rejected, filtered, replayed } = counts;
  const parts = [`${formatNounCount(accepted, 'delivery')} accepted`];
  if (notForwarded > 0) parts.push(`${notForwarded} not accepted by the target`);
  if (repeated > 0) parts.push(formatNounCount(repeated, 'duplicate'));
  if (filtered > 0) parts.push(`${filtered} filtered out`);
  if (replayed > 0) parts.push(`${replayed} replayed`);
  if (rejected > 0) parts.push(`${rejected} rejected`);
  return parts.join(', ');
}
