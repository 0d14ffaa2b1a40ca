import type { ServiceResponse } from './envelope.ts';

/**
 * Consumes the next chunk of a body.
 * @returns a promise if the sender must wait before it sends more
 */
export type ChunkConsumer = (chunk: Uint8Array) => Promise<void> | undefined;

/** A request, independent of its transport. */
export interface ServiceRequest {
  readonly method: string;
  /** The request target as sent: a path with an optional query, or an absolute URL. */
  readonly target: string;
  /** Returns the value of a header. The name must be in lower case. */
  header(name: string): string | undefined;
  /**
   * Passes the body to `consume` in chunks, and resolves at its end.
   * @throws if the sender disconnects before the end; also errors of `consume`
   */
  body(consume: ChunkConsumer): Promise<void>;
}

/** Handles a request. Never rejects: failures are responses too. */
export type RequestHandler = (request: ServiceRequest) => Promise<ServiceResponse>;
