import { configSchema, type State } from '../../catalog/state.ts';
import { findConfig, mergeSettings, saveConfig } from '../records/configs.ts';
import type { ConfiguredService } from '../store/tables.ts';
import { omitUnset, type Section } from './section.ts';

const SERVICES = Object.entries({
  webhook: 'webhooks',
  advancedWebhooks: 'advanced-webhooks',
  email: 'email',
  permissionProvider: 'permission-provider',
} satisfies Readonly<Record<keyof State['config'], ConfiguredService>>) as [
  keyof State['config'],
  ConfiguredService,
][];

/** Stored configurations. Unset settings are omitted, so that their defaults apply. */
export const config: Section<'config'> = {
  read: async (scope) => {
    const stored: Record<string, object | undefined> = {};
    for (const [kind, service] of SERVICES) stored[kind] = await findConfig(scope, service);
    // Sorts the fields as in the schema. The store keeps the order in which they were set.
    return configSchema.parse(omitUnset(stored));
  },

  write: async (scope, updates) => {
    for (const [kind, service] of SERVICES) {
      const update = updates[kind];
      if (update)
        await saveConfig(scope, service, mergeConfig(await findConfig(scope, service), update));
    }
  },
};

function mergeConfig(stored: Readonly<Record<string, unknown>> = {}, update: object): object {
  const merged = Object.entries(update).map(([name, value]) => {
    const current = stored[name];
    return [name, typeof value === 'object' && current ? mergeSettings(current, value) : value];
  });
  return { ...stored, ...Object.fromEntries(merged) };
}
