import type { Answer } from './envelope.ts';

/**
 * Takes the next part of a body.
 * @returns a promise if its sender has to wait before it sends more
 */
export type Intake = (part: Uint8Array) => Promise<void> | undefined;

/** A request as the service needs it, whichever way it came in. */
export interface ServiceRequest {
  readonly method: string;
  /** As it was sent: a path, which a query may follow, or a whole URL. */
  readonly target: string;
  /** The value of a header, whose name is given in small letters. */
  header(name: string): string | undefined;
  /**
   * Hands over the body part by part, and resolves at its end.
   * @throws when its sender leaves before its end, and what `intake` throws
   */
  body(intake: Intake): Promise<void>;
}

/** The service: whatever is asked has an answer. */
export type Answerer = (request: ServiceRequest) => Promise<Answer>;
