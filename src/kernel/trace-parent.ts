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
}): TraceHeaders {
  return createTraceHeaders(environment['TRACEPARENT'], environment['TRACESTATE']);
}

export type TraceHeaders = {
  readonly traceparent?: string;
  readonly tracestate?: string;
};

/** Creates the headers that continue a trace: none if the parent is missing or invalid. */
export function createTraceHeaders(parentText: string | undefined, state = ''): TraceHeaders {
  const parent = parseTraceParent(parentText);
  if (!parent) return {};
  const isValidState = state.length <= MAX_STATE && /^[\x20-\x7e]+$/.test(state);
  return { traceparent: formatTraceParent(parent), ...(isValidState && { tracestate: state }) };
}

const PARENT_LENGTH = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'.length;

/** Formats trace headers as one text, which `parseTrace` reads. Null without a trace. */
export function formatTrace({ traceparent, tracestate }: TraceHeaders): string | null {
  if (traceparent === undefined) return null;
  return tracestate === undefined ? traceparent : `${traceparent} ${tracestate}`;
}

export function parseTrace(text: string | null): TraceHeaders {
  return createTraceHeaders(text?.slice(0, PARENT_LENGTH), text?.slice(PARENT_LENGTH + 1));
}
