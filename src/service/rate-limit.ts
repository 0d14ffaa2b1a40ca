import type { KeyCall, ServiceCall, WorkspaceCall } from './call.ts';
import { Refusal } from './refusal.ts';

/** Maximum number of calls per credential and window. The window is in milliseconds. */
export interface CallRate {
  readonly calls: number;
  readonly window: number;
}

/**
 * Creates a rate limiter. The first call of a credential starts a window. The first call after the window starts the
 * next.
 * @returns a function that counts a call and throws a Refusal RESOURCE_EXHAUSTED if the call exceeds the limit
 */
export function createRateLimiter({ calls, window }: CallRate): (call: ServiceCall | KeyCall | WorkspaceCall) => void {
  const windows = new Map<string, { readonly end: number; count: number }>();
  return (call) => {
    const credential = countKey(call);
    const known = windows.get(credential);
    // If a window starts in the future, the clock was changed.
    const isOpen = known && call.now < known.end && call.now >= known.end - window;
    const current = isOpen ? known : { end: call.now + window, count: 0 };
    windows.set(credential, current);
    if (current.count >= calls) {
      throw new Refusal('RESOURCE_EXHAUSTED', 'Rate limit exceeded. Try again after 1 minute.');
    }
    current.count++;
  };
}

/** Returns the credential of a call. All calls without credentials share a limit. */
function countKey(call: ServiceCall | KeyCall | WorkspaceCall): string {
  if ('apiKey' in call) return `key ${call.apiKey}`;
  return 'workspaceId' in call ? `workspace ${call.workspaceId}` : 'none';
}
