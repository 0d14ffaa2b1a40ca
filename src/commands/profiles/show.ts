import { SvcError } from '../../kernel/errors.ts';
import { hint, stepWithPlaceholder } from '../../kernel/hint.ts';
import { SECRET_SETTINGS } from '../../kernel/variables.ts';
import { findProfile, readProfiles } from '../../profiles/profiles-file.ts';
import { createSecretStorage, readSecrets } from '../../profiles/secrets.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { describeProfile } from './describe-profile.ts';

export async function showProfile(context: Context, { arguments: [given] }: Invocation): Promise<void> {
  const name = given ?? (await requireActiveProfile(context));
  const saved = await readProfiles(context.folders);
  const profile = findProfile(saved, name);
  const { secrets, missingReason } = await readSecrets(createSecretStorage(context), profile);
  const { authToken, workspaceAuthToken } = secrets;
  const locations = new Set(
    SECRET_SETTINGS.flatMap((secret) => secrets[secret]?.location ?? profile.secrets?.[secret] ?? []),
  );
  const view = {
    ...describeProfile(saved, name, profile),
    headerPrefix: profile.headerPrefix ?? null,
    output: profile.output ?? null,
    authToken: authToken?.value ?? null,
    workspaceAuthToken: workspaceAuthToken?.value ?? null,
    secrets: [...locations].join(', ') || null,
  };
  if (missingReason !== undefined) await context.warn(`${missingReason}; the profile is shown without its secrets`);
  const printer = await context.printer();
  await printer.value(view, { secrets: [['authToken'], ['workspaceAuthToken']] });
}

async function requireActiveProfile(context: Context): Promise<string> {
  const { profile } = await context.openSettings();
  if (profile) return profile.value;
  throw new SvcError('not_found', 'no profile is selected', {
    hint: hint`specify a name, or select a profile with \`${stepWithPlaceholder('configure', ['profiles', 'use'], '<name>')}\``,
  });
}
