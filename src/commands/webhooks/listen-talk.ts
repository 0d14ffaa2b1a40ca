import { amount } from '../../kernel/plural.ts';
import type { ListenerEvent } from '../../webhooks/listener.ts';
import type { Context } from '../context.ts';
import type { ListenOptions } from './listen-flags.ts';
import type { DeliveryOutput } from './listen-output.ts';

/** How many deliveries came to which end. */
export interface Tally {
  taken: number;
  notForwarded: number;
  repeated: number;
  refused: number;
}

/** Says on stderr where deliveries go; scripts wait for the first line. */
export async function greet(
  { note }: Context,
  options: ListenOptions,
  url: string,
  notes: readonly string[] = [],
): Promise<void> {
  await note(`listening on ${url}`);
  if (options.folder !== undefined) await note(`recording to ${options.folder}`);
  if (options.skipVerify) await note('nothing is verified: anyone who reaches this port is believed');
  for (const text of notes) await note(text);
}

/** Counts what happened, and shows it: deliveries on stdout, everything else on stderr. */
export async function tell(context: Context, output: DeliveryOutput, tally: Tally, event: ListenerEvent) {
  switch (event.kind) {
    case 'taken':
      if (event.fault !== undefined) await context.warn(`${event.delivery.id}: ${event.fault}`);
      await output.show(event.delivery);
      if (event.accepted) tally.taken += 1;
      else tally.notForwarded += 1;
      return;
    case 'repeated':
      tally.repeated += 1;
      return context.note(`came again, and was not forwarded again: ${event.id}`);
    case 'refused':
      tally.refused += 1;
      return context.note(`refused: ${event.reason}`);
  }
}

/** `12 deliveries taken, 1 came again, 3 refused` */
export function summary({ taken, notForwarded, repeated, refused }: Tally): string {
  const parts = [`${amount(taken, 'delivery')} taken`];
  if (notForwarded > 0) parts.push(`${notForwarded} not taken by the target`);
  if (repeated > 0) parts.push(`${repeated} came again`);
  if (refused > 0) parts.push(`${refused} refused`);
  return parts.join(', ');
}
