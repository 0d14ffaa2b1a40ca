import { findProfile, readProfiles } from '../../profiles/book.ts';
import { checkName } from '../../profiles/profile.ts';
import { profileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { hintedCommand } from '../hinted-command.ts';
import { canAsk } from '../terminal/terminal.ts';

export async function useProfile(context: Context, { arguments: [name = ''] }: Invocation): Promise<void> {
  await profileStore(context).use(name);
  await context.note(`profile '${name}' is the one in use from now on`);
}

export async function renameProfile(context: Context, { arguments: [from = '', to = ''] }: Invocation): Promise<void> {
  await profileStore(context).rename(from, checkName(to));
  await context.note(`profile '${from}' is named '${to}' from now on`);
}

/** A profile is the user's own, so a script may remove it unasked; on a terminal it is asked about. */
export async function removeProfile(context: Context, { arguments: [name = ''] }: Invocation): Promise<void> {
  const book = await readProfiles(context.folders);
  findProfile(book, name);
  if (canAsk(context)) await context.confirm(`Remove profile '${name}' and its secrets?`, 'this machine');
  const gone = await profileStore(context).remove(name);
  const choose = book.current === name && book.profiles.size > 1;
  const next = choose
    ? `; choose another one with \`${hintedCommand({ local: false }, 'profiles', 'use')} <name>\``
    : '';
  if (!gone) {
    await context.warn('the keychain did not let go of its secrets; the next change of a profile tries that again');
  }
  await context.note(`removed profile '${name}'${gone ? ' and its secrets' : ''}${next}`);
}
