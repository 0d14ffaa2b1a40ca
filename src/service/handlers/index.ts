import type { Operation } from '../../catalog/define.ts';
import { loadOperation, type OperationName, type Resource } from '../../catalog/index.ts';
import { groupByPath, manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { once } from '../../kernel/once.ts';
import { badRequest } from '../store/refusal.ts';
import type { Handler, HandlersOf } from './handler.ts';

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

export interface ExecutableOperation {
  readonly name: OperationName;
  readonly operation: Operation;
  readonly handler: Handler<Operation>;
}

export function createOperationRoutes() {
  const routeOf = (entry: OperationEntry) => ({
    name: entry.name,
    selectedBy: entry.selectedBy,
    load: once(() => loadExecutable(entry)),
  });
  const byPath = groupByPath();
  return new Map(
    Array.from(byPath, ([path, entries]) => {
      const [{ auth }] = entries as [OperationEntry, ...OperationEntry[]];
      return [path, { auth, routes: entries.map(routeOf) }] as const;
    }),
  );
}

/**
 * Loads all operations. An update of svc may delete the program files while the service is running.
 */
export async function loadOperations(): Promise<void> {
  await Promise.all(manifest.map(loadExecutable));
}

/** Removes the query. @throws Refusal INVALID_ARGUMENT for an invalid target */
export function pathOfTarget(target: string): string {
  const url = URL.parse(target.startsWith('/') ? `http://localhost${target}` : target);
  if (!url) throw badRequest();
  return url.pathname;
}

async function loadExecutable({ resource, name }: OperationEntry): Promise<ExecutableOperation> {
  const [operation, handlers] = await Promise.all([
    loadOperation(resource, name),
    loadHandlers(resource),
  ]);
  // `HandlersOf` guarantees that the handler matches the operation, but TypeScript cannot infer
  // this for a union. The input is checked against the operation's schema.
  const handler = (handlers as Readonly<Partial<Record<string, unknown>>>)[
    name
  ] as Handler<Operation>;
  return { name, operation, handler };
}
