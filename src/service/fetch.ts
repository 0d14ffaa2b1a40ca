import { RESPONSE_TYPE } from './envelope.ts';
import type { ChunkConsumer, RequestHandler } from './request.ts';

/**
 * Creates a `fetch` that calls the service in this process, like a server on the network. The function throws a
 * `StoreFailure` if the store cannot be used.
 */
export function createFetch(handle: RequestHandler): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const { method, url: target, headers } = request;
    const header = (name: string) => headers.get(name) ?? undefined;
    const body = (consume: ChunkConsumer) => readBody(request, consume);
    const response = await handle({ method, target, header, body });
    if (response.failure) throw response.failure;
    const { status } = response;
    return new Response(method === 'HEAD' ? null : response.body, {
      status,
      headers: { 'content-type': RESPONSE_TYPE },
    });
  };
}

async function readBody(request: Request, consume: ChunkConsumer): Promise<void> {
  // A body with a known length is already in memory.
  if (request.headers.has('content-length')) return consume(new Uint8Array(await request.arrayBuffer()));
  for await (const chunk of request.body ?? []) await consume(chunk);
}
