import { SvcError } from '../../kernel/errors.ts';
import { findProfile, readProfiles } from '../../profiles/book.ts';
import { fileSecretStore } from '../../profiles/secret-store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { listed } from './view.ts';

export async function showProfile(context: Context, { arguments: [given] }: Invocation): Promise<void> {
  const name = given ?? (await nameInUse(context));
  const book = await readProfiles(context.folders);
  const profile = findProfile(book, name);
  const store = fileSecretStore(context.folders);
  const { authToken = null, workspaceAuthToken = null } = await store.get(name);
  const view = {
    ...listed(book, name, profile),
    headerPrefix: profile.headerPrefix ?? null,
    output: profile.output ?? null,
    authToken,
    workspaceAuthToken,
    secrets: authToken === null && workspaceAuthToken === null ? null : store.place,
  };
  const printer = await context.printer();
  await printer.value(view, { secrets: [['authToken'], ['workspaceAuthToken']] });
}

async function nameInUse(context: Context): Promise<string> {
  const { profile } = await context.settings();
  if (profile) return profile.value;
  throw new SvcError('not_found', 'no profile is in use', {
    hint: 'name one, or choose one with `svc profiles use <name>`',
  });
}
