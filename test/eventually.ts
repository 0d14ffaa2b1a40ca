import { vi } from 'vitest';

/**
 * Repeats `check` until it no longer throws, and returns its result. The timeout is long, for busy
 * machines.
 *
 * @param interval milliseconds between two attempts
 */
export async function eventually<Value>(
  check: () => Value | Promise<Value>,
  interval = 20,
): Promise<Value> {
  return vi.waitFor(check, { timeout: 40_000, interval });
}
