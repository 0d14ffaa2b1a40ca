import type * as z from 'zod';
import type { itemResult } from '../../catalog/fields.ts';

export type ItemResult = z.output<typeof itemResult>;

/** The results of a bulk call under the caller's ids. It has no prototype, so that `__proto__` is an id like any other. */
export function itemResults(): Record<string, ItemResult> {
  return Object.create(null);
}

export function alreadyExists(noun: string): ItemResult {
  return { success: false, message: `${noun} already exists`, code: 'already-exists' };
}

export function notFound(noun: string): ItemResult {
  return { success: false, message: `${noun} not found.`, code: 'not-found' };
}
