export const ACCESS_ROLES = ['viewer', 'editor'] as const;

export const DEFAULT_ACCESS_ROLE = 'editor' satisfies (typeof ACCESS_ROLES)[number];
