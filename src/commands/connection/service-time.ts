import { monotonicNow } from '../../kernel/clock.ts';
import { isLoopback } from '../../kernel/loopback.ts';
import type { Context } from '../context.ts';

/** Time limit for reading the time of a service on this machine, in milliseconds. */
const TIMEOUT = 2_000;
/** Smaller differences are due to the resolution of the Date header, in milliseconds. */
const MIN_DIFFERENCE = 2_000;

/**
 * Returns the current time of the service. Differs from the real time if the clock of the embedded
 * service was changed, which a service on this machine shows in the Date header of its health
 * check.
 */
export async function readServiceTime(context: Context): Promise<number> {
  const { clock, options } = context;
  if (options.local) return (await context.embedded())?.now() ?? clock.now();
  const { baseUrl } = await context.target();
  const url = URL.parse('/healthz', baseUrl?.value);
  if (!url || !isLoopback(url)) return clock.now();
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) }).catch(
    () => undefined,
  );
  const time = Date.parse(response?.headers.get('date') ?? '');
  return Math.abs(time - clock.now()) > MIN_DIFFERENCE ? time : clock.now();
}

export async function withServiceTime(context: Context): Promise<Context> {
  const { clock } = context;
  const [start, started] = [await readServiceTime(context), monotonicNow(clock)];
  return { ...context, clock: { ...clock, now: () => start + monotonicNow(clock) - started } };
}
