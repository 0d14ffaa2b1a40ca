import { loadResource } from '../../catalog/index.ts';
import type { PlanTarget } from '../../settings/plan.ts';
import { describeJobTarget } from '../connection/describe-target.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
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

/** The target of a plan, and the names by which the user knows it. */
export interface NamedTarget extends PlanTarget {
  /** Environment of the settings file. */
  readonly environment: string | null;
  readonly profile: string | null;
  /** Data of the embedded service, if it was given. */
  readonly store?: string;
}

export async function nameTarget(
  context: Context,
  target: PlanTarget,
  environment: string | null | undefined,
): Promise<NamedTarget> {
  const { profile, store } = await describeJobTarget(context);
  return {
    ...target,
    environment: environment ?? null,
    profile,
    ...optionalProperty('store', store ?? undefined),
  };
}

/** Lists the names of a target, the most familiar first: `prod`, its URL, and `profile prod`. */
export function targetNames({ environment, url, store, profile }: NamedTarget): readonly string[] {
  return [
    ...(environment === null ? [] : [environment]),
    store === undefined ? url : `${url} (${store})`,
    ...(profile === null ? [] : [`profile ${profile}`]),
  ];
}
