/**
 * Access that the API provides to a kind of record.
 * - `managed`: read, and changed where they differ.
 * - `ensured`: read, and created if they are missing, but never changed.
 * - `sent`: never read, and sent unless the same content was sent before.
 * - `watched`: read, but never written.
 */
export type KindClass = 'managed' | 'ensured' | 'sent' | 'watched';

interface KindDefinition {
  /** Fields that identify a record. `organizationId` is the first one of a part of an organization. */
  readonly identity: readonly string[];
  /** Another name that the API uses for an identifying field. */
  readonly alias?: readonly [other: string, field: string];
  /** Access of settings files. Kinds without one are content, which only the state contains. */
  readonly settings?: KindClass;
  /** Fields that only a service sets, or that cannot be read. They are never compared. */
  readonly serviceFields?: readonly string[];
}

/**
 * Every kind of record in the state of a service, in the order in which settings are applied. The
 * keys are the names of the lists in exported states and in settings files.
 */
export const RECORD_KINDS = {
  organizations: { identity: ['organizationId'], settings: 'sent' },
  folders: {
    identity: ['organizationId', 'folderId'],
    settings: 'managed',
    serviceFields: ['apiKey', 'createdAt', 'lastUpdated', 'ancestors'],
  },
  documents: {
    identity: ['organizationId', 'documentId'],
    alias: ['id', 'documentId'],
    settings: 'ensured',
    serviceFields: ['id'],
  },
  groups: {
    identity: ['organizationId', 'groupId'],
    alias: ['organizationUserGroupId', 'groupId'],
    settings: 'sent',
  },
  users: { identity: ['organizationId', 'userId'], settings: 'sent' },
  activities: { identity: ['organizationId', 'id'] },
  agents: {
    identity: ['id'],
    settings: 'watched',
    serviceFields: ['executionCount', 'lastExecutedAt'],
  },
  agentGroups: { identity: ['groupId'], alias: ['id', 'groupId'] },
  crdt: { identity: ['organizationId', 'documentId', 'editorId', 'contentKey'] },
  userData: { identity: ['organizationId', 'userId'] },
  /** One record for each configured service, which its name identifies. */
  config: { identity: [], settings: 'managed' },
  endpoints: {
    identity: ['id'],
    settings: 'managed',
    serviceFields: ['id', 'secret', 'createdAt', 'updatedAt', 'metadata'],
  },
} as const satisfies Readonly<Record<string, KindDefinition>>;

type Kinds = typeof RECORD_KINDS;
export type StateKind = keyof Kinds;
/** Kinds whose records are in lists. */
export type ListKind = Exclude<StateKind, 'config'>;
/** Kinds that settings files declare. */
export type SettingsKind = {
  [Kind in StateKind]: Kinds[Kind] extends { readonly settings: KindClass } ? Kind : never;
}[StateKind];
export type ContentKind = Exclude<StateKind, SettingsKind>;
/** Kinds that settings files declare and that can be read back. */
export type ReadableKind = {
  [Kind in SettingsKind]: Kinds[Kind]['settings'] extends 'sent' ? never : Kind;
}[SettingsKind];

const DEFINITIONS: Readonly<Record<StateKind, KindDefinition>> = RECORD_KINDS;

/** Returns the definition of a kind; `undefined` for the name of anything else. */
export function findRecordKind(name: string): KindDefinition | undefined {
  return Object.hasOwn(DEFINITIONS, name) ? DEFINITIONS[name as StateKind] : undefined;
}

function selectKinds<Kind extends StateKind>(
  isSelected: (definition: KindDefinition, kind: StateKind) => boolean,
): readonly Kind[] {
  const kinds = Object.keys(DEFINITIONS) as StateKind[];
  return kinds.filter((kind): kind is Kind => isSelected(DEFINITIONS[kind], kind));
}

export const LIST_KINDS = selectKinds<ListKind>((_, kind) => kind !== 'config');
export const SETTINGS_KINDS = selectKinds<SettingsKind>(({ settings }) => settings !== undefined);
export const CONTENT_KINDS = selectKinds<ContentKind>(({ settings }) => settings === undefined);
export const READABLE_KINDS = selectKinds<ReadableKind>(
  ({ settings }) => settings !== undefined && settings !== 'sent',
);
