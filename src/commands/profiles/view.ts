import type { ProfileBook } from '../../profiles/book.ts';
import type { Profile } from '../../profiles/profile.ts';

/** A profile as it is listed. What it does not hold is null, so that every record has the same fields. */
export function listed({ current }: ProfileBook, name: string, profile: Profile) {
  return {
    name,
    current: name === current,
    baseUrl: profile.baseUrl ?? null,
    apiKey: profile.apiKey ?? null,
    workspaceId: profile.workspaceId ?? null,
    org: profile.org ?? null,
    protected: profile.protected === true,
    secrets: placesOf(profile),
  };
}

/** Where its secrets lie, as far as the profile itself says: `keychain`, `file`, or both. */
function placesOf({ secrets = {} }: Profile): string | null {
  return [...new Set(Object.values(secrets))].sort().join(', ') || null;
}
