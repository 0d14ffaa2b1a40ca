import { loadResource } from '../../catalog/index.ts';
import type { PlanTarget } from '../../settings/plan.ts';
import type { Context } from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';

/**
 * Returns the service of a command as a plan's target. An embedded service is identified by its API
 * key.
 */
export async function findPlanTarget(context: Context): Promise<PlanTarget> {
  if (!context.options.local) {
    const { baseUrl, apiKey } = await context.openSettings();
    return { url: baseUrl?.value ?? '', apiKey: apiKey?.value ?? null };
  }
  const { 'workspace.get': get } = await loadResource('workspace');
  const outcome = await (await context.client()).call(get, {});
  const [apiKey = null] = Object.keys((outcome.sent && outcome.data?.apiKeyList) || {});
  return { url: EMBEDDED_SERVICE, apiKey };
}
