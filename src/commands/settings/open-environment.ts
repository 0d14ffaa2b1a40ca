import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import type { DeclaredEnvironment } from '../../settings/settings.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';

/** The target that a settings file or a saved plan names. */
export interface NamedByFile extends Partial<DeclaredEnvironment> {
  /** The settings file or the saved plan. */
  readonly file: string;
}

/**
 * Runs `work` with a context for the target that a file names: the given context if the file names
 * none, or with the embedded service. The profile of an environment may be missing if variables
 * have its address and credentials.
 * @throws SvcError `usage` if the command line names another profile
 */
export async function withEnvironment<Result>(
  context: Context,
  { file, name, profile, baseUrl }: NamedByFile,
  work: (context: Context) => Promise<Result>,
): Promise<Result> {
  const { options } = context;
  if (options.local || (profile ?? baseUrl) === undefined) return work(context);
  const source = name === undefined ? file : `environment '${name}' of ${file}`;
  const given = options.profile ?? profile;
  if (given !== profile && profile !== undefined) {
    throw new SvcError('usage', `${source} uses profile '${profile}', not '${given}'`, {
      hint: 'omit --profile, or choose another environment with --env',
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
  return closeAfter(selected, (opened) => work(opened.context));
}
