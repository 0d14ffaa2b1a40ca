/** Kinds of stored records, by their names in `svc local list`. */
export const STORED_KIND_NAMES = [
  'organizations',
  'users',
  'groups',
  'group-members',
  'members',
  'permissions',
  'folders',
  'documents',
  'notifications',
  'activities',
  'presence',
  'crdt',
  'agents',
  'endpoints',
  'tokens',
] as const;

export type StoredKindName = (typeof STORED_KIND_NAMES)[number];

/** Fields with a secret, by kind. */
export const SECRET_FIELDS: { readonly [Kind in StoredKindName]?: string } = {
  endpoints: 'secret',
  tokens: 'token',
};

/** Kinds of records that `svc local show` shows. */
export const SHOWN_KINDS = ['organization', 'user', 'group', 'folder', 'document'] as const;
export type ShownKind = (typeof SHOWN_KINDS)[number];
