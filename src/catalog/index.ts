import type { Operation } from './define.ts';

const LOADERS = {
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

export type Resource = keyof typeof LOADERS;
export const RESOURCES = Object.keys(LOADERS) as readonly Resource[];
export type OperationsOf<Name extends Resource> = Awaited<ReturnType<(typeof LOADERS)[Name]>>;

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  whole: infer Whole,
) => void
  ? Whole
  : never;

export type Operations = Intersection<OperationsOf<Resource>>;
export type OperationName = keyof Operations;

export function loadResource<Name extends Resource>(resource: Name): Promise<OperationsOf<Name>> {
  return LOADERS[resource]() as Promise<OperationsOf<Name>>;
}

export async function loadOperation(resource: Resource, name: OperationName): Promise<Operation> {
  const operations: Readonly<Partial<Record<OperationName, Operation>>> =
    await loadResource(resource);
  const operation = operations[name];
  if (!operation) throw new TypeError(`${resource} has no operation ${name}`);
  return operation;
}
