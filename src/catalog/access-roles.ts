export const ACCESS_ROLES = ['viewer', 'editor'] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];
export const DEFAULT_ACCESS_ROLE = 'editor' satisfies AccessRole;
