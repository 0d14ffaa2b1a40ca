import { bodyParts, LARGEST_BODY } from './body.ts';
import { ANSWER_TYPE } from './envelope.ts';
import type { Answerer } from './request.ts';

/**
 * The service as a `fetch` that answers in this process, as the network would.
 * @throws StoreFailure when the store cannot be used
 */
export function fetchOf(answer: Answerer): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const { method, url: target, headers } = request;
    const header = (name: string) => headers.get(name) ?? undefined;
    const { status, body, failure } = await answer({ method, target, header, body: () => bodyOf(request) });
    if (failure) throw failure;
    return new Response(method === 'HEAD' ? null : body, { status, headers: { 'content-type': ANSWER_TYPE } });
  };
}

async function bodyOf(request: Request): Promise<Buffer | undefined> {
  const declared = request.headers.get('content-length');
  if (declared !== null && Number(declared) <= LARGEST_BODY) return Buffer.from(await request.arrayBuffer());
  const parts = bodyParts();
  for await (const part of request.body ?? []) parts.add(part);
  return parts.whole();
}
