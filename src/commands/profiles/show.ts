import { SvcError } from '../../kernel/errors.ts';
import { hint, template } from '../../kernel/hint.ts';
import { SECRET_NAMES } from '../../kernel/variables.ts';
import { findProfile, readProfiles } from '../../profiles/book.ts';
import { readSecrets, secretPlaces } from '../../profiles/secrets.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { listed } from './view.ts';

export async function showProfile(context: Context, { arguments: [given] }: Invocation): Promise<void> {
  const name = given ?? (await nameInUse(context));
  const book = await readProfiles(context.folders);
  const profile = findProfile(book, name);
  const { secrets, withheld } = await readSecrets(secretPlaces(context), profile);
  const { authToken, workspaceAuthToken } = secrets;
  const places = new Set(SECRET_NAMES.flatMap((secret) => secrets[secret]?.place ?? profile.secrets?.[secret] ?? []));
  const view = {
    ...listed(book, name, profile),
    headerPrefix: profile.headerPrefix ?? null,
    output: profile.output ?? null,
    authToken: authToken?.value ?? null,
    workspaceAuthToken: workspaceAuthToken?.value ?? null,
    secrets: [...places].join(', ') || null,
  };
  if (withheld !== undefined) await context.warn(`${withheld}; the profile is shown without`);
  const printer = await context.printer();
  await printer.value(view, { secrets: [['authToken'], ['workspaceAuthToken']] });
}

async function nameInUse(context: Context): Promise<string> {
  const { profile } = await context.openSettings();
  if (profile) return profile.value;
  throw new SvcError('not_found', 'no profile is in use', {
    hint: hint`name one, or choose one with \`${template('configure', ['profiles', 'use'], '<name>')}\``,
  });
}
