import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { isObject } from '../kernel/json.ts';
import { eventNameOf } from './event.ts';
import { SIGNATURE_HEADERS } from './form.ts';
import { groupHeaders, headerValuesOf, selectForwardedHeaders, withoutHeaders } from './headers.ts';
import { type UnpackedBody, unpackBody } from './payload.ts';
import { type OutgoingRequest, type PostOptions, sendPost } from './post.ts';
import type { ReceivedRequest, ReceiverResponse } from './receiver.ts';
import type { DeliveryHead, Recording } from './recording.ts';
import { type ForwardingRoute, findTarget, matchesPattern } from './routes.ts';
import {
  hasSignatureHeaders,
  signingSecretForms,
  type VerificationSecrets,
  verifyDelivery,
  withNewSignature,
} from './signature.ts';

export interface ForwardResult {
  readonly status: number | null;
  /** Milliseconds until the response, or until the failure. */
  readonly milliseconds: number;
  readonly error?: string;
  /** The first 1 kB of the response as text, with secrets masked. */
  readonly body?: string;
}

export interface ReceivedDeliveryEvent extends DeliveryHead {
  /** Time of the replay, in the format of `receivedAt`. */
  readonly replayedAt?: string;
  readonly forwarded: ForwardResult | null;
  /** The decoded and decrypted payload; null if that fails. */
  readonly payload: unknown;
}

export type ListenerEvent =
  /**
   * `accepted`: the sender got a 2xx and does not retry. `payloadProblem`: why the payload cannot
   * be read.
   */
  | {
      readonly kind: 'received';
      readonly delivery: ReceivedDeliveryEvent;
      readonly accepted: boolean;
      readonly payloadProblem?: string;
    }
  | { readonly kind: 'replayed'; readonly delivery: ReceivedDeliveryEvent }
  | { readonly kind: 'filtered'; readonly event: string }
  | { readonly kind: 'duplicate'; readonly id: string; readonly event: string }
  | { readonly kind: 'rejected'; readonly reason: string };

export interface Forwarding {
  readonly routes: readonly ForwardingRoute[];
  readonly defaultTarget?: URL | undefined;
  /** Whether to send the decoded payload as JSON instead of the original bytes. */
  readonly isDecoded: boolean;
  readonly postOptions: Omit<PostOptions, 'signal'>;
}

export interface ListenerDependencies {
  readonly proofs: VerificationSecrets;
  readonly skipVerify: boolean;
  readonly privateKey?: string | undefined;
  /**
   * Secret that recorded and forwarded deliveries are signed with again (default: keep the original
   * signature).
   */
  readonly relaySecret?: string | undefined;
  /** Patterns of the event types to process (default: all). */
  readonly events?: readonly string[] | undefined;
  readonly forwarding: Forwarding;
  readonly recording?: Recording | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reports an event. The sender gets the response only after this promise has resolved. */
  readonly emit: (event: ListenerEvent) => Promise<void>;
}

const MAX_REMEMBERED_IDS = 100_000;
const UNVERIFIED_RESPONSE: ReceiverResponse = { status: 401, text: 'unverified' };
const UNREADABLE_RESPONSE: ReceiverResponse = { status: 400, text: 'the body is not valid JSON' };
const ACCEPTED_RESPONSE: ReceiverResponse = { status: 200, text: 'ok' };
const NOT_FORWARDED_RESPONSE: ReceiverResponse = {
  status: 502,
  text: 'the target did not accept the delivery',
};
/** Verifies, records, and forwards deliveries. */
export interface Listener {
  readonly handle: (request: ReceivedRequest) => Promise<ReceiverResponse>;
  /** Forwards the latest delivery again. Resolves to false before the first one. */
  readonly replayLast: () => Promise<boolean>;
}

