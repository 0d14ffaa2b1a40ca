import type { Answer } from './envelope.ts';

/** A request as the service needs it, whichever way it came in. */
export interface ServiceRequest {
  readonly method: string;
  /** As it was sent: a path, which a query may follow, or a whole URL. */
  readonly target: string;
  /** The value of a header, whose name is given in small letters. */
  header(name: string): string | undefined;
  /**
   * All of the body, or nothing when it is larger than `LARGEST_BODY`.
   * @throws when its sender leaves before its end
   */
  body(): Promise<Buffer | undefined>;
}

/** The service: whatever is asked has an answer. */
export type Answerer = (request: ServiceRequest) => Promise<Answer>;
