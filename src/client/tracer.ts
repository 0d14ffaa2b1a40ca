export interface TracedOperation {
  readonly command?: readonly string[];
  readonly path: string;
}

/** Records spans of calls and attempts. Must not throw. */
export interface Tracer {
  startCall(operation: TracedOperation): CallSpan;
}

export interface CallSpan {
  startAttempt(attempt: number, url: string): AttemptSpan;
  /** @param failure kind of the error, if the call failed */
  end(failure?: string): void;
}

export interface AttemptSpan {
  /** Headers that let the service continue the trace. */
  readonly headers: Readonly<Record<string, string>>;
  end(httpStatus: number | undefined): void;
}
