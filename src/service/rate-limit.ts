import type { KeyCall, ServiceCall, WorkspaceCall } from './call.ts';
import { Refusal } from './refusal.ts';

/** Maximum calls of a credential per window, in milliseconds. */
export interface CallRate {
  readonly calls: number;
  readonly window: number;
}

/**
 * Creates a rate limiter. The first call of a credential starts a window; the first call after its end starts a new one.
 * @returns a function that counts a call, and throws a Refusal RESOURCE_EXHAUSTED if it exceeds the limit
 */
export function createRateLimiter({ calls, window }: CallRate): (call: ServiceCall | KeyCall | WorkspaceCall) => void {
  const windows = new Map<string, { readonly end: number; count: number }>();
  return (call) => {
    const credential = countKey(call);
    const known = windows.get(credential);
    // A window that starts in the future precedes a clock change.
    const isOpen = known && call.now < known.end && call.now >= known.end - window;
    const current = isOpen ? known : { end: call.now + window, count: 0 };
    windows.set(credential, current);
    if (current.count >= calls) {
      throw new Refusal('RESOURCE_EXHAUSTED', 'Rate limit exceeded. Try again after 1 minute.');
    }
    current.count++;
  };
}

/** Returns the key of a call's count. Calls without credentials share one count. */
function countKey(call: ServiceCall | KeyCall | WorkspaceCall): string {
  if ('apiKey' in call) return `key ${call.apiKey}`;
  return 'workspaceId' in call ? `workspace ${call.workspaceId}` : 'none';
}
