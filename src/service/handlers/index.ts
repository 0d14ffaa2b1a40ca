import type { Resource } from '../../catalog/index.ts';
import type { HandlersOf } from './handler.ts';

/**
 * Loaders for the handlers of each resource. An operation without a handler is a compile-time
 * error.
 */
const LOADERS: { readonly [Name in Resource]: () => Promise<HandlersOf<Name>> } = {
  'access-tokens': async () => (await import('./access-tokens.ts')).accessTokens,
  activities: async () => (await import('./activities.ts')).activities,
  agents: async () => (await import('./agents.ts')).agents,
  'auth-tokens': async () => (await import('./auth-tokens.ts')).authTokens,
  crdt: async () => (await import('./crdt.ts')).crdt,
  documents: async () => (await import('./documents.ts')).documents,
  email: async () => (await import('./email.ts')).email,
  folders: async () => (await import('./folders.ts')).folders,
  migrations: async () => (await import('./migrations.ts')).migrations,
  notifications: async () => (await import('./notifications.ts')).notifications,
  organizations: async () => (await import('./organizations.ts')).organizations,
  'permission-provider': async () => (await import('./permission-provider.ts')).permissionProvider,
  permissions: async () => (await import('./permissions.ts')).permissions,
  presence: async () => (await import('./presence.ts')).presence,
  'user-groups': async () => (await import('./user-groups.ts')).userGroups,
  users: async () => (await import('./users.ts')).users,
  'webhook-config': async () => (await import('./webhook-config.ts')).webhookConfig,
  'webhook-endpoints': async () => (await import('./webhook-endpoints.ts')).webhookEndpoints,
  workspace: async () => (await import('./workspace.ts')).workspace,
};

export function loadHandlers(resource: Resource): Promise<HandlersOf<Resource>> {
  return LOADERS[resource]();
}
