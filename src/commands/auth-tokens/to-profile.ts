import {
  type Hint,
  hint,
  messageOf,
  SvcError,
  step,
  stepWithPlaceholder,
} from '../../kernel/errors.ts';
import { findProfile } from '../../profiles/profiles-file.ts';
import { createProfileStore, type ProfileStore, warnAboutTokenFile } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import { canAsk } from '../terminal/terminal.ts';
import type { TokenDestination } from './destination.ts';

/**
 * Rewrites the unchanged profile to check that it is writable.
 * @throws SvcError `usage` if it cannot get the token
 */
export async function openProfile(context: Context, apiKey: string): Promise<TokenDestination> {
  const { folders, clock, environment } = context;
  // The store gets no abort signal, because Ctrl-C must not lose a received token.
  const store = createProfileStore({ folders, clock, environment });
  const name = await requireProfile(context, store, apiKey);
  await store.edit(name, (profile, secrets) => ({ profile, secrets }));
  return {
    name: `profile '${name}'`,
    deliver: async (token) => {
      const saved = await store.edit(name, (profile, secrets) => ({
        profile: { ...profile, apiKey },
        secrets: { ...secrets, authToken: token },
      }));
      await warnAboutTokenFile(context, saved);
    },
    discard: async () => undefined,
  };
}

/** Returns the selected profile if it belongs to an API key; undefined otherwise. */
export async function findProfileFor(
  context: Context,
  apiKey: string,
): Promise<string | undefined> {
  return requireProfile(context, createProfileStore(context), apiKey).catch(() => undefined);
}

async function requireProfile(
  context: Context,
  store: ProfileStore,
  apiKey: string,
): Promise<string> {
  const { embedded, profile: active } = await context.target();
  if (embedded) throw createProfileError('the embedded service has no profile');
  if (!active) {
    throw createProfileError(
      'no profile is selected',
      hint`choose one with --profile; to add one, run ${stepWithPlaceholder('configure', ['login'], '<name>')}`,
    );
  }
  const name = active.value;
  const profile = findProfile(await store.read(), name);
  if (profile.apiKey !== undefined && profile.apiKey !== apiKey) {
    const problem = `profile '${name}' belongs to API key ${profile.apiKey}`;
    throw createProfileError(problem, 'choose another profile with --profile');
  }
  if (!profile.baseUrl) throw createProfileError(`profile '${name}' has no base URL`);
  return name;
}

function createProfileError(problem: string, advice: string | Hint = 'omit --save'): SvcError {
  return new SvcError('usage', `--save: ${problem}; nothing was sent`, { hint: advice });
}

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
