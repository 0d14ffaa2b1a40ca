import { Hono } from 'hono';
import type { Feature, Operation } from '../catalog/define.ts';
import { loadOperation } from '../catalog/index.ts';
import { manifest, type OperationEntry } from '../catalog/manifest.ts';
import type { Clock } from '../kernel/clock.ts';
import { once } from '../kernel/once.ts';
import { authenticate, checkAuthorization, statedKey } from './auth.ts';
import { readData } from './body.ts';
import { failure, success } from './envelope.ts';
import { badRequest, ServiceError } from './errors.ts';
import { requireFeature } from './features.ts';
import type { FollowUp, FollowUps } from './follow-ups.ts';
import type { Handler } from './handlers/handler.ts';
import { loadHandlers } from './handlers/index.ts';
import { type Rate, rateLimiter } from './rate-limit.ts';
import type { Database, Store } from './store/store.ts';
import { strictFailure } from './strict.ts';
import { validInput } from './validate.ts';

/** How the service as a whole differs from its usual self. */
export interface Switches {
  /** Features that it does not have. */
  readonly without?: readonly Feature[];
  readonly rateLimit?: Rate;
  /** It answers a bulk call with INTERNAL and `details` when some of its documents fail. */
  readonly strict?: boolean;
}

export interface ServiceWorld extends Switches {
  readonly store: Store;
  readonly clock: Clock;
  /** Told of what the caller is not: the errors behind INTERNAL answers, and those of work after an answer. */
  readonly report?: (error: unknown) => void;
}

/** The service's routes: each path of the catalog, and a sign of life. Every answer but that one is an envelope. */
export function createApp(world: ServiceWorld, later: FollowUps): Hono {
  const app = new Hono();
  const perform = performer(world, later);
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  for (const [path, entries] of Map.groupBy(manifest, (entry) => entry.path)) {
    const routes = entries.map((entry) => ({ entry, load: once(() => load(entry)) }));
    app.post(path, async ({ req: { raw: request } }) => {
      const data = await readData(request);
      checkAuthorization(request.headers);
      return perform(await chosen(routes, data).load(), request.headers, data);
    });
    app.all(path, () => failure(badRequest()));
  }
  app.notFound(() => failure(new ServiceError('NOT_FOUND', 'Not Found')));
  app.onError((error) => {
    if (!(error instanceof ServiceError)) world.report?.(error);
    return failure(error);
  });
  return app;
}

interface Route {
  readonly entry: OperationEntry;
  readonly load: () => ReturnType<typeof load>;
}

/** Of the operations on one path, the one whose choosing field is given, or the one that needs none. */
function chosen(routes: readonly Route[], data: unknown): Route {
  const isGiven = (field: string) => typeof data === 'object' && data !== null && Object.hasOwn(data, field);
  const named = routes.find(({ entry: { chosenBy } }) => chosenBy !== undefined && isGiven(chosenBy));
  const route = named ?? routes.find(({ entry }) => entry.chosenBy === undefined);
  if (!route) throw badRequest();
  return route;
}

/** Performs calls, each in one transaction: a call that is refused leaves nothing behind. */
function performer({ store, clock, without = [], rateLimit, strict }: ServiceWorld, later: FollowUps) {
  const count = rateLimit && rateLimiter(rateLimit);
  return async ({ name, operation, handler }: Awaited<ReturnType<typeof load>>, headers: Headers, data: unknown) => {
    let left: FollowUp[] = [];
    const countOnce = count && once(count);
    const run = async (database: Database) => {
      left = [];
      const after = (work: FollowUp) => void left.push(work);
      const call = await authenticate(operation.auth, headers, { database, now: clock.now(), after });
      countOnce?.(call);
      requireFeature(operation.feature, without);
      const input = validInput(operation, data, clock.now());
      const { message } = operation;
      const reply = await handler(call, input);
      const failed = strict ? strictFailure(name, input, reply) : undefined;
      return failed ? failure(failed) : success(typeof message === 'string' ? message : message(input), reply);
    };
    const isRead = operation.effect === 'read';
    const response = await (isRead ? store.read(run) : store.write(run, statedKey(operation.auth, headers)));
    later.start(left);
    return response;
  };
}

async function load({ resource, name }: OperationEntry) {
  const [operation, handlers] = await Promise.all([loadOperation(resource, name), loadHandlers(resource)]);
  // The entry names an operation and its handler, which fit each other by the type of `HandlersOf`. TypeScript cannot
  // follow that through a union of all operations; the input has passed the operation's schema.
  const handler = (handlers as Readonly<Partial<Record<string, unknown>>>)[name] as Handler<Operation>;
  return { name, operation, handler };
}
