import type { OperationName } from '../catalog/index.ts';
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

/**
 * Role of an operation in settings files: reads, writes records of a kind, or writes something that
 * is not a setting.
 */
export type SettingsRole = 'read' | { readonly writes: Kind } | { readonly notSettings: string };
const writes = (kind: Kind) => ({ writes: kind });
const notSettings = (reason: string) => ({ notSettings: reason });
const CONTENT = notSettings('content that users create');
const CREDENTIAL = notSettings('credentials are never part of a settings file');
const PRESENCE = notSettings('presence changes all the time');
const REPLACED_BY_ADD = notSettings('users.add creates and updates users');

/** The role of every operation. An operation without a role does not compile. */
export const SETTINGS_ROLES: Readonly<Record<OperationName, SettingsRole>> = {
  'access-tokens.generate': 'read',
  'activities.add': CONTENT,
  'activities.update': CONTENT,
  'agents.get': 'read',
  'agents.list': 'read',
  'auth-tokens.list': 'read',
  'auth-tokens.reset': CREDENTIAL,
  'crdt.add': CONTENT,
  'crdt.get': 'read',
  'crdt.update': CONTENT,
  'documents.add': writes('documents'),
  'documents.list': 'read',
  'documents.migrate': notSettings('a migration moves content once'),
  'documents.migration-status': 'read',
  'email.get': 'read',
  'email.update': writes('config'),
  'folders.add': writes('folders'),
  'folders.list': 'read',
  'folders.list.v1': 'read',
  'folders.update': writes('folders'),
  'groups.add': writes('groups'),
  'groups.add-users': writes('groups'),
  'notifications.add': notSettings('a notification is an event'),
  'organizations.add': writes('organizations'),
  'permission-provider.get': 'read',
  'permission-provider.update': writes('config'),
  'permissions.add': writes('users'),
  'presence.add': PRESENCE,
  'presence.delete': PRESENCE,
  'presence.update': PRESENCE,
  'users.add': writes('users'),
  'users.add.v2': writes('users'),
  'users.data': 'read',
  'users.update': writes('users'),
  'users.update.v2': REPLACED_BY_ADD,
  'webhooks.advanced.get': 'read',
  'webhooks.advanced.update': writes('config'),
  'webhooks.config.get': 'read',
  'webhooks.config.update': writes('config'),
  'webhooks.endpoints.create': writes('endpoints'),
  'webhooks.endpoints.delete': writes('endpoints'),
  'webhooks.endpoints.list': 'read',
  'webhooks.endpoints.secret': 'read',
  'webhooks.endpoints.update': writes('endpoints'),
  'workspace.create': CREDENTIAL,
  'workspace.get': 'read',
};
