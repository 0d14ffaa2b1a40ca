export const ACCESS_ROLES = ['viewer', 'editor'] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];
export const DEFAULT_ACCESS_ROLE = 'editor' satisfies AccessRole;

/** Problem of a user that declares both. */
export const ROLE_AND_MEMBERSHIPS = 'a user with memberships has a role in each; move it there';
