import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import type { DeclaredEnvironment } from '../../settings/settings.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { assertOwnTarget } from './choose-environment.ts';

/** The target that a settings file or a saved plan names. */
export interface NamedByFile extends Partial<DeclaredEnvironment> {
  /** The settings file or the saved plan. */
  readonly file: string;
  /** All environments of the settings file. */
  readonly environments?: readonly DeclaredEnvironment[];
}

/**
 * Runs `work` with a context for the target that a file names: the given context if the file names
 * none, or with the embedded service. The profile of an environment may be missing if variables
 * have its address and credentials.
 * @throws SvcError `usage` if the command line names another profile, or if the target is that of
 * another environment
 */
export async function withEnvironment<Result>(
  context: Context,
  { file, name, profile, baseUrl, environments = [] }: NamedByFile,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { options } = context;
  const checkAndWork = async (opened: Context) => {
    if (name !== undefined) await assertOwnTarget(opened, { file, name, environments });
    return work(opened);
  };
  if (options.local || (profile ?? baseUrl) === undefined) return checkAndWork(context);
  const source = name === undefined ? file : `environment '${name}' of ${file}`;
  const given = options.profile ?? profile;
  if (given !== profile && profile !== undefined) {
    throw new SvcError('usage', `${source} uses profile '${profile}', not '${given}'`, {
      hint:
        name === undefined
          ? 'omit --profile'
          : 'omit --profile, or choose another environment with --env',
    });
  }
  const isSaved =
    profile !== undefined && (await readProfiles(context.folders)).profiles.has(profile);
  const selected = context.reopen({
    // Hints name the profile.
    options: isSaved ? { ...options, profile } : options,
    fileTarget: {
      source,
      ...optionalProperty('profile', profile),
      ...optionalProperty('baseUrl', baseUrl),
    },
  });
  return closeAfter(selected, (opened) => checkAndWork(opened.context));
}
