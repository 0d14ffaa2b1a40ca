import type { OperationName } from '../catalog/index.ts';
import { getEntry } from '../catalog/manifest.ts';
import { type KindClass, RECORD_KINDS, SETTINGS_KINDS } from '../catalog/record-kinds.ts';
import type { Kind, RecordKind } from './settings.ts';

/** Access of the API to each kind of record that is read. */
export const KIND_CLASSES: Readonly<Record<RecordKind, KindClass>> = {
  ...(Object.fromEntries(
    SETTINGS_KINDS.map((kind) => [kind, RECORD_KINDS[kind].settings]),
  ) as Record<Kind, KindClass>),
  apiKeys: 'watched',
};

/** Fields of declared endpoints that only `svc local import` uses. */
export const IGNORED_ENDPOINT_FIELDS: readonly string[] = ['secret', 'createdAt', 'updatedAt'];

/**
 * The operations that read and update each configuration, and the field with its nested settings.
 */
export const CONFIGS = {
  webhook: {
    read: 'webhooks.config.get',
    update: 'webhooks.config.update',
    nested: 'webhookServiceConfig',
    secret: 'authToken',
    seedsTriggers: true,
  },
  advancedWebhooks: {
    read: 'webhooks.advanced.get',
    update: 'webhooks.advanced.update',
    nested: undefined,
    secret: undefined,
    seedsTriggers: false,
  },
  email: {
    read: 'email.get',
    update: 'email.update',
    nested: 'emailServiceConfig',
    secret: 'apiKey',
    seedsTriggers: true,
  },
  permissionProvider: {
    read: 'permission-provider.get',
    update: 'permission-provider.update',
    nested: 'permissionProviderConfig',
    secret: 'authToken',
    seedsTriggers: false,
  },
} as const satisfies Readonly<Record<string, ConfigOperations>>;

interface ConfigOperations {
  readonly read: OperationName;
  readonly update: OperationName;
  readonly nested: string | undefined;
  readonly secret: string | undefined;
  /** Whether the first enable adds triggers that the update does not contain. */
  readonly seedsTriggers: boolean;
}

export type ConfigName = keyof typeof CONFIGS;
export const CONFIG_NAMES = Object.keys(CONFIGS) as readonly ConfigName[];

/** Returns the path of a configuration's secret; undefined if it has none. */
export function secretPathOf(name: ConfigName): readonly [string, string] | undefined {
  const { nested, secret } = CONFIGS[name];
  return nested === undefined || secret === undefined ? undefined : [nested, secret];
}

/** Returns the access of the API to the records that an operation writes. */
export function writtenClassOf(operation: OperationName): KindClass | undefined {
  const role = getEntry(operation).settings;
  return typeof role === 'object' && 'writes' in role ? KIND_CLASSES[role.writes] : undefined;
}
