import type { Auth, Operation } from '../catalog/define.ts';
import { loadOperation } from '../catalog/index.ts';
import { manifest, type OperationEntry } from '../catalog/manifest.ts';
import { operationFor } from '../catalog/operation-for.ts';
import { once } from '../kernel/once.ts';
import type { Handler } from './handlers/handler.ts';
import { loadHandlers } from './handlers/index.ts';
import { badRequest } from './refusal.ts';

/** An operation, and what performs it. */
export interface Performable {
  readonly name: OperationEntry['name'];
  readonly operation: Operation;
  readonly handler: Handler<Operation>;
}

/** One of the operations on a path. */
export interface Route {
  readonly chosenBy: OperationEntry['chosenBy'];
  /** Loads its operation, once. */
  readonly load: () => Promise<Performable>;
}

/** A path: its operations, and the credentials that all of them ask for. */
export interface PathRoutes {
  readonly auth: Auth;
  readonly routes: readonly Route[];
}

/** The operations of the catalog by the path that they are on. */
export function routesByPath(): ReadonlyMap<string, PathRoutes> {
  const routeOf = (entry: OperationEntry) => ({ chosenBy: entry.chosenBy, load: once(() => performable(entry)) });
  const byPath = Map.groupBy(manifest, ({ path }) => path);
  return new Map(
    Array.from(byPath, ([path, entries]) => {
      const [{ auth }] = entries as [OperationEntry, ...OperationEntry[]];
      return [path, { auth, routes: entries.map(routeOf) }];
    }),
  );
}

/** Loads every operation, for a service that may outlive the files it was started from: an update takes those away. */
export async function loadOperations(): Promise<void> {
  await Promise.all(manifest.map(performable));
}

/**
 * The path of a request's target, which a query may follow.
 * @throws Refusal INVALID_ARGUMENT when the target is neither a path nor a URL.
 */
export function pathOf(target: string): string {
  const url = URL.parse(target.startsWith('/') ? `http://localhost${target}` : target);
  if (!url) throw badRequest();
  return url.pathname;
}

/** The route of the operation that `data` asks for. @throws Refusal INVALID_ARGUMENT when there is none */
export function chosenRoute(routes: readonly Route[], data: unknown): Route {
  const route = operationFor(routes, data);
  if (!route) throw badRequest();
  return route;
}

async function performable({ resource, name }: OperationEntry): Promise<Performable> {
  const [operation, handlers] = await Promise.all([loadOperation(resource, name), loadHandlers(resource)]);
  // The entry names an operation and its handler, which fit each other by the type of `HandlersOf`. TypeScript cannot
  // follow that through a union of all operations; the input has passed the operation's schema.
  const handler = (handlers as Readonly<Partial<Record<string, unknown>>>)[name] as Handler<Operation>;
  return { name, operation, handler };
}
