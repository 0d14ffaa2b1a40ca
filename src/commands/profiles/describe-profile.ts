import type { Profile } from '../../profiles/profile.ts';
import type { SavedProfiles } from '../../profiles/profiles-file.ts';

/** Describes a profile for output. Missing values are null, so all profiles have the same fields. */
export function describeProfile({ current }: SavedProfiles, name: string, profile: Profile) {
  return {
    name,
    current: name === current,
    baseUrl: profile.baseUrl ?? null,
    apiKey: profile.apiKey ?? null,
    workspaceId: profile.workspaceId ?? null,
    org: profile.org ?? null,
    protected: profile.protected === true,
    secrets: secretLocationsOf(profile),
  };
}

function secretLocationsOf({ secrets = {} }: Profile): string | null {
  return [...new Set(Object.values(secrets))].sort().join(', ') || null;
}
