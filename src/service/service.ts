import { createApp, type ServiceDependencies } from './app.ts';
import { RESPONSE_TYPE } from './envelope.ts';
import { createFollowUps } from './follow-ups.ts';
import type { ChunkConsumer, RequestHandler } from './request.ts';

/** Creates the service on a store, without a network port. */
export function createService(dependencies: ServiceDependencies) {
  const followUps = createFollowUps(dependencies.store, dependencies.report);
  const handle = createApp(dependencies, followUps);
  return {
    handle,
    /** Handles a request without a network. */
    fetch: createFetch(handle),
    /** Resolves when all follow-ups have finished. The store must stay open until then. */
    whenIdle: followUps.whenIdle,
  };
}

/** Creates a `fetch` that calls the service. Throws a `StoreFailure` if the store is not usable. */
function createFetch(handle: RequestHandler): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const { method, url: target, headers } = request;
    const header = (name: string) => headers.get(name) ?? undefined;
    const body = (consume: ChunkConsumer) => readBody(request, consume);
    const { status, failure, body: content } = await handle({ method, target, header, body });
    if (failure) throw failure;
    return new Response(method === 'HEAD' ? null : content, { status, headers: { 'content-type': RESPONSE_TYPE } });
  };
}

async function readBody(request: Request, consume: ChunkConsumer): Promise<void> {
  // The body is already in memory.
  if (request.headers.has('content-length')) return consume(new Uint8Array(await request.arrayBuffer()));
  for await (const chunk of request.body ?? []) await consume(chunk);
}
