import { findProtectionError } from '../../client/write-guard.ts';
import { hint, SvcError, stepWithPlaceholder } from '../../kernel/errors.ts';
import { SECRET_SETTINGS } from '../../kernel/variables.ts';
import type { Profile } from '../../profiles/profile.ts';
import {
  findProfile,
  readSavedProfiles,
  type SavedProfiles,
} from '../../profiles/profiles-file.ts';
import { createSecretStorage, readSecrets } from '../../profiles/secrets.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { PROFILE_COLUMNS } from './columns.ts';

export async function listProfiles(context: Context): Promise<void> {
  const printer = await context.printer();
  const saved = await readSavedProfiles(context.folders);
  const names = [...saved.profiles].sort(([a], [b]) => (a < b ? -1 : 1));
  const records = names.map(([name, profile]) => describeProfile(saved, name, profile));
  await printer.value(records, { columns: PROFILE_COLUMNS });
  const adding = stepWithPlaceholder('configure', ['login'], '<name>');
  if (records.length === 0) await context.note(hint`no profiles found; to add one, run ${adding}`);
}

export async function showProfile(
  context: Context,
  { arguments: [given] }: Invocation,
): Promise<void> {
  const name = given ?? (await requireActiveProfile(context));
  const saved = await readSavedProfiles(context.folders);
  const profile = findProfile(saved, name);
  if (context.options.showSecrets) assertMayShow(name, profile);
  const { secrets, missingReason } = await readSecrets(createSecretStorage(context), profile);
  const { authToken, workspaceAuthToken, clientKeyPassphrase } = secrets;
  const locations = new Set(
    SECRET_SETTINGS.flatMap(
      (secret) => secrets[secret]?.location ?? profile.secrets?.[secret] ?? [],
    ),
  );
  const view = {
    ...describeProfile(saved, name, profile),
    headerPrefix: profile.headerPrefix ?? null,
    caFile: profile.caFile ?? null,
    clientCert: profile.clientCert ?? null,
    clientKey: profile.clientKey ?? null,
    output: profile.output ?? null,
    signers: profile.signers?.path ?? null,
    authToken: authToken?.value ?? null,
    workspaceAuthToken: workspaceAuthToken?.value ?? null,
    clientKeyPassphrase: clientKeyPassphrase?.value ?? null,
    secrets: [...locations].join(', ') || null,
  };
  if (missingReason !== undefined)
    await context.warn(`${missingReason}; the profile is shown without its secrets`);
  const printer = await context.printer();
  await printer.value(view, { secrets: SECRET_SETTINGS.map((secret) => [secret]) });
}

/** @throws SvcError `read_only` or `approval_required` */
function assertMayShow(name: string, { readOnly, approvals }: Profile): void {
  const target = { subject: `profile '${name}'`, sources: ['the profile'] };
  const protections = {
    readOnly: readOnly ? target : undefined,
    approvals: approvals === undefined ? undefined : { ...target, isGranted: () => false },
  };
  const error = findProtectionError(protections, 'this command hands out secrets');
  if (error) throw error;
}

async function requireActiveProfile(context: Context): Promise<string> {
  const { profile } = await context.target();
  if (profile) return profile.value;
  throw new SvcError('not_found', 'no profile is selected', {
    hint: hint`specify a name; to select a profile, run ${stepWithPlaceholder('configure', ['profiles', 'use'], '<name>')}`,
  });
}

export function describeProfile({ current }: SavedProfiles, name: string, profile: Profile) {
  return {
    name,
    current: name === current,
    baseUrl: profile.baseUrl ?? null,
    apiKey: profile.apiKey ?? null,
    workspaceId: profile.workspaceId ?? null,
    org: profile.org ?? null,
    protected: profile.protected === true,
    readOnly: profile.readOnly === true,
    approvals: profile.approvals ?? null,
    secrets: [...new Set(Object.values(profile.secrets ?? {}))].sort().join(', ') || null,
  };
}
