import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { groupByPath, manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { once } from '../../kernel/once.ts';
import { badRequest } from '../store/refusal.ts';
import type { Handler } from './handler.ts';
import { loadHandlers } from './index.ts';

export type ExecutableOperation = Awaited<ReturnType<typeof loadExecutable>>;

export function createOperationRoutes() {
  const routeOf = (entry: OperationEntry) => ({
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

async function loadExecutable({ resource, name }: OperationEntry) {
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
