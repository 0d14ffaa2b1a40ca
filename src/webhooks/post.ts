import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { withKnownAuthorities } from '../kernel/certificate-authorities.ts';
import { connectionFault } from '../kernel/connection-fault.ts';
import { messageOf, systemErrorCode } from '../kernel/errors.ts';
import type { HeaderList } from './headers.ts';

/** A delivery on its way to a receiver. */
export interface Outgoing {
  /** POST, unless something else is tried. */
  readonly method?: string;
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body: string | Uint8Array;
}

/** What a receiver said, or why it said nothing. */
export type Receipt =
  | { readonly status: number; readonly body: string; readonly milliseconds: number }
  | { readonly status: null; readonly error: string; readonly timedOut: boolean; readonly milliseconds: number };

export interface PostOptions {
  /** Milliseconds until the status has to be there. */
  readonly timeout: number;
  /** Certificates in PEM form, trusted besides the authorities that Node knows. */
  readonly authorities?: string | undefined;
  readonly signal: AbortSignal;
  /** How the body goes out, if not at once. It is given the request with its headers, and has to end it. */
  readonly write?: (request: ClientRequest, body: Buffer) => void;
  /** Bytes kept of an answer, which usually says something to people only. */
  readonly answerLimit?: number;
}

const ANSWER_LIMIT = 64 * 1024;

/**
 * Sends a delivery over a connection of its own: one that was kept may be closed by the receiver at that moment.
 * Redirects are not followed.
 * @throws the signal's reason when that aborts; whatever else happens is in the receipt.
 */
export async function post(outgoing: Outgoing, options: PostOptions): Promise<Receipt> {
  const { timeout, authorities, signal, answerLimit = ANSWER_LIMIT, write = atOnce } = options;
  const started = performance.now();
  const passed = () => Math.round(performance.now() - started);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeout)]);
  try {
    const way = { signal: limit, ...(authorities && { ca: await withKnownAuthorities(authorities) }) };
    const response = await answered(outgoing, way, write);
    const milliseconds = passed();
    const body = await bodyOf(response, answerLimit);
    return { status: response.statusCode ?? 0, body, milliseconds };
  } catch (error) {
    signal.throwIfAborted();
    const timedOut = limit.aborted;
    return { status: null, error: failureOf(error, timedOut, timeout), timedOut, milliseconds: passed() };
  }
}

/** Resolves once the status is there. */
function answered(
  { url, method = 'POST', headers, body }: Outgoing,
  options: RequestOptions,
  write: NonNullable<PostOptions['write']>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = open(url, { ...options, method, agent: false });
    request.on('error', reject).on('response', (response) => {
      // Who has answered before the end does not want the rest.
      response.on('end', () => request.writableFinished || request.destroy());
      resolve(response);
    });
    for (const [name, lines] of Map.groupBy(headers, ([name]) => name.toLowerCase())) {
      const values = lines.map(([, value]) => value);
      request.setHeader(lines[0]?.[0] ?? name, values.length === 1 ? (values[0] ?? '') : values);
    }
    // Node sends a text together with the headers, and these as UTF-8 then, which they are not.
    const bytes = Buffer.from(body);
    if (method === 'POST') request.setHeader('content-length', bytes.length);
    write(request, bytes);
  });
}

function atOnce(request: ClientRequest, body: Buffer): void {
  request.end(body);
}

/** The beginning of an answer. The status has been given by now: an answer that breaks off is one all the same. */
async function bodyOf(response: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= limit) break;
    }
  } catch (error) {
    if (length === 0) return `(the answer broke off: ${systemErrorCode(error) ?? 'cut'})`;
  }
  return Buffer.concat(chunks).subarray(0, limit).toString();
}

function failureOf(error: unknown, timedOut: boolean, timeout: number): string {
  if (timedOut) return `no answer within ${timeout / 1000} s`;
  return connectionFault(error) ?? messageOf(error);
}
