import { hint, SvcError, step } from '../../kernel/errors.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { SettingsWithoutSecrets } from '../../profiles/resolve.ts';
import type { Context } from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { canAsk } from '../terminal/terminal.ts';

const ALLOW_VARIABLE = SWITCH_VARIABLES.allow;

/**
 * Checks that a command may write. For a protected profile, the user must type its name; a script
 * must pass `--yes` and set SVC_ALLOW to the name.
 * @throws SvcError `usage` if the write is not allowed
 */
export async function checkProtectedProfile(context: Context): Promise<void> {
  const { options, environment } = context;
  if (options.local) return;
  const settings = await context.openSettings();
  const name = settings.profile?.value;
  if (!settings.protected || name === undefined) return;
  if (options.yes && environment[ALLOW_VARIABLE] === name) return;
  if (!canAsk(context)) throw createProtectedProfileError(name);
  const message = `This command writes to ${profileLabel(settings)}. Type the profile name to continue`;
  const typed = await (await context.prompter()).text({ message });
  if (typed.trim() !== name)
    throw new SvcError('usage', 'the typed name does not match the profile; nothing was sent');
}

export async function serviceLabel({ options, openSettings }: Context): Promise<string> {
  return options.local ? EMBEDDED_SERVICE : profileLabel(await openSettings());
}

function profileLabel({ profile, baseUrl }: SettingsWithoutSecrets): string {
  const parts = [profile && `profile ${profile.value}`, baseUrl && new URL(baseUrl.value).host];
  return parts.filter((part) => part !== undefined).join(', ') || 'no service configured';
}

/** Creates an error that names no way around the protection. */
function createProtectedProfileError(name: string): SvcError {
  return new SvcError('usage', `profile '${name}' is protected; nothing was sent`, {
    hint: hint`to read about protected profiles, run ${step('inspect', 'help', 'read-only')}`,
  });
}
