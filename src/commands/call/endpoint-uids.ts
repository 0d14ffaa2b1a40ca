import type { Operation } from '../../catalog/define.ts';
import { loadResource } from '../../catalog/index.ts';
import { fetchPages } from '../../client/pages.ts';
import type { Context } from '../context.ts';

type Data = Readonly<Record<string, unknown>>;

/** Start of the IDs that the service generates. A uid cannot start like this. */
const GENERATED = 'ep_';

/**
 * Replaces uids of endpoints with their IDs, which the service requires. Unknown uids stay, and the
 * service rejects them. A dry run sends no request, so uids stay too.
 */
export async function resolveEndpointUids(
  context: Context,
  { argument }: Operation,
  inputs: readonly Data[],
): Promise<readonly Data[]> {
  const isUid = (id: unknown) => typeof id === 'string' && !id.startsWith(GENERATED);
  const needsLookup = inputs.some(({ endpointId }) => isUid(endpointId));
  if (argument?.field !== 'endpointId' || !needsLookup || context.options.dryRun) return inputs;
  const { 'webhooks.endpoints.list': list } = await loadResource('webhook-endpoints');
  const ids = new Map<unknown, string>();
  for await (const { data } of fetchPages(await context.client(), list, {}))
    for (const { id, uid } of data?.endpoints ?? []) if (uid) ids.set(uid, id);
  return inputs.map((input) => {
    const id = ids.get(input['endpointId']);
    return id === undefined ? input : { ...input, endpointId: id };
  });
}
