import type { ServiceResponse } from './envelope.ts';

/** @returns a promise if the sender must wait before the next chunk */
export type ChunkConsumer = (chunk: Uint8Array) => Promise<void> | undefined;

export interface ServiceRequest {
  readonly method: string;
  /** The unmodified request target: a path with an optional query, or an absolute URL. */
  readonly target: string;
  /** Whether the caller is part of this process, and so can read the store itself. */
  readonly isInProcess?: boolean;
  header(name: string): string | undefined;
  /** Whether the body did not arrive with the head, and may never arrive. */
  readonly isBodyPending?: boolean;
  /**
   * Passes the body to `consume` in chunks, and resolves at its end.
   * @throws if the sender disconnects early; also the errors of `consume`
   */
  body(consume: ChunkConsumer): Promise<void>;
}

export type RequestHandler = (request: ServiceRequest) => Promise<ServiceResponse>;
