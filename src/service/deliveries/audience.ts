import type { KeyScope } from '../call.ts';
import { storedConfig } from '../records/configs.ts';
import type { DeliveryForm } from '../store/delivery-tables.ts';
import { prepared } from '../store/prepared.ts';

/** Where an event goes: an endpoint, or one of the two URLs of basic webhooks. */
export interface Target {
  readonly form: DeliveryForm;
  readonly lane: string;
}

export interface Wish {
  readonly event: string;
  readonly channels: readonly string[];
  /** A lane that it is about, which gets it only where it asks for the event by name. */
  readonly about?: string | undefined;
}

/** Who is told what. */
export interface Audience {
  /** The targets that want an event. */
  wanting(wish: Wish): readonly Target[];
}

/**
 * Who wants an API key's events, as of this transaction; `undefined` where there is nobody, which is found out in two
 * small reads, so that calls of those without webhooks stay as fast as they were.
 */
export async function audienceOf(scope: KeyScope): Promise<Audience | undefined> {
  const listeners = [...(await basicListeners(scope)), ...(await advancedListeners(scope))];
  if (listeners.length === 0) return undefined;
  return { wanting: (wish) => listeners.filter(({ wants }) => wants(wish)).map(({ target }) => target) };
}

interface Listener {
  readonly target: Target;
  wants(wish: Wish): boolean;
}

async function basicListeners(scope: KeyScope): Promise<readonly Listener[]> {
  const { useWebhookService, webhookServiceConfig = {} } = (await storedConfig(scope, 'webhooks')) ?? {};
  if (!useWebhookService) return [];
  const { rawNotificationUrl, processedNotificationUrl, triggers = {} } = webhookServiceConfig;
  const wants = ({ event }: Wish) => Object.hasOwn(triggers, event) && triggers[event] === true;
  const forms = { raw: rawNotificationUrl, processed: processedNotificationUrl } as const;
  return BASIC_FORMS.filter((form) => forms[form]).map((form) => ({
    target: { form, lane: basicLane(form, scope.apiKey) },
    wants,
  }));
}

export const BASIC_FORMS = ['raw', 'processed'] as const;

/** No endpoint has such an id. */
export function basicLane(form: DeliveryForm, apiKey: string): string {
  return `/${form}/${apiKey}`;
}

async function advancedListeners(scope: KeyScope): Promise<readonly Listener[]> {
  const config = await storedConfig(scope, 'advanced-webhooks');
  if (!config?.isEnabled) return [];
  const endpoints = await selectEnabled(scope.database, { apiKey: scope.apiKey });
  return endpoints.map(({ id, filterTypes, channels: given }) => {
    const [types, own] = [setOf(filterTypes), setOf(given)];
    return {
      target: { form: 'advanced', lane: id },
      wants: ({ event, channels, about }) =>
        (types ? types.has(event) : about !== id) && (!own || channels.some((channel) => own.has(channel))),
    };
  });
}

const selectEnabled = prepared((database, { apiKey }: { readonly apiKey: string }) =>
  database
    .selectFrom('endpoints')
    .select(['id', 'filterTypes', 'channels'])
    .where('apiKey', '=', apiKey)
    .where('disabled', '=', 0)
    .orderBy('key'),
);

function setOf(json: string | null): ReadonlySet<string> | undefined {
  return json === null ? undefined : new Set(JSON.parse(json));
}
