import type { JobTarget } from '../../bulk/journal/job-description.ts';
import { SvcError } from '../../kernel/errors.ts';
import { describeJobTarget } from '../connection/describe-target.ts';
import type { Context, GlobalOptions, OpenedContext } from '../context.ts';
import { optionalProperty } from '../options.ts';

/**
 * Opens a context for the target of a job: the given context, or one with the job's profile or
 * embedded service.
 * @throws SvcError `usage` if the context has another target than the job
 */
export async function openJobContext(context: Context, target: JobTarget): Promise<OpenedContext> {
  const opened = openTargetContext(context, target);
  const now = await describeJobTarget(opened.context);
  if (now.origin !== target.origin || now.apiKey !== target.apiKey || now.store !== target.store) {
    await opened.close();
    const message = `the job was started against ${describeTarget(target)}, but the current target is ${describeTarget(now)}`;
    throw new SvcError('usage', message, {
      hint: 'nothing was sent; use the profile or credentials that the job was started with',
    });
  }
  return opened;
}

function openTargetContext(context: Context, target: JobTarget): OpenedContext {
  const options = optionsForTarget(context.options, target);
  if (options === context.options) return { context, close: async () => undefined };
  const { profile } = options;
  return context.reopen({
    options,
    ...(profile !== undefined &&
      profile === target.profile && { fileTarget: { source: 'the job', profile } }),
  });
}

/** Adds the flags that select the target of a job. Flags on the command line take precedence. */
export function optionsForTarget(
  options: GlobalOptions,
  { profile, store, flags }: JobTarget,
): GlobalOptions {
  if (store !== undefined) {
    const hasStoreFlags = options.local && options.store !== undefined;
    return hasStoreFlags
      ? options
      : { ...options, local: true, ...optionalProperty('store', store ?? undefined) };
  }
  if (options.local || (options.profile !== undefined && options.profile !== profile))
    return options;
  if (profile === null && flags === undefined) return options;
  const insecureHttp = options.insecureHttp || flags?.insecureHttp === true;
  return {
    ...optionalProperty('profile', profile ?? undefined),
    ...flags,
    ...options,
    insecureHttp,
  };
}

function describeTarget({ origin, apiKey, store }: JobTarget): string {
  if (store) return `${origin} (${store})`;
  return apiKey === null ? origin || 'no service' : `${origin} with API key ${apiKey}`;
}

export const APPLY = 'apply';
export const CHANGE = 'change';
