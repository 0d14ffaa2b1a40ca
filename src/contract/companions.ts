import type { OperationName } from '../catalog/index.ts';

/** Operations that a service may lack: the API description names but does not specify them. */
export const COMPANIONS: ReadonlySet<OperationName> = new Set([
  'activities.add',
  'auth-tokens.list',
  'crdt.add',
  'crdt.get',
  'email.get',
  'folders.add',
  'groups.add',
  'organizations.add',
  'permission-provider.update',
  'permissions.add',
  'presence.add',
  'users.add.v2',
  'users.update',
  'users.update.v2',
  'webhooks.advanced.update',
  'webhooks.endpoints.secret',
  'webhooks.endpoints.update',
  'workspace.create',
]);
