import { vi } from 'vitest';

/**
 * What `check` gives once it throws no more. A busy machine takes its time, so that only a fault takes as long as this waits.
 *
 * @param interval milliseconds between two looks
 */
export async function eventually<Given>(check: () => Given | Promise<Given>, interval = 20): Promise<Given> {
  return vi.waitFor(check, { timeout: 40_000, interval });
}
