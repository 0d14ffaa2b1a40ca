import { Hono } from 'hono';
import type { Operation } from '../catalog/define.ts';
import { loadOperation } from '../catalog/index.ts';
import { manifest, type OperationEntry } from '../catalog/manifest.ts';
import type { Clock } from '../kernel/clock.ts';
import { authenticate, checkAuthorization } from './auth.ts';
import { readData } from './body.ts';
import { failure, success } from './envelope.ts';
import { badRequest, ServiceError } from './errors.ts';
import type { Handler } from './handlers/handler.ts';
import { loadHandlers } from './handlers/index.ts';
import type { Database, Store } from './store/store.ts';
import { validInput } from './validate.ts';

export interface ServiceWorld {
  readonly store: Store;
  readonly clock: Clock;
  /** Told of what the caller is not: the errors behind INTERNAL answers. */
  readonly report?: (error: unknown) => void;
}

/** The service's routes: each path of the catalog, and a sign of life. Every answer but that one is an envelope. */
export function createApp(world: ServiceWorld): Hono {
  const app = new Hono();
  app.get('/healthz', (context) => context.json({ status: 'ok' }));
  for (const entry of manifest) {
    const answer = answerTo(entry, world);
    app.post(entry.path, (context) => answer(context.req.raw));
    app.all(entry.path, () => failure(badRequest()));
  }
  app.notFound(() => failure(new ServiceError('NOT_FOUND', 'Not Found')));
  app.onError((error) => {
    if (!(error instanceof ServiceError)) world.report?.(error);
    return failure(error);
  });
  return app;
}

/** Answers calls of one operation, each in one transaction: a call that is refused leaves nothing behind. */
function answerTo(entry: OperationEntry, { store, clock }: ServiceWorld): (request: Request) => Promise<Response> {
  let loading: ReturnType<typeof load> | undefined;
  return async (request) => {
    const data = await readData(request);
    checkAuthorization(request.headers);
    loading ??= load(entry);
    const { operation, handler } = await loading;
    const run = async (database: Database) => {
      const call = await authenticate(operation.auth, request.headers, { database, now: clock.now() });
      const input = validInput(operation, data);
      const { message } = operation;
      return success(typeof message === 'string' ? message : message(input), await handler(call, input));
    };
    return operation.effect === 'read' ? store.read(run) : store.write(run);
  };
}

async function load({ resource, name }: OperationEntry) {
  const [operation, handlers] = await Promise.all([loadOperation(resource, name), loadHandlers(resource)]);
  // The entry names an operation and its handler, which fit each other by the type of `HandlersOf`. TypeScript cannot
  // follow that through a union of all operations; the input has passed the operation's schema.
  const handler = (handlers as Readonly<Partial<Record<string, unknown>>>)[name] as Handler<Operation>;
  return { operation, handler };
}
