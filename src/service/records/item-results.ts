import type * as z from 'zod/mini';
import type { itemResult } from '../../catalog/fields.ts';

export type ItemResult = z.output<typeof itemResult>;

/** Creates an empty map of results by ID. Without a prototype, `__proto__` is an ordinary ID. */
export function createItemResults(): Record<string, ItemResult> {
  return Object.create(null);
}

export function alreadyExists(noun: string): ItemResult {
  return { success: false, message: `${noun} already exists`, code: 'already-exists' };
}

export function notFound(noun: string): ItemResult {
  return { success: false, message: `${noun} not found.`, code: 'not-found' };
}
