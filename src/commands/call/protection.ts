import { SvcError } from '../../kernel/errors.ts';
import { SWITCHES } from '../../kernel/variables.ts';
import type { OpenSettings } from '../../profiles/resolve.ts';
import type { Context } from '../context.ts';
import { EMBEDDED } from '../embedded.ts';
import { canAsk } from '../terminal/terminal.ts';

/** The variable by which a script says which protected profile it may write through. */
const ALLOWED = SWITCHES.allow;

/**
 * Lets a run write, or not: through a protected profile somebody types its name, or a script says `--yes` and names it
 * in SVC_ALLOW. The embedded service has no profile.
 * @throws SvcError `usage`; nothing was sent
 */
export async function permitWrite(context: Context): Promise<void> {
  const { options, environment } = context;
  if (options.local) return;
  const settings = await context.openSettings();
  const name = settings.profile?.value;
  if (!settings.protected || name === undefined) return;
  if (options.yes && environment[ALLOWED] === name) return;
  if (!canAsk(context)) throw protectedProfile(name, environment[ALLOWED], options.yes);
  const typed = await context.ask(`This writes through ${nameOf(settings)}. Type the name of the profile to go on`);
  if (typed.trim() !== name) throw new SvcError('usage', 'that is not the name of the profile; nothing was sent');
}

/** Whom a command is about, for questions: `profile prod, api.example.com`. */
export async function targetName({ options, openSettings }: Context): Promise<string> {
  return options.local ? EMBEDDED : nameOf(await openSettings());
}

function nameOf({ profile, baseUrl }: OpenSettings): string {
  const parts = [profile && `profile ${profile.value}`, baseUrl && new URL(baseUrl.value).host];
  return parts.filter((part) => part !== undefined).join(', ') || 'no service is configured';
}

/** A script that has done one half of what it takes is told the other. */
function protectedProfile(name: string, allowed: string | undefined, isConfirmed: boolean): SvcError {
  const other = allowed && allowed !== name ? `, and ${ALLOWED} names '${allowed}'` : '';
  const missing = [...(isConfirmed ? [] : ['say --yes']), ...(allowed === name ? [] : [`set ${ALLOWED}=${name}`])];
  return new SvcError('usage', `profile '${name}' is protected${other}; nothing was sent`, {
    hint: `in a script, ${missing.join(' and ')}; on a terminal its name is asked for`,
  });
}
