import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { withDefaultAuthorities } from '../kernel/certificate-authorities.ts';
import { MAX_TIMER } from '../kernel/clock.ts';
import { describeConnectionError } from '../kernel/connection-error.ts';
import { messageOf, systemErrorCode } from '../kernel/errors.ts';
import { monotonicTime } from '../kernel/process.ts';
import type { HeaderList } from './headers.ts';
import { describeBody, MAX_KEPT_BYTES } from './response-body.ts';

export interface OutgoingRequest {
  /** The HTTP method (default: POST). */
  readonly method?: string;
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body: string | Uint8Array;
}

export type PostResult =
  | {
      readonly status: number;
      readonly body: string;
      readonly milliseconds: number;
      /** Describes the body in 1 kB, with secrets masked; see `describeBody`. */
      readonly describeBody: (secrets: readonly string[]) => string | null;
    }
  | {
      readonly status: null;
      readonly error: string;
      readonly timedOut: boolean;
      readonly milliseconds: number;
    };

export interface PostOptions {
  /** Time limit for the response status, in milliseconds. */
  readonly timeout: number;
  /** Certificates in PEM format, trusted in addition to the default authorities of Node.js. */
  readonly authorities?: string | undefined;
  readonly signal: AbortSignal;
  /** Writes the body and ends the request (default: writes it at once). */
  readonly write?: (request: ClientRequest, body: Buffer) => void;
  /** Maximum bytes to keep of the response body, which is usually only informative. */
  readonly responseLimit?: number;
}

const RESPONSE_LIMIT = 64 * 1024;

/**
 * Opens a new connection, because the receiver may close an idle one. Follows no redirects.
 * @throws the signal's reason
 */
export async function sendPost(
  outgoing: OutgoingRequest,
  options: PostOptions,
): Promise<PostResult> {
  const { timeout, authorities, signal, responseLimit = RESPONSE_LIMIT } = options;
  const { write = (request, body) => request.end(body) } = options;
  const started = monotonicTime();
  const elapsed = () => Math.round(monotonicTime() - started);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(Math.min(timeout, MAX_TIMER))]);
  try {
    const requestOptions = {
      signal: limit,
      ...(authorities && { ca: withDefaultAuthorities(authorities) }),
    };
    const response = await sendRequest(outgoing, requestOptions, write);
    const milliseconds = elapsed();
    const { bytes, isComplete, problem } = await readBody(response, responseLimit);
    return {
      status: response.statusCode ?? 0,
      body: problem ?? bytes.toString(),
      milliseconds,
      describeBody: (secrets) => {
        const start = bytes.subarray(0, MAX_KEPT_BYTES);
        const isWhole = isComplete && start.length === bytes.length;
        const described = { chunks: [start], isComplete: isWhole };
        return problem ?? describeBody(response.headers, described, secrets);
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    const timedOut = limit.aborted;
    const reason = describeConnectionError(error) ?? messageOf(error);
    const problem = timedOut ? `no response within ${timeout / 1000} s` : reason;
    return { status: null, error: problem, timedOut, milliseconds: elapsed() };
  }
}

function sendRequest(
  { url, method = 'POST', headers, body }: OutgoingRequest,
  options: RequestOptions,
  write: NonNullable<PostOptions['write']>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = open(url, { ...options, method, agent: false });
    request.on('error', reject).on('response', (response) => {
      // A receiver may respond before the end of the body. The rest is not sent.
      response.on('end', () => request.writableFinished || request.destroy());
      resolve(response);
    });
    for (const [name, value] of headers) request.appendHeader(name, value);
    // Node.js sends a string body together with the headers, and would encode both as UTF-8.
    const bytes = Buffer.from(body);
    if (method === 'POST') request.setHeader('content-length', bytes.length);
    write(request, bytes);
  });
}

/**
 * Reads the start of a response body. Ignores a connection error after the first byte, because the
 * status has arrived.
 */
async function readBody(response: IncomingMessage, limit: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  let isComplete = false;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= limit) break;
    }
    isComplete = length < limit;
  } catch (error) {
    const reason = systemErrorCode(error) ?? messageOf(error);
    const bytes = Buffer.concat(chunks);
    if (length === 0)
      return { bytes, isComplete, problem: `(the response was cut off: ${reason})` };
  }
  return { bytes: Buffer.concat(chunks).subarray(0, limit), isComplete };
}

interface ReadBody {
  readonly bytes: Buffer;
  readonly isComplete: boolean;
  /** Why there is no body. */
  readonly problem?: string;
}
