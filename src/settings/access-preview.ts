import type { AccessRole } from '../catalog/access-roles.ts';

/** Access that a user has now, and how it ends. */
export interface Access {
  readonly role: AccessRole;
  /** Time in RFC 3339; null for no end. */
  readonly expiresAt: string | null;
  /** The weaker access that remains after the end. */
  readonly afterward?: Access;
}

/** An organization, folder, or document. */
export interface ChangedResource {
  readonly type: 'organization' | 'folder' | 'document';
  readonly id: string;
  readonly organizationId: string;
  /** Folder of a document; `root` for the top level of the organization. */
  readonly folderId?: string;
}

/** A membership that grants access. */
export interface AccessGrant {
  readonly type: ChangedResource['type'];
  readonly id: string;
}

/** Access of a user that a plan changes. Null for no access. */
export interface AccessRow {
  readonly user: string;
  readonly resource: ChangedResource;
  readonly before: Access | null;
  readonly after: Access | null;
  /** The membership that grants the access after the plan, or before it if the user loses access. */
  readonly through: AccessGrant;
}

/** Number of people by how their access changes. A person may count more than once. */
export type AccessCounts = Readonly<Record<'gain' | 'lose' | 'change', number>>;

/** Number of documents and people whose access is not known, and is missing from the rows. */
export interface UnknownAccess {
  readonly documents: number;
  readonly people: number;
}

/** The file that declares the members of organizations, as it was read. */
export interface MembersFile {
  readonly path: string;
  readonly sha256: string;
  /** Time of the last change of the file, in RFC 3339. */
  readonly modifiedAt: string;
  /** Age when the plan was made. */
  readonly ageSeconds: number;
}

/** A declared grant that ends soon. */
export interface ExpiringGrant {
  readonly user: string;
  readonly resource: ChangedResource;
  readonly role: string;
  /** Time in RFC 3339. */
  readonly expiresAt: string;
}

/** Differences between the access before and after a plan. */
export interface AccessPreview {
  readonly counts: AccessCounts;
  /** Number of all rows. */
  readonly total: number;
  readonly rows: readonly AccessRow[];
  /** SHA-256 of all rows, including those that are not listed. Absent without rows. */
  readonly sha256?: string;
  readonly unknown: UnknownAccess;
  /** Some of the people whose access is not known. */
  readonly unknownPeople: readonly string[];
  readonly members?: MembersFile;
}

/** Maximum number of rows that a plan lists. */
export const MAX_ROWS = 1_000;

/** Access of a user before and after a plan, to classify and count. */
export interface ComparedAccess {
  readonly before: object | null;
  readonly after: object | null;
}

export function classifyChange({ before, after }: ComparedAccess): keyof AccessCounts {
  if (before && after) return 'change';
  return before ? 'lose' : 'gain';
}
