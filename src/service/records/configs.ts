import type * as z from 'zod/mini';
import type { Operations } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { KeyCall, KeyScope } from '../calls/call.ts';
import { Refusal } from '../store/refusal.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { ConfiguredService } from '../store/tables.ts';

/**
 * Stored configurations: settings from updates, and the default triggers of services that were
 * enabled.
 */
interface Configs extends Record<ConfiguredService, object> {
  readonly webhooks: UpdateOf<'webhooks.config.update'>;
  readonly 'advanced-webhooks': UpdateOf<'webhooks.advanced.update'>;
  readonly email: UpdateOf<'email.update'>;
  readonly 'permission-provider': UpdateOf<'permission-provider.update'>;
}

type UpdateOf<Name extends keyof Operations> = z.output<Operations[Name]['input']>;
const selectConfig = prepareSelect('configs', ['config']);
const upsertConfig = prepareUpsert('configs', ['apiKey', 'service'], { replaced: ['config'] });

/** Returns a stored configuration. Returns `undefined` if the service was never configured. */
export async function findConfig<Service extends ConfiguredService>(
  { database, apiKey }: KeyScope,
  service: Service,
): Promise<Configs[Service] | undefined> {
  const [found] = await selectConfig(database, { apiKey, service });
  return found && JSON.parse(found.config);
}

export async function saveConfig<Service extends ConfiguredService>(
  { database, apiKey }: KeyScope,
  service: Service,
  saved: Configs[Service],
): Promise<void> {
  await upsertConfig(database, [{ apiKey, service, config: JSON.stringify(saved) }]);
}

interface TriggerSettings {
  readonly triggers?: Readonly<Record<string, boolean>> | undefined;
}

/** Merges settings by key, and triggers by event type. Later layers override earlier layers. */
export function mergeSettings<Layer extends TriggerSettings>(
  ...layers: readonly (Layer | undefined)[]
): Layer {
  const settings: Layer = Object.assign({}, ...layers);
  const triggers = layers.map((layer) => layer?.triggers).filter((layer) => layer !== undefined);
  return triggers.length > 0 ? { ...settings, triggers: Object.assign({}, ...triggers) } : settings;
}

export function hasTriggers({ triggers = {} }: TriggerSettings = {}): boolean {
  return Object.keys(triggers).length > 0;
}

export function advancedWebhooksNotConfigured(): Refusal {
  return new Refusal(
    'FAILED_PRECONDITION',
    `Advanced webhooks are not configured for this workspace. ${describeEnabling()}`,
  );
}

function describeEnabling(): string {
  const { path } = getEntry('webhooks.advanced.update');
  return `Enable them via POST ${path} with { "isEnabled": true }.`;
}

/** @throws Refusal FAILED_PRECONDITION unless advanced webhooks are enabled */
export async function requireAdvancedWebhooks(call: KeyCall): Promise<void> {
  const config = await findConfig(call, 'advanced-webhooks');
  if (!config) throw advancedWebhooksNotConfigured();
  if (!config.isEnabled) {
    throw new Refusal(
      'FAILED_PRECONDITION',
      `Advanced webhooks are disabled for this workspace. ${describeEnabling()}`,
    );
  }
}
