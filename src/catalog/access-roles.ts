export const ACCESS_ROLES = ['viewer', 'editor'] as const;

/** The role of a permission that does not specify one. */
export const DEFAULT_ACCESS_ROLE = 'editor' satisfies (typeof ACCESS_ROLES)[number];
