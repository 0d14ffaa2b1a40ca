import { SvcError } from '../../kernel/errors.ts';
import { deliveryHeaders, type Proof } from '../../webhooks/delivery.ts';
import { packBody } from '../../webhooks/payload.ts';
import { signingKey } from '../../webhooks/signature.ts';
import { storedConfig } from '../records/configs.ts';
import type { DeliveryForm } from '../store/delivery-tables.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { Post } from './post.ts';

export interface Addressed {
  readonly apiKey: string;
  readonly form: DeliveryForm;
  readonly lane: string;
}

export interface Message {
  readonly id: string;
  readonly payload: string;
}

/** Where deliveries of a lane go, as things are now. */
export interface Destination {
  /** Deliveries a second; no limit when undefined. */
  readonly rateLimit?: number | undefined;
  /**
   * The request of one attempt.
   * @throws SvcError `bad_data` where the key to encrypt with, or the secret to sign with, is none
   */
  compose(message: Message, now: number): Post;
}

/** The destination of a lane, or why nothing may be sent to it. */
export async function destinationOf(database: Database, to: Addressed): Promise<Destination | string> {
  return to.form === 'advanced' ? endpoint(database, to) : basic(database, to, to.form);
}

async function endpoint(database: Database, { apiKey, lane }: Addressed): Promise<Destination | string> {
  const [found] = await selectEndpoint(database, { apiKey, id: lane });
  if (!found) return 'the endpoint was deleted';
  if (found.disabled === 1) return 'the endpoint is disabled';
  const config = await storedConfig({ database, apiKey }, 'advanced-webhooks');
  if (!config?.isEnabled) return 'advanced webhooks are disabled';
  let key: ReturnType<typeof signingKey> | undefined;
  return {
    rateLimit: found.rateLimit ?? undefined,
    compose: ({ id, payload }, now) => {
      key ??= signingKey(found.secret);
      const proof = { form: 'advanced', id, timestamp: Math.floor(now / 1_000), secret: key } as const;
      return posted(found.url, packed(payload, config), proof);
    },
  };
}

const selectEndpoint = prepared((database, { apiKey, id }: { readonly apiKey: string; readonly id: string }) =>
  database
    .selectFrom('endpoints')
    .select(['url', 'secret', 'rateLimit', 'disabled'])
    .where('apiKey', '=', apiKey)
    .where('id', '=', id),
);

async function basic(
  database: Database,
  { apiKey }: Addressed,
  form: Exclude<DeliveryForm, 'advanced'>,
): Promise<Destination | string> {
  const { useWebhookService, webhookServiceConfig = {} } = (await storedConfig({ database, apiKey }, 'webhooks')) ?? {};
  if (!useWebhookService) return 'basic webhooks are disabled';
  const url = webhookServiceConfig[`${form}NotificationUrl`];
  if (!url) return `${form}NotificationUrl is not set`;
  const { authToken } = webhookServiceConfig;
  return {
    compose: ({ id, payload }) => {
      const proof = { form: 'basic', id, timestamp: 0, authToken: authToken || undefined } as const;
      return posted(url, packed(payload, webhookServiceConfig), proof);
    },
  };
}

function posted(url: string, body: string, proof: Proof): Post {
  return { url, headers: { ...Object.fromEntries(deliveryHeaders(proof, body)), 'user-agent': 'svc-webhooks' }, body };
}

interface Packing {
  readonly encodeData?: boolean | undefined;
  readonly encryptData?: boolean | undefined;
  readonly publicKey?: string | undefined;
}

/** What is to be encrypted, and cannot be, is not sent. */
function packed(payload: string, { encodeData = false, encryptData, publicKey = '' }: Packing): string {
  if (!encryptData) return packBody(payload, { encode: encodeData });
  if (publicKey.trim() === '') throw new SvcError('bad_data', 'encryptData is on, and there is no publicKey');
  return packBody(payload, { encode: encodeData, encryptFor: publicKey });
}
