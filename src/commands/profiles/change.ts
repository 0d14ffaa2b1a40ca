import { hint, stepWithPlaceholder } from '../../kernel/errors.ts';
import { parseProfileName } from '../../profiles/profile.ts';
import { findProfile, readSavedProfiles } from '../../profiles/profiles-file.ts';
import { createProfileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { canAsk } from '../terminal/terminal.ts';

export async function useProfile(
  context: Context,
  { arguments: [name = ''] }: Invocation,
): Promise<void> {
  await createProfileStore(context).use(name);
  await context.note(`Selected profile '${name}'`);
}

export async function renameProfile(
  context: Context,
  { arguments: [from = '', to = ''] }: Invocation,
): Promise<void> {
  await createProfileStore(context).rename(from, parseProfileName(to));
  await context.note(`Renamed profile '${from}' to '${to}'`);
}

export async function removeProfile(
  context: Context,
  { arguments: [name = ''] }: Invocation,
): Promise<void> {
  const saved = await readSavedProfiles(context.folders);
  findProfile(saved, name);
  if (canAsk(context))
    await context.confirm(`Remove profile '${name}' and its secrets?`, 'this machine');
  const secretsRemoved = await createProfileStore(context).remove(name);
  const choose = saved.current === name && saved.profiles.size > 1;
  const choosing = stepWithPlaceholder('configure', ['profiles', 'use'], '<name>');
  const next = choose ? hint`; to select a different one, run ${choosing}` : '';
  if (!secretsRemoved)
    await context.warn(
      'the keychain did not delete the secrets; svc will try again at the next profile change',
    );
  await context.note(
    hint`Removed profile '${name}'${secretsRemoved ? ' and its secrets' : ''}${next}`,
  );
}
