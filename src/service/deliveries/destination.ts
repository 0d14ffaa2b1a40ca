import { SvcError } from '../../kernel/errors.ts';
import { parseTrace } from '../../kernel/trace-parent.ts';
import { createDeliveryHeaders, type DeliveryProof } from '../../webhooks/delivery.ts';
import { packBody } from '../../webhooks/payload.ts';
import { parseSigningSecret, signingSecretForms } from '../../webhooks/signature.ts';
import { findConfig } from '../records/configs.ts';
import { prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { DeliveryForm } from '../store/tables.ts';
import type { DeliveryRequest } from './http-sender.ts';
import type { DeliveryTarget } from './subscriptions.ts';

export interface LaneRef extends DeliveryTarget {
  readonly apiKey: string;
}

interface Message {
  readonly id: string;
  readonly payload: string;
  readonly trace: string | null;
}

export interface DeliveryDestination {
  /** Custom ID of the endpoint. */
  readonly uid?: string | null;
  /** Maximum deliveries per second (default: unlimited). */
  readonly rateLimit?: number | undefined;
  /** @throws SvcError `invalid_input` if the encryption key or the signing secret is invalid */
  composeRequest(message: Message, now: number): DeliveryRequest;
}

/** Finds the destination of a lane, or returns the reason why the lane has none. */
export async function resolveDestination(
  database: Database,
  lane: LaneRef,
): Promise<DeliveryDestination | string> {
  return lane.form === 'advanced'
    ? endpointDestination(database, lane)
    : basicDestination(database, lane, lane.form);
}

async function endpointDestination(
  database: Database,
  { apiKey, lane }: LaneRef,
): Promise<DeliveryDestination | string> {
  const [found] = await selectEndpoint(database, { apiKey, id: lane });
  if (!found) return 'the endpoint was deleted';
  if (found.disabled === 1) return 'the endpoint is disabled';
  const config = await findConfig({ database, apiKey }, 'advanced-webhooks');
  if (!config?.isEnabled) return 'advanced webhooks are disabled';
  let key: ReturnType<typeof parseSigningSecret> | undefined;
  const secrets = signingSecretForms(found.secret);
  return {
    uid: found.uid,
    rateLimit: found.rateLimit ?? undefined,
    composeRequest: ({ id, payload, trace }, now) => {
      key ??= parseSigningSecret(found.secret);
      const proof = {
        form: 'advanced',
        id,
        timestamp: Math.floor(now / 1_000),
        secret: key,
      } as const;
      return createRequest(found.url, encodeBody(payload, config), { proof, trace, secrets });
    },
  };
}

const selectEndpoint = prepareSelect('endpoints', [
  'uid',
  'url',
  'secret',
  'rateLimit',
  'disabled',
]);

async function basicDestination(
  database: Database,
  { apiKey }: LaneRef,
  form: Exclude<DeliveryForm, 'advanced'>,
): Promise<DeliveryDestination | string> {
  const { useWebhookService, webhookServiceConfig = {} } =
    (await findConfig({ database, apiKey }, 'webhooks')) ?? {};
  if (!useWebhookService) return 'basic webhooks are disabled';
  const url = webhookServiceConfig[`${form}NotificationUrl`];
  if (!url) return `${form}NotificationUrl is not set`;
  const { authToken } = webhookServiceConfig;
  const secrets = authToken ? [authToken] : [];
  return {
    composeRequest: ({ id, payload, trace }) => {
      const proof = { form: 'basic', id, timestamp: 0, authToken: authToken || undefined } as const;
      return createRequest(url, encodeBody(payload, webhookServiceConfig), {
        proof,
        trace,
        secrets,
      });
    },
  };
}

interface RequestParts extends Pick<Message, 'trace'>, Pick<DeliveryRequest, 'secrets'> {
  readonly proof: DeliveryProof;
}

function createRequest(
  url: string,
  body: string,
  { proof, trace, secrets }: RequestParts,
): DeliveryRequest {
  return {
    url,
    secrets,
    headers: {
      ...Object.fromEntries(createDeliveryHeaders(proof, body)),
      'user-agent': 'svc-webhooks',
      ...parseTrace(trace),
    },
    body,
  };
}

interface BodyOptions {
  readonly encodeData?: boolean | undefined;
  readonly encryptData?: boolean | undefined;
  readonly publicKey?: string | undefined;
}

/** Encodes or encrypts a payload as configured. If encryption is on, never returns plain text. */
function encodeBody(
  payload: string,
  { encodeData = false, encryptData, publicKey = '' }: BodyOptions,
): string {
  if (!encryptData) return packBody(payload, { encode: encodeData });
  if (publicKey.trim() === '')
    throw new SvcError('invalid_input', 'encryptData is on, but publicKey is not set');
  return packBody(payload, { encode: encodeData, encryptFor: publicKey });
}
