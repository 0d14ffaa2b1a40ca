import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { isObject } from '../kernel/is-object.ts';
import { eventNameOf } from './event.ts';
import { type Form, SIGNATURE_HEADERS } from './form.ts';
import { headersByName, headerValues, passedOn, without } from './headers.ts';
import { type Unpacked, unpackBody } from './payload.ts';
import { type Outgoing, type PostOptions, post } from './post.ts';
import type { Arrival, Reply } from './receiver.ts';
import type { Recording } from './recording.ts';
import { type Route, targetOf } from './routes.ts';
import { looksSigned, type Proofs, verifyDelivery } from './verification.ts';

/** What became of the forwarding of a delivery; `status` is null where the target did not answer. */
export interface Forwarded {
  readonly status: number | null;
  readonly error?: string;
}

/** A delivery that was taken in. */
export interface TakenDelivery {
  readonly id: string;
  readonly event: string;
  readonly form: Form;
  readonly verified: boolean;
  /** RFC 3339, in UTC. */
  readonly receivedAt: string;
  /** Null when it goes nowhere. */
  readonly forwarded: Forwarded | null;
  /** Decoded and decrypted; null when it cannot be. */
  readonly payload: unknown;
}

export type ListenerEvent =
  /** `accepted`: the sender got a 2xx, and will not send it again. `fault` says why the payload cannot be read. */
  | { readonly kind: 'taken'; readonly delivery: TakenDelivery; readonly accepted: boolean; readonly fault?: string }
  | { readonly kind: 'repeated'; readonly id: string; readonly event: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface Forwarding {
  readonly routes: readonly Route[];
  readonly otherwise?: URL | undefined;
  /** Send the payload as JSON instead of the bytes as they came. */
  readonly decoded: boolean;
  readonly how: Omit<PostOptions, 'signal'>;
}

export interface ListenerWorld {
  readonly proofs: Proofs;
  /** Takes deliveries that nothing verifies too; they are marked. */
  readonly skipVerify: boolean;
  readonly privateKey?: string | undefined;
  readonly forwarding: Forwarding;
  readonly recording?: Recording | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The sender has its answer only after this has settled. */
  readonly emit: (event: ListenerEvent) => Promise<void>;
}

/** The ids of deliveries that are done, so that one that comes again is not passed on again. */
const REMEMBERED = 100_000;

const UNVERIFIED: Reply = { status: 401, text: 'unverified' };
const UNREADABLE: Reply = { status: 400, text: 'the body is not readable JSON' };
const TAKEN: Reply = { status: 200, text: 'ok' };
const NOT_FORWARDED: Reply = { status: 502, text: 'the target did not take it' };

/**
 * Answers deliveries: verifies the bytes as they came, then reads them, records them, passes them on and remembers
 * their ids, in this order. The answer is a 2xx only after the target's.
 */
export function createListener(world: ListenerWorld): (arrival: Arrival) => Promise<Reply> {
  const done = new Set<string>();
  const underWay = new Map<string, Promise<Reply>>();

  const refuse = async (reason: string, reply: Reply) => {
    await world.emit({ kind: 'refused', reason });
    return reply;
  };

  return async (arrival) => {
    const headers = headersByName(arrival.headers);
    const verification = verifyDelivery(world.proofs, { headers, body: arrival.body }, world.clock.now());
    if (!verification.verified && !world.skipVerify) return refuse(verification.reason, UNVERIFIED);
    if (!isUtf8(arrival.body)) return refuse('the body is not valid UTF-8', UNREADABLE);
    const unpacked = unpackBody(arrival.body.toString(), world.privateKey);
    if (unpacked.how === 'unreadable') return refuse(unpacked.reason, UNREADABLE);

    const [key] = headerValues(headers, SIGNATURE_HEADERS.id);
    const form = verification.verified ? verification.form : looksSigned(headers) ? 'advanced' : 'basic';
    const payload = 'payload' in unpacked ? unpacked.payload : null;
    const arrived: Arrived = {
      ...{ arrival, unpacked, form, payload, verified: verification.verified },
      id: key ?? idOf(payload),
      event: eventNameOf(payload),
      receivedAt: new Date(world.clock.now()).toISOString(),
    };
    if (key === undefined) return settle(world, arrived);
    if (done.has(key)) {
      await world.emit({ kind: 'repeated', id: key, event: arrived.event });
      return TAKEN;
    }
    const earlier = underWay.get(key);
    if (earlier) return earlier;
    const settled = settle(world, arrived)
      .then((reply) => {
        if (reply === TAKEN) remember(done, key);
        return reply;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, settled);
    return settled;
  };
}

/** A delivery that was verified and read. */
interface Arrived extends Omit<TakenDelivery, 'forwarded'> {
  readonly arrival: Arrival;
  readonly unpacked: Unpacked;
}

async function settle(world: ListenerWorld, arrived: Arrived): Promise<Reply> {
  const { arrival, unpacked, id, event, form, verified, receivedAt, payload } = arrived;
  const { path, headers, body } = arrival;
  const head = { id, event, form, verified, receivedAt };
  await world.recording?.add({ ...head, path, headers, body: body.toString() });
  const forwarded = await forward(world, arrived);
  const accepted = forwarded === null || isSuccess(forwarded);
  const fault = 'reason' in unpacked ? { fault: unpacked.reason } : {};
  await world.emit({ kind: 'taken', delivery: { ...head, forwarded, payload }, accepted, ...fault });
  return accepted ? TAKEN : NOT_FORWARDED;
}

async function forward({ forwarding, signal }: ListenerWorld, arrived: Arrived): Promise<Forwarded | null> {
  const url = targetOf(arrived.event, forwarding.routes, forwarding.otherwise);
  if (!url) return null;
  const outgoing = forwarding.decoded ? decodedRequest(url, arrived) : originalRequest(url, arrived);
  if (!outgoing) return { status: null, error: 'there is no decoded body to forward' };
  const receipt = await post(outgoing, { ...forwarding.how, signal });
  return receipt.status === null ? { status: null, error: receipt.error } : { status: receipt.status };
}

function originalRequest(url: URL, { arrival }: Arrived): Outgoing {
  return { url, headers: passedOn(arrival.headers), body: arrival.body };
}

/** The payload alone: what was signed is not what is sent, so the signature stays behind. */
function decodedRequest(url: URL, { arrival, unpacked }: Arrived): Outgoing | undefined {
  if (!('json' in unpacked)) return undefined;
  const headers = without(passedOn(arrival.headers), [SIGNATURE_HEADERS.signature, 'content-type']);
  return { url, headers: [...headers, ['content-type', 'application/json']], body: unpacked.json };
}

export function isSuccess({ status }: Pick<Forwarded, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** A basic delivery carries the id of its event in the payload only. */
function idOf(payload: unknown): string {
  const id = isObject(payload) ? payload['webhookId'] : undefined;
  return typeof id === 'string' && id !== '' ? id : `unnamed_${randomBytes(8).toString('hex')}`;
}

function remember(ids: Set<string>, id: string): void {
  ids.add(id);
  const [oldest] = ids;
  if (ids.size > REMEMBERED && oldest !== undefined) ids.delete(oldest);
}
