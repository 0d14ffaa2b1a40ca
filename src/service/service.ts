import { createApp, type ServiceDependencies } from './app.ts';
import { RESPONSE_TYPE } from './envelope.ts';
import { createFollowUps } from './follow-ups.ts';
import type { ChunkConsumer, RequestHandler } from './request.ts';

/** Creates the service on a store. The service opens no port. */
export function createService(dependencies: ServiceDependencies) {
  const followUps = createFollowUps(dependencies.store, dependencies.report);
  const handle = createApp(dependencies, followUps);
  return {
    /** Handles a request from any transport. */
    handle,
    /** Handles a request in this process, like a server on the network. */
    fetch: createFetch(handle),
    /** Resolves once all follow-ups have finished. The store must stay open until then. */
    whenIdle: followUps.whenIdle,
  };
}

/** Creates a `fetch` that calls the service. The function throws a `StoreFailure` if the store cannot be used. */
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
  // A body with a known length is already in memory.
  if (request.headers.has('content-length')) return consume(new Uint8Array(await request.arrayBuffer()));
  for await (const chunk of request.body ?? []) await consume(chunk);
}
