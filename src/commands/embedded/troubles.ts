import { connectionFault } from '../../kernel/connection-fault.ts';
import { Refusal } from '../../service/refusal.ts';
import { StoreFailure } from '../../service/store/store-failure.ts';
import type { Context } from '../context.ts';

/** Milliseconds after which what goes wrong again and again is said once more. */
const AGAIN = 60_000;

/** Tells people what goes wrong while the service is at work, and the same thing once a minute. */
export function troubleTeller({ warn, clock }: Pick<Context, 'warn' | 'clock'>): (error: unknown) => void {
  let last = { text: '', at: 0 };
  return (error) => {
    const text = textOf(error);
    const now = clock.now();
    if (text === last.text && now < last.at + AGAIN) return;
    last = { text, at: now };
    void warn(text);
  };
}

/** A store that cannot be reached or used is no fault of the service. */
function textOf(error: unknown): string {
  if (error instanceof StoreFailure) return `${error.message}; ${error.hint}`;
  if (!(error instanceof Refusal && error.status === 'UNAVAILABLE')) return `internal error: ${String(error)}`;
  const { message, cause } = error;
  const reason = connectionFault(cause) ?? (cause instanceof Error ? cause.message : undefined);
  return `${message} Deliveries wait${reason === undefined ? '' : `: ${reason}`}`;
}
