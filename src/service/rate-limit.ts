import type { Call, KeyCall, WorkspaceCall } from './call.ts';
import { Refusal } from './refusal.ts';

/** How many calls a credential may make in how many milliseconds. */
export interface Rate {
  readonly calls: number;
  readonly window: number;
}

/**
 * Counts the calls of each credential. Its first call opens a window; when that has passed, the count begins anew.
 * @returns a function that counts a call, and throws a Refusal RESOURCE_EXHAUSTED when it is one too many
 */
export function rateLimiter({ calls, window }: Rate): (call: Call | KeyCall | WorkspaceCall) => void {
  const opened = new Map<string, { readonly end: number; count: number }>();
  return (call) => {
    const credential = credentialOf(call);
    const known = opened.get(credential);
    // A window that begins in the future was opened before the clock was set back.
    const isOpen = known && call.now < known.end && call.now >= known.end - window;
    const current = isOpen ? known : { end: call.now + window, count: 0 };
    opened.set(credential, current);
    if (current.count >= calls) {
      throw new Refusal('RESOURCE_EXHAUSTED', 'Rate limit exceeded. Try again after 1 minute.');
    }
    current.count++;
  };
}

/** Calls that carry no credential share one count. */
function credentialOf(call: Call | KeyCall | WorkspaceCall): string {
  if ('apiKey' in call) return `key ${call.apiKey}`;
  return 'workspaceId' in call ? `workspace ${call.workspaceId}` : 'none';
}
