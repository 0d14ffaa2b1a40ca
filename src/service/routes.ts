import type { Operation } from '../catalog/define.ts';
import { loadOperation } from '../catalog/index.ts';
import { manifest, type OperationEntry } from '../catalog/manifest.ts';
import { selectOperation } from '../catalog/select-operation.ts';
import { once } from '../kernel/once.ts';
import type { Handler } from './handlers/handler.ts';
import { loadHandlers } from './handlers/index.ts';
import { badRequest } from './refusal.ts';

/** An operation with its handler. */
export interface ExecutableOperation {
  readonly name: OperationEntry['name'];
  readonly operation: Operation;
  readonly handler: Handler<Operation>;
}

/** One of the operations on a path. */
export interface OperationRoute {
  readonly selectedBy: OperationEntry['selectedBy'];
  /** Loads the operation. Repeated calls return the first result. */
  readonly load: () => Promise<ExecutableOperation>;
}

/** Maps each path to its operations, and to the credentials that all of them require. */
export function createRoutes() {
  const routeOf = (entry: OperationEntry): OperationRoute => ({
    selectedBy: entry.selectedBy,
    load: once(() => loadExecutable(entry)),
  });
  const byPath = Map.groupBy(manifest, ({ path }) => path);
  return new Map(
    Array.from(byPath, ([path, entries]) => {
      const [{ auth }] = entries as [OperationEntry, ...OperationEntry[]];
      return [path, { auth, routes: entries.map(routeOf) }] as const;
    }),
  );
}

/** Loads every operation in advance, because an update of svc may delete the program files of a running service. */
export async function loadOperations(): Promise<void> {
  await Promise.all(manifest.map(loadExecutable));
}

/**
 * Returns the path of a request target, without the query.
 * @throws Refusal INVALID_ARGUMENT if the target is neither a path nor a URL
 */
export function pathOfTarget(target: string): string {
  const url = URL.parse(target.startsWith('/') ? `http://localhost${target}` : target);
  if (!url) throw badRequest();
  return url.pathname;
}

/** Selects the route of the operation that accepts `data`. @throws Refusal INVALID_ARGUMENT if no operation does */
export function selectRoute(routes: readonly OperationRoute[], data: unknown): OperationRoute {
  const route = selectOperation(routes, data);
  if (!route) throw badRequest();
  return route;
}

async function loadExecutable({ resource, name }: OperationEntry): Promise<ExecutableOperation> {
  const [operation, handlers] = await Promise.all([loadOperation(resource, name), loadHandlers(resource)]);
  // The type `HandlersOf` guarantees that the operation and the handler of an entry match. TypeScript cannot infer this
  // for a union of all operations. The input is checked against the operation's schema.
  const handler = (handlers as Readonly<Partial<Record<string, unknown>>>)[name] as Handler<Operation>;
  return { name, operation, handler };
}
