import { configSchema } from '../../catalog/state.ts';
import { findConfig, mergeSettings, saveConfig } from '../records/configs.ts';
import type { ConfiguredService } from '../store/key-tables.ts';
import { omitUnset, type Section, type StateScope } from './section.ts';

/** Stored configurations. Unset settings are omitted, so that their defaults apply. */
export const config: Section<'config'> = {
  read: async (scope) => {
    const stored = {
      webhook: await findConfig(scope, 'webhooks'),
      advancedWebhooks: await findConfig(scope, 'advanced-webhooks'),
      email: await findConfig(scope, 'email'),
      permissionProvider: await findConfig(scope, 'permission-provider'),
    };
    // Sorts the fields as in the schema. The store keeps the order in which they were set.
    return configSchema.parse(omitUnset(stored));
  },

  write: async (scope, { webhook, advancedWebhooks, email, permissionProvider }) => {
    await saveMerged(scope, 'webhooks', webhook);
    await saveMerged(scope, 'advanced-webhooks', advancedWebhooks);
    await saveMerged(scope, 'email', email);
    await saveMerged(scope, 'permission-provider', permissionProvider);
  },
};

type StoredConfig<Service extends ConfiguredService> = Parameters<typeof saveConfig<Service>>[2];

async function saveMerged<Service extends ConfiguredService>(
  scope: StateScope,
  service: Service,
  update: StoredConfig<Service> | undefined,
): Promise<void> {
  if (update === undefined) return;
  const stored = await findConfig(scope, service);
  await saveConfig(scope, service, mergeConfig(stored, update));
}

function mergeConfig<Settings extends object>(stored: Partial<Settings> = {}, update: Settings): Settings {
  const merged = Object.entries(update).map(([name, value]) => {
    const current = stored[name as keyof Settings];
    return [name, typeof value === 'object' && current ? mergeSettings(current, value) : value];
  });
  return { ...stored, ...Object.fromEntries(merged) };
}
