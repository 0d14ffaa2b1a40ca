import { FOLDER_VARIABLES, type Folders } from '../../kernel/folders.ts';
import { once } from '../../kernel/once.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { Context, GlobalOptions, ProcessEnvironment } from '../context.ts';

/**
 * Lets a command run without readable profiles if the environment names no profile and has all
 * credentials, as in a container of another user. The command then warns once.
 */
export function withOptionalProfiles(
  { folders, environment }: ProcessEnvironment,
  { local, profile, baseUrl }: GlobalOptions,
  warn: Context['warn'],
): Folders {
  const isSet = (name: keyof typeof SETTING_VARIABLES) =>
    Boolean(environment[SETTING_VARIABLES[name]]);
  const hasCredential =
    (isSet('apiKey') && isSet('authToken')) ||
    (isSet('workspaceId') && isSet('workspaceAuthToken'));
  const isComplete = hasCredential && (baseUrl !== undefined || isSet('baseUrl'));
  if (local || profile !== undefined || isSet('profile') || !isComplete) return folders;
  const ignoreUnreadableProfiles = once(({ message }: Error) =>
    warn(
      `${message}; using the environment only (to use another folder, set ${FOLDER_VARIABLES.config})`,
    ),
  );
  return { ...folders, ignoreUnreadableProfiles };
}
