import { SvcError } from '../../kernel/errors.ts';
import { type Hint, hint, template } from '../../kernel/hint.ts';
import { findProfile } from '../../profiles/book.ts';
import type { Profile } from '../../profiles/profile.ts';
import { type ProfileEdit, profileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import type { Destination } from './destination.ts';

/**
 * The profile in use, as the place for the auth token of an API key. That it can be written is tried: what it holds is
 * written as it is.
 * @throws SvcError `usage` where no profile is in use, or it is about something else
 */
export async function openProfile(context: Context, apiKey: string): Promise<Destination> {
  const name = await profileInUse(context);
  const { folders, clock, environment } = context;
  // Without the signal: a token that has come is kept, whoever presses Ctrl-C.
  const store = profileStore({ folders, clock, environment });
  const check = await ownershipCheck(context, name, apiKey);
  check(findProfile(await store.read(), name));
  await store.edit(name, (profile, secrets) => ({ profile, secrets }));
  return {
    name: `profile '${name}'`,
    deliver: async (token) => {
      const { place, fault } = await store.edit(name, withToken(apiKey, token));
      // Talk that cannot be written must not look like a token that could not be kept.
      if (fault !== undefined) await context.warn(`the keychain ${fault}; kept in the ${place}`).catch(() => undefined);
    },
    discard: async () => undefined,
  };
}

/** Whether `openProfile` would find a profile in use for the API key and the service of this run. */
export async function hasProfileFor(context: Context, apiKey: string): Promise<boolean> {
  try {
    const name = await profileInUse(context);
    const check = await ownershipCheck(context, name, apiKey);
    check(findProfile(await profileStore(context).read(), name));
    return true;
  } catch {
    return false; // the reason belongs to whoever asks for it
  }
}

/** A profile with the token of its API key replaced; one that has no API key gets it too. */
export function withToken(apiKey: string, token: string): ProfileEdit {
  return (profile, secrets) => ({ profile: { ...profile, apiKey }, secrets: { ...secrets, authToken: token } });
}

async function profileInUse({ options, openSettings }: Context): Promise<string> {
  if (options.local) throw refused('the embedded service has no profile');
  const { profile } = await openSettings();
  if (profile) return profile.value;
  throw refused(
    'no profile is in use',
    hint`name one with --profile, or add one with \`${template('configure', ['profiles', 'add'], '<name>')}\``,
  );
}

/** Sees to it that a token is saved for its own API key and its own origin only. */
async function ownershipCheck({ openSettings }: Context, name: string, apiKey: string) {
  const { baseUrl } = await openSettings();
  return (profile: Profile) => {
    if (profile.apiKey !== undefined && profile.apiKey !== apiKey) {
      throw refused(`profile '${name}' is about the API key ${profile.apiKey}`, 'name another one with --profile');
    }
    const home = profile.baseUrl && new URL(profile.baseUrl).origin;
    if (!home || !baseUrl || new URL(baseUrl.value).origin !== home) {
      throw refused(`profile '${name}' is for ${home ?? 'no address yet'}`, 'leave --base-url and SVC_BASE_URL out');
    }
  };
}

function refused(problem: string, way: string | Hint = 'leave --save out'): SvcError {
  return new SvcError('usage', `--save: ${problem}; nothing was sent`, { hint: way });
}
