import { ANSWER_TYPE } from './envelope.ts';
import type { Answerer, Intake } from './request.ts';

/**
 * The service as a `fetch` that answers in this process, as the network would.
 * @throws StoreFailure when the store cannot be used
 */
export function fetchOf(answer: Answerer): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const { method, url: target, headers } = request;
    const header = (name: string) => headers.get(name) ?? undefined;
    const body = (intake: Intake) => takeIn(request, intake);
    const given = await answer({ method, target, header, body });
    if (given.failure) throw given.failure;
    const { status } = given;
    return new Response(method === 'HEAD' ? null : given.body, { status, headers: { 'content-type': ANSWER_TYPE } });
  };
}

async function takeIn(request: Request, intake: Intake): Promise<void> {
  // A length is given for what is in memory already.
  if (request.headers.has('content-length')) return intake(new Uint8Array(await request.arrayBuffer()));
  for await (const part of request.body ?? []) await intake(part);
}
