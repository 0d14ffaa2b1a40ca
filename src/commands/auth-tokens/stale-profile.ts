import { hint, messageOf, SvcError, step } from '../../kernel/errors.ts';
import { createProfileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import { canAsk } from '../terminal/terminal.ts';
import { findProfileFor } from './to-profile.ts';

interface NewToken {
  readonly apiKey: string;
  readonly token: string;
  /** File with the new token, if there is one. */
  readonly outputFile: string | undefined;
}

/**
 * Handles a profile that still has the token that a reset replaced: marks it, so that a later
 * rejection can name the cause, prints the command that saves the new token, and offers to save it.
 * `--yes` does not accept the offer. A problem is only a warning, because the token was delivered.
 */
export async function reportStaleProfile(context: Context, created: NewToken): Promise<void> {
  const { folders, clock, environment } = context;
  const store = createProfileStore({ folders, clock, environment });
  const name = await findProfileFor(context, created.apiKey);
  if (name === undefined) return;
  const { profiles } = await store.read();
  if (profiles.get(name)?.secrets?.authToken === undefined) return;
  const authTokenReplacedAt = new Date(clock.now()).toISOString();
  const warnAbout = async (error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    await context.warn(messageOf(error)).catch(() => undefined);
  };
  await store
    .edit(name, (profile, secrets) => ({ profile: { ...profile, authTokenReplacedAt }, secrets }))
    .catch(warnAbout);
  const isAsked = canAsk(context) && !context.options.yes;
  await context
    .warn(
      hint`profile '${name}' still has the old token; to save the new one, run ${saving(name, created, canAsk(context))}`,
    )
    .catch(() => undefined);
  if (!isAsked) return;
  const prompter = await context.prompter();
  if (!(await prompter.confirm(`Save the new token in profile '${name}'?`, true))) return;
  const { token: authToken } = created;
  await store
    .edit(name, (profile, secrets) => ({ profile, secrets: { ...secrets, authToken } }))
    .then(() => context.note(`Saved the new token in profile '${name}'`))
    .catch(warnAbout);
}

/** Returns the command that saves the new token. On a terminal, the command asks for it. */
function saving(name: string, { outputFile }: NewToken, asks: boolean) {
  const update = ['profiles', 'update', name];
  if (outputFile !== undefined)
    return step('configure', ...update, '--auth-token-file', outputFile);
  return step('configure', ...update, ...(asks ? [] : ['--auth-token-stdin']));
}
