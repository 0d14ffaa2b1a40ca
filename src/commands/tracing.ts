import type { Tracer } from '../client/tracer.ts';

/** The trace of a command, which a collector receives at the end. */
export interface Tracing extends Tracer {
  readonly traceId: string;
  /** Variables that let a child process continue the trace. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Ends the span of the command, and sends all spans. Never rejects.
   * @returns what happened, for `--verbose`
   */
  finish(command: string, exitCode: number): Promise<string>;
}
