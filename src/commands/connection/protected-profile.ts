import { hint, SvcError, step } from '../../kernel/errors.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { CommandTarget } from '../../profiles/target.ts';
import type { CommandService, Context } from '../context.ts';
import { EMBEDDED_SERVICE } from '../service-flags.ts';
import { becauseOfCi, canAsk } from '../terminal/terminal.ts';

const ALLOW_VARIABLE = SWITCH_VARIABLES.allow;

/**
 * Checks that a command may write. For a protected target, the user must type the name of the
 * profile that protects it; a script must pass `--yes` and set SVC_ALLOW to the name.
 * @throws SvcError `usage` if the write is not allowed
 */
export async function checkProtectedProfile(context: Context): Promise<void> {
  const { options, environment } = context;
  const target = await context.target();
  const { protectedBy: name } = target;
  if (name === undefined) return;
  if (options.yes && environment[ALLOW_VARIABLE] === name) return;
  if (!canAsk(context)) throw createProtectedProfileError(context, name);
  // The profile that protects the target may be another one than the command names.
  const isNamed = name === target.profile?.value;
  const message = isNamed
    ? `This command writes to ${labelTarget(target)}. Type the profile name to continue`
    : `This command writes to ${labelTarget(target)}, which profile ${name} protects. Type ${name} to continue`;
  const typed = await (await context.prompter()).text({ message });
  if (typed.trim() !== name)
    throw new SvcError('usage', 'the typed name does not match the profile; nothing was sent');
}

/** Names the target of a command for a prompt: `profile prod, api.example.com`. */
export async function serviceLabel({ target }: Pick<CommandService, 'target'>): Promise<string> {
  return labelTarget(await target());
}

function labelTarget(target: CommandTarget): string {
  const { embedded, baseUrl } = target;
  if (embedded) return EMBEDDED_SERVICE;
  const parts = [profileLabel(target), baseUrl && new URL(baseUrl.value).host];
  return parts.filter((part) => part !== undefined).join(', ') || 'no service configured';
}

/** Names the profile of a target, and the `.svc.json` that chose it. */
function profileLabel({ profile, folderFile }: CommandTarget): string | undefined {
  return profile && withFolderFile(`profile ${profile.value}`, folderFile);
}

/**
 * Names the profile in the result of a write if a `.svc.json` chose it:
 * `Added user x to acme (profile prod, from ../.svc.json)`.
 */
export async function nameProfile(context: Context, result: string): Promise<string> {
  const target = await context.target();
  if (target.folderFile === undefined) return result;
  context.activity.isTargetNamed = true;
  return `${result} (${profileLabel(target)})`;
}

export function withFolderFile(label: string, folderFile: string | undefined): string {
  return folderFile === undefined ? label : `${label}, from ${folderFile}`;
}

/** Creates an error that names no way around the protection. */
function createProtectedProfileError(context: Context, name: string): SvcError {
  return new SvcError(
    'usage',
    `profile '${name}' is protected${becauseOfCi(context)}; nothing was sent`,
    {
      hint: hint`to read about protected profiles, run ${step('inspect', 'help', 'read-only')}`,
    },
  );
}
