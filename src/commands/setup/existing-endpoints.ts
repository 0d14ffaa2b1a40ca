import { loadResource } from '../../catalog/index.ts';
import type { Client } from '../../client/client.ts';
import { fetchPages } from '../../client/pages.ts';
import { SvcError } from '../../kernel/errors.ts';

export interface ExistingEndpoint {
  readonly id: string;
  readonly url: string;
  readonly filterTypes?: readonly string[] | null | undefined;
}

/** Lists the endpoints of the service. An empty list if the service refuses, because this read is only for a warning. */
export async function listEndpoints(client: Client): Promise<readonly ExistingEndpoint[]> {
  const { 'webhooks.endpoints.list': list } = await loadResource('webhook-endpoints');
  const found: ExistingEndpoint[] = [];
  try {
    for await (const { data } of fetchPages(client, list, {})) found.push(...(data?.endpoints ?? []));
  } catch (error) {
    if (!(error instanceof SvcError) || error.failure === 'interrupted') throw error;
  }
  return found;
}

export function describeDuplicates(existing: readonly ExistingEndpoint[], url: string): readonly string[] {
  const wanted = URL.parse(url)?.href;
  return existing
    .filter((endpoint) => URL.parse(endpoint.url)?.href === wanted)
    .map(({ id, filterTypes }) => `${id} already delivers ${filterTypes?.join(', ') || 'all events'} to this URL`);
}
