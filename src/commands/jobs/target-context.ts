import type { JobTarget } from '../../bulk/journal/description.ts';
import { SvcError } from '../../kernel/errors.ts';
import { jobTarget } from '../bulk/job.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { given } from '../option-values.ts';
import { type OpenContext, openContext } from '../run/open-context.ts';

/**
 * The context for a job's target: the given one, or one with the profile or the embedded service that the job was begun with.
 * @throws SvcError `usage` when that leads elsewhere now, or the command line says something else
 */
export async function contextFor(context: Context, target: JobTarget): Promise<OpenContext> {
  const opened = openTargetContext(context, target);
  const now = await jobTarget(opened.context);
  if (now.origin !== target.origin || now.apiKey !== target.apiKey || now.store !== target.store) {
    await opened.close();
    throw new SvcError('usage', `the job was begun against ${named(target)}, and this would go to ${named(now)}`, {
      hint: 'nothing was sent; choose the profile or credentials that it was begun with',
    });
  }
  const { profile, origin } = target;
  context.activity.elsewhere = { profile, host: URL.canParse(origin) ? new URL(origin).host : origin };
  return opened;
}

function openTargetContext(context: Context, target: JobTarget): OpenContext {
  const options = optionsFor(context.options, target);
  return options === context.options ? sameContext(context) : openContext(context, options, context.activity);
}

/** The global flags that lead to a job's target: those that are given, and what they leave open. */
export function optionsFor(options: GlobalOptions, { profile, store, flags }: JobTarget): GlobalOptions {
  if (store !== undefined) {
    const says = options.local && options.store !== undefined;
    return says ? options : { ...options, local: true, ...given('store', store ?? undefined) };
  }
  if (options.local || (options.profile !== undefined && options.profile !== profile)) return options;
  if (profile === null && flags === undefined) return options;
  const insecureHttp = options.insecureHttp || flags?.insecureHttp === true;
  return { ...given('profile', profile ?? undefined), ...flags, ...options, insecureHttp };
}

function sameContext(context: Context): OpenContext {
  return { context, close: async () => undefined };
}

function named({ origin, apiKey, store }: JobTarget): string {
  if (store) return `${origin} (${store})`;
  return apiKey === null ? origin || 'no service' : `${origin} with API key ${apiKey}`;
}