export function createListener(dependencies: ListenerDependencies): Listener {
  const { events = ['*'] } = dependencies;
  let last: ParsedDelivery | undefined;
  const processed = new Set<string>();
  const inFlight = new Map<string, Promise<ReceiverResponse>>();

  const reject = async (reason: string, response: ReceiverResponse) => {
    await dependencies.emit({ kind: 'rejected', reason });
    return response;
  };

  /**
   * Verifies, decodes, records, and forwards a delivery. If there is a target, responds with a 2xx
   * only after the target did. Filtered deliveries and duplicates get a 2xx without being forwarded.
   */
  const handle = async (request: ReceivedRequest): Promise<ReceiverResponse> => {
    const headers = groupHeaders(request.headers);
    const verification = verifyDelivery(
      dependencies.proofs,
      { headers, body: request.body },
      dependencies.clock.now(),
    );
    if (!verification.verified && !dependencies.skipVerify)
      return reject(verification.reason, UNVERIFIED_RESPONSE);
    if (!isUtf8(request.body)) return reject('the body is not valid UTF-8', UNREADABLE_RESPONSE);
    const unpacked = unpackBody(request.body.toString(), dependencies.privateKey);
    if (unpacked.kind === 'unreadable') return reject(unpacked.reason, UNREADABLE_RESPONSE);

    const [key] = headerValuesOf(headers, SIGNATURE_HEADERS.id);
    const form = verification.verified
      ? verification.form
      : hasSignatureHeaders(headers)
        ? 'advanced'
        : 'basic';
    const payload = 'payload' in unpacked ? unpacked.payload : null;
    const { verified } = verification;
    const id = key ?? deliveryIdOf(payload);
    const event = eventNameOf(payload);
    const parsed: ParsedDelivery = {
      head: {
        id,
        event,
        form,
        verified,
        receivedAt: new Date(dependencies.clock.now()).toISOString(),
      },
      payload,
      request: withNewSignature(request, dependencies.relaySecret, dependencies.clock.now()),
      unpacked,
    };
    if (!events.some((pattern) => matchesPattern(event, pattern))) {
      await dependencies.emit({ kind: 'filtered', event });
      return ACCEPTED_RESPONSE;
    }
    last = parsed;
    if (key === undefined) return processDelivery(dependencies, parsed);
    if (processed.has(key)) {
      await dependencies.emit({ kind: 'duplicate', id: key, event });
      return ACCEPTED_RESPONSE;
    }
    const earlier = inFlight.get(key);
    if (earlier) return earlier;
    const processing = processDelivery(dependencies, parsed)
      .then((response) => {
        if (response === ACCEPTED_RESPONSE) remember(processed, key);
        return response;
      })
      .finally(() => inFlight.delete(key));
    inFlight.set(key, processing);
    return processing;
  };

  const replayLast = async (): Promise<boolean> => {
    if (!last) return false;
    await replay(dependencies, last);
    return true;
  };
  return { handle, replayLast };
}

/** Forwards a delivery again, with a new signature because the original one may have expired. */
async function replay(dependencies: ListenerDependencies, parsed: ParsedDelivery): Promise<void> {
  const { relaySecret, proofs, clock } = dependencies;
  const request = withNewSignature(parsed.request, relaySecret ?? proofs.secrets[0], clock.now());
  const forwarded = await forward(dependencies, { ...parsed, request });
  const replayedAt = new Date(clock.now()).toISOString();
  const delivery = { ...parsed.head, replayedAt, forwarded, payload: parsed.payload };
  await dependencies.emit({ kind: 'replayed', delivery });
}

interface ParsedDelivery {
  readonly head: DeliveryHead;
  readonly payload: unknown;
  readonly request: ReceivedRequest;
  readonly unpacked: UnpackedBody;
}

async function processDelivery(
  dependencies: ListenerDependencies,
  parsed: ParsedDelivery,
): Promise<ReceiverResponse> {
  const { head, payload, request, unpacked } = parsed;
  const { path, headers, body } = request;
  await dependencies.recording?.add({ ...head, path, headers, body: body.toString() });
  const forwarded = await forward(dependencies, parsed);
  const accepted = forwarded === null || isSuccessStatus(forwarded);
  const problem = 'reason' in unpacked ? { payloadProblem: unpacked.reason } : {};
  await dependencies.emit({
    kind: 'received',
    delivery: { ...head, forwarded, payload },
    accepted,
    ...problem,
  });
  return accepted ? ACCEPTED_RESPONSE : NOT_FORWARDED_RESPONSE;
}

async function forward(
  { forwarding, proofs, relaySecret, signal }: ListenerDependencies,
  parsed: ParsedDelivery,
): Promise<ForwardResult | null> {
  const url = findTarget(parsed.head.event, forwarding.routes, forwarding.defaultTarget);
  if (!url) return null;
  const { headers, body } = parsed.request;
  const original = { url, headers: selectForwardedHeaders(headers), body };
  const outgoing = forwarding.isDecoded ? decodeRequest(original, parsed) : original;
  if (!outgoing)
    return { status: null, milliseconds: 0, error: 'there is no decoded body to forward' };
  const result = await sendPost(outgoing, { ...forwarding.postOptions, signal });
  const { status, milliseconds } = result;
  if (result.status === null) return { status, milliseconds, error: result.error };
  const secrets = [...proofs.secrets, proofs.authToken, relaySecret].flatMap((secret) =>
    secret === undefined ? [] : signingSecretForms(secret),
  );
  const response = result.describeBody(secrets);
  return { status, milliseconds, ...(response !== null && { body: response }) };
}

/**
 * Replaces the body with the decoded payload. Omits the signature, which covers only the original
 * body.
 */
function decodeRequest(
  original: OutgoingRequest,
  { unpacked }: ParsedDelivery,
): OutgoingRequest | undefined {
  if (!('json' in unpacked)) return undefined;
  const headers = withoutHeaders(original.headers, [SIGNATURE_HEADERS.signature, 'content-type']);
  return {
    ...original,
    headers: [...headers, ['content-type', 'application/json']],
    body: unpacked.json,
  };
}

export function isSuccessStatus({ status }: Pick<ForwardResult, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** Reads a delivery's ID from its payload, because basic deliveries have no ID header. */
function deliveryIdOf(payload: unknown): string {
  const id = isObject(payload) ? payload['webhookId'] : undefined;
  return typeof id === 'string' && id !== '' ? id : `unnamed_${randomBytes(8).toString('hex')}`;
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > MAX_REMEMBERED_IDS && oldest !== undefined) ids.delete(oldest);
}
