import type { KeyScope } from '../calls/call.ts';
import { findConfig } from '../records/configs.ts';
import { prepareSelect } from '../store/statements.ts';
import type { DeliveryForm } from '../store/tables.ts';

export interface DeliveryTarget {
  readonly form: DeliveryForm;
  readonly lane: string;
}

export interface EventFilter {
  readonly event: string;
  readonly channels: readonly string[];
  /**
   * Lane that the event is about. This lane gets the event only if it subscribes to the event type
   * by name.
   */
  readonly aboutLane?: string | undefined;
}

export async function loadSubscriptions(scope: KeyScope): Promise<readonly Subscription[]> {
  return [...(await basicSubscriptions(scope)), ...(await endpointSubscriptions(scope))];
}

export function selectTargets(
  subscriptions: readonly Subscription[],
  filter: EventFilter,
): readonly DeliveryTarget[] {
  return subscriptions.filter(({ matches }) => matches(filter)).map(({ target }) => target);
}

export interface Subscription {
  readonly target: DeliveryTarget;
  matches(filter: EventFilter): boolean;
}

async function basicSubscriptions(scope: KeyScope): Promise<readonly Subscription[]> {
  const { useWebhookService, webhookServiceConfig = {} } =
    (await findConfig(scope, 'webhooks')) ?? {};
  if (!useWebhookService) return [];
  const { rawNotificationUrl, processedNotificationUrl, triggers = {} } = webhookServiceConfig;
  const matches = ({ event }: EventFilter) =>
    Object.hasOwn(triggers, event) && triggers[event] === true;
  const urls = { raw: rawNotificationUrl, processed: processedNotificationUrl } as const;
  return BASIC_FORMS.filter((form) => urls[form]).map((form) => ({
    target: { form, lane: basicLane(form, scope.apiKey) },
    matches,
  }));
}

export const BASIC_FORMS = ['raw', 'processed'] as const;

/** Returns the ID of the endpoint of a delivery, or the form of basic webhooks. */
export function endpointIdOf({ form, lane }: DeliveryTarget): string {
  return form === 'advanced' ? lane : form;
}

/** Returns the lane for a URL of basic webhooks. The slash prevents conflicts with endpoint IDs. */
export function basicLane(form: DeliveryForm, apiKey: string): string {
  return `/${form}/${apiKey}`;
}

async function endpointSubscriptions(scope: KeyScope): Promise<readonly Subscription[]> {
  const config = await findConfig(scope, 'advanced-webhooks');
  if (!config?.isEnabled) return [];
  const endpoints = await selectEndpoints(scope.database, { apiKey: scope.apiKey, disabled: 0 });
  return endpoints.map(({ id, filterTypes, channels }) => {
    const [types, ownChannels] = [parseSet(filterTypes), parseSet(channels)];
    const acceptsType = ({ event, aboutLane }: EventFilter) =>
      types ? types.has(event) : aboutLane !== id;
    const acceptsChannel = (filter: EventFilter) =>
      !ownChannels || filter.channels.some((channel) => ownChannels.has(channel));
    return {
      target: { form: 'advanced', lane: id },
      matches: (filter) => acceptsType(filter) && acceptsChannel(filter),
    };
  });
}

const selectEndpoints = prepareSelect('endpoints', ['id', 'filterTypes', 'channels'], ['key']);

function parseSet(json: string | null): ReadonlySet<string> | undefined {
  return json === null ? undefined : new Set(JSON.parse(json));
}
