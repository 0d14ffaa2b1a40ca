import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import type { DeclaredSettings } from '../../settings/settings.ts';
import type { Context } from '../context.ts';

/**
 * Runs `work` with a context for the profile of a settings file's environment: the given context if
 * the environment has none, or if flags select another service.
 * @throws SvcError `usage` if the command line names another profile
 */
export async function withEnvironment<Result>(
  context: Context,
  { environment, profile }: Pick<DeclaredSettings, 'environment' | 'profile'>,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { options } = context;
  const isElsewhere = options.local || options.baseUrl !== undefined;
  if (profile === undefined || profile === options.profile || isElsewhere) return work(context);
  if (options.profile !== undefined) {
    throw new SvcError(
      'usage',
      `environment '${environment}' uses profile '${profile}', not '${options.profile}'`,
      {
        hint: 'omit --profile, or choose another environment with --env',
      },
    );
  }
  const selected = context.reopen({ options: { ...options, profile } });
  return closeAfter(selected, (opened) => work(opened.context));
}
