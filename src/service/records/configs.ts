import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { KeyScope } from '../call.ts';
import type { ConfiguredService } from '../store/key-tables.ts';
import { prepared } from '../store/prepared.ts';

/** What is stored of each service's configuration: what its updates have set, or seeded. */
interface Configs extends Record<ConfiguredService, object> {
  readonly webhooks: UpdateOf<'webhooks.config.update'>;
  readonly 'advanced-webhooks': UpdateOf<'webhooks.advanced.update'>;
  readonly email: UpdateOf<'email.update'>;
  readonly 'permission-provider': UpdateOf<'permission-provider.update'>;
}

type UpdateOf<Name extends keyof Operations> = z.output<Operations[Name]['input']>;

const selectConfig = prepared((database, { apiKey, service }: { apiKey: string; service: ConfiguredService }) =>
  database.selectFrom('configs').select('config').where('apiKey', '=', apiKey).where('service', '=', service),
);

/** The configuration of a service, or `undefined` where it was never configured. */
export async function storedConfig<Service extends ConfiguredService>(
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
  const config = JSON.stringify(saved);
  await database
    .insertInto('configs')
    .values({ apiKey, service, config })
    .onConflict((conflict) => conflict.columns(['apiKey', 'service']).doUpdateSet({ config }))
    .execute();
}

interface Settings {
  readonly triggers?: Readonly<Record<string, boolean>> | undefined;
}

/** Settings laid over each other key by key, and their triggers trigger by trigger; the last layer wins. */
export function layered<Layer extends Settings>(...layers: readonly (Layer | undefined)[]): Layer {
  const settings: Layer = Object.assign({}, ...layers);
  const triggers = layers.map((layer) => layer?.triggers).filter((given) => given !== undefined);
  return triggers.length > 0 ? { ...settings, triggers: Object.assign({}, ...triggers) } : settings;
}

export function hasTriggers({ triggers = {} }: Settings = {}): boolean {
  return Object.keys(triggers).length > 0;
}
