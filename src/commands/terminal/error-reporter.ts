import { describeConnectionError } from '../../kernel/connection-error.ts';
import { Refusal } from '../../service/store/refusal.ts';
import { StoreFailure } from '../../service/store/store-failure.ts';
import type { Context } from '../context.ts';

/** Minimum interval between warnings about the same error, in milliseconds. */
const REPEAT_INTERVAL = 60_000;

/**
 * Creates a function that prints errors of the running service as warnings. Drops repetitions of
 * the last error.
 */
export function createErrorReporter({
  warn,
  clock,
}: Pick<Context, 'warn' | 'clock'>): (error: unknown) => void {
  let last = { text: '', at: 0 };
  return (error) => {
    const text = errorText(error);
    const now = clock.now();
    if (text === last.text && now < last.at + REPEAT_INTERVAL) return;
    last = { text, at: now };
    void warn(text);
  };
}

function errorText(error: unknown): string {
  if (error instanceof StoreFailure) return `${error.message}; ${error.hint}`;
  // A server that became a standby also refuses the writes of deliveries.
  const isOfStore =
    error instanceof Refusal && ['UNAVAILABLE', 'FAILED_PRECONDITION'].includes(error.status);
  if (!isOfStore) return `internal error: ${String(error)}`;
  const { message, cause } = error;
  const reason =
    describeConnectionError(cause) ?? (cause instanceof Error ? cause.message : undefined);
  return `${message} Deliveries are paused${reason === undefined ? '' : `: ${reason}`}`;
}
