import { configSchema } from '../../catalog/state.ts';
import { layered, saveConfig, storedConfig } from '../records/configs.ts';
import type { ConfiguredService } from '../store/key-tables.ts';
import { present, type Scope, type Section } from './section.ts';

/** Each service's configuration as it was set; what never was is left to the service's defaults. */
export const config: Section<'config'> = {
  read: async (scope) => {
    const stored = {
      webhook: await storedConfig(scope, 'webhooks'),
      advancedWebhooks: await storedConfig(scope, 'advanced-webhooks'),
      email: await storedConfig(scope, 'email'),
      permissionProvider: await storedConfig(scope, 'permission-provider'),
    };
    // Parsed for the order of its fields: stored, they stand in the order in which they were first set.
    return configSchema.parse(present(stored));
  },

  write: async (scope, { webhook, advancedWebhooks, email, permissionProvider }) => {
    await save(scope, 'webhooks', webhook);
    await save(scope, 'advanced-webhooks', advancedWebhooks);
    await save(scope, 'email', email);
    await save(scope, 'permission-provider', permissionProvider);
  },
};

type Stored<Service extends ConfiguredService> = Parameters<typeof saveConfig<Service>>[2];

/** Lays what is given over what is stored, field by field. */
async function save<Service extends ConfiguredService>(
  scope: Scope,
  service: Service,
  given: Stored<Service> | undefined,
): Promise<void> {
  if (given === undefined) return;
  const stored = await storedConfig(scope, service);
  await saveConfig(scope, service, mergedSettings(stored, given));
}

function mergedSettings<Settings extends object>(stored: Partial<Settings> = {}, given: Settings): Settings {
  const merged = Object.entries(given).map(([name, value]) => {
    const before = stored[name as keyof Settings];
    return [name, typeof value === 'object' && before ? layered(before, value) : value];
  });
  return { ...stored, ...Object.fromEntries(merged) };
}
