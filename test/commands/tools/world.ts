import type { ClientOptions } from '../../../src/client/client.ts';
import type { Context } from '../../../src/commands/context.ts';
import { newClient, type Step, scriptedFetch } from '../../client/client-fixture.ts';
import { type FakeContext, type FakeContextOptions, fakeContext } from '../fake-context.ts';

export interface ToolWorld extends FakeContextOptions {
  readonly signal?: AbortSignal;
  readonly dryRun?: ClientOptions['dryRun'];
}

/**
 * Creates a context with scripted responses and a clock that only advances by sleeping, and
 * collects the requests.
 */
export async function toolContext(steps: readonly Step[], world: ToolWorld = {}) {
  const { fetch, requests } = scriptedFetch(...steps);
  const { signal, dryRun, ...rest } = world;
  const { client, clock } = newClient({
    fetch,
    ...(signal && { signal }),
    ...(dryRun && { dryRun }),
  });
  const fake = await fakeContext(rest);
  const context: FakeContext & Context = {
    ...fake,
    clock,
    client: async () => client,
    ...(signal && { signal }),
  };
  const bodies = () =>
    Promise.all(requests.map(async (request) => JSON.parse(await request.clone().text())));
  return { context, clock, requests, bodies };
}
