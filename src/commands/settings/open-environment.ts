import { parseBaseUrl } from '../../client/target.ts';
import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import type { Profile } from '../../profiles/profile.ts';
import { readProfiles } from '../../profiles/profiles-file.ts';
import type { CommandTarget } from '../../profiles/target.ts';
import type { DeclaredEnvironment } from '../../settings/settings.ts';
import { serviceLabel } from '../connection/protected-profile.ts';
import type { ConnectedCommand, Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { canAsk, withCiReason } from '../terminal/terminal.ts';

/** The target that a settings file or a saved plan names. */
export interface NamedByFile extends Partial<DeclaredEnvironment> {
  /** The settings file or the saved plan. */
  readonly file: string;
  /** All environments of the settings file. */
  readonly environments?: readonly DeclaredEnvironment[];
}

/**
 * Runs `work` with a context for the target that a file names: the given context if the file names
 * none, or with the embedded service. The profile of an environment may be missing if environment
 * variables contain its base URL and credentials.
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

/**
 * Checks that a settings file is not used without an environment against the service of one: its
 * values would replace those of the environment. On a terminal, asks for the environment.
 * @returns the environment that the user chose
 * @throws SvcError `usage` if prompts are not possible, or if the user cancels
 */
export async function chooseEnvironment(
  context: Context,
  file: string,
  environments: readonly DeclaredEnvironment[],
): Promise<string | undefined> {
  if (environments.length === 0 || context.options.local) return undefined;
  const names = await findEnvironmentsOfTarget(context, environments);
  if (names.length === 0) return undefined;
  const label = await serviceLabel(context);
  if (!canAsk(context) || file === '-')
    throw new SvcError(
      'usage',
      `no environment was chosen, but ${file} declares ${names.join(' and ')} for this target (${label}); nothing was sent`,
      { hint: withCiReason(context, names.map((name) => `add --env ${name}`).join(', or ')) },
    );
  const others = environments.map(({ name }) => name).filter((name) => !names.includes(name));
  const cancel = 'cancel';
  const chosen = await (await context.prompter()).pick({
    message: `Environment of ${file} (${label})`,
    choices: [...names, ...others, cancel].map((value) => ({ value })),
  });
  if (chosen === cancel) throw new SvcError('usage', 'canceled; nothing was sent');
  return chosen;
}

/**
 * Checks that an environment, if it does not name the target itself, is not used against the service
 * of another one: its values would replace those of the other environment.
 * @throws SvcError `usage`
 */
async function assertOwnTarget(
  context: ConnectedCommand,
  {
    file,
    name,
    environments,
  }: {
    readonly file: string;
    readonly name: string;
    /** All environments of the file. */
    readonly environments: readonly DeclaredEnvironment[];
  },
): Promise<void> {
  if (context.options.local) return;
  const owners = await findEnvironmentsOfTarget(context, environments);
  if (owners.length === 0 || owners.includes(name)) return;
  const label = await serviceLabel(context);
  throw new SvcError(
    'usage',
    `${file} declares ${owners.join(' and ')} for this target (${label}), not ${name}; nothing was sent`,
    {
      hint: `use the target of ${name}, or add ${owners.map((owner) => `--env ${owner}`).join(' or ')}; to give ${name} a target of its own, declare its baseUrl`,
    },
  );
}

/** Returns the names of the environments whose target is that of a command. */
async function findEnvironmentsOfTarget(
  { target: resolveTarget, folders }: ConnectedCommand,
  environments: readonly DeclaredEnvironment[],
): Promise<readonly string[]> {
  const target = await resolveTarget();
  const { profiles } = await readProfiles(folders);
  return environments
    .filter((environment) =>
      isTargetOf(environment, profiles.get(environment.profile ?? ''), target),
    )
    .map(({ name }) => name);
}

function isTargetOf(
  environment: DeclaredEnvironment,
  saved: Profile | undefined,
  target: CommandTarget,
): boolean {
  if (environment.profile !== undefined && environment.profile === target.profile?.value)
    return true;
  const { baseUrl, apiKey } = target;
  return isEnvironmentOf(environment, saved, {
    url: baseUrl?.value,
    apiKey: apiKey?.value ?? null,
  });
}

/**
 * Whether an environment names a target by its own base URL or by that of its profile.
 * @param saved the profile of the environment
 */
export function isEnvironmentOf(
  { baseUrl }: DeclaredEnvironment,
  saved: Profile | undefined,
  { url, apiKey }: { readonly url: string | undefined; readonly apiKey: string | null },
): boolean {
  // Several API keys may have one base URL.
  if (saved?.apiKey !== undefined && apiKey !== null && saved.apiKey !== apiKey) return false;
  return [baseUrl, saved?.baseUrl].some(
    (each) => each !== undefined && parseBaseUrl(each, 'baseUrl') === url,
  );
}
