export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
}

/** Parses the W3C form of a trace context. Undefined if the text is missing or invalid. */
export function parseTraceParent(text: string | undefined): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  const isValid = version !== undefined && version !== 'ff' && /[1-9a-f]/.test(traceId);
  return isValid && /[1-9a-f]/.test(spanId) ? { traceId, spanId, flags } : undefined;
}

export function formatTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** Longest state that is passed on, in characters. */
const MAX_STATE = 512;

/**
 * Returns the headers that continue the trace of the environment: none without a valid
 * `TRACEPARENT`.
 */
export function traceHeadersOf(environment: {
  readonly [name: string]: string | undefined;
}): Readonly<Record<string, string>> {
  const parent = parseTraceParent(environment['TRACEPARENT']);
  if (!parent) return {};
  const state = environment['TRACESTATE'] ?? '';
  const isValidState = state.length <= MAX_STATE && /^[\x20-\x7e]+$/.test(state);
  return { traceparent: formatTraceParent(parent), ...(isValidState && { tracestate: state }) };
}
