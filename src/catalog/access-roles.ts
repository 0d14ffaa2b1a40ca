/** What a user may do in an organization, a folder or a document. */
export const ACCESS_ROLES = ['viewer', 'editor'] as const;

/** The role where permission is given and none is named. */
export const DEFAULT_ACCESS_ROLE = 'editor' satisfies (typeof ACCESS_ROLES)[number];
