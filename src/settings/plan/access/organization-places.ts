import type { AccessLevelSettings, AccessMembership } from '../../../catalog/local/access.ts';
import { createAccessCheck } from '../../../service/records/access.ts';
import { ROOT } from '../../../service/records/folder.ts';
import { levelKey, type Memberships } from '../../memberships.ts';
import type { PlannedWrite } from '../../plan.ts';
import { type FolderTree, findFolderPath, writeFolders } from './folder-tree.ts';

/** A document that exists before the plan. */
export interface KnownDocument {
  readonly documentId: string;
  /** ID of its folder, or `root`; undefined if it is not known. */
  readonly folderId: string | undefined;
  readonly accessType: string;
  readonly disabled: boolean;
  /** Whether it may have members that are not known. */
  readonly isIncomplete?: boolean;
}

/** The folders and documents of an organization before a plan. */
export interface OrganizationContent {
  readonly organizationId: string;
  readonly folders: FolderTree;
  readonly documents: Iterable<KnownDocument>;
}

type Check = ReturnType<typeof createAccessCheck>;

/** A folder, or the top level of an organization, before and after a plan. */
export interface PlannedPlace {
  /** ID of the folder, or `root`. */
  readonly id: string;
  readonly before: readonly AccessLevelSettings[];
  readonly after: readonly AccessLevelSettings[];
  /** Whether the levels around the folder change. */
  readonly isMoved: boolean;
  readonly levels: ReadonlySet<string>;
  readonly checks: readonly [before: Check, after: Check];
  /** Documents that have the access of the folder, except for their own members. */
  readonly plain: ReadonlySet<string>;
}

/** The folders and documents of an organization that exist before and after a plan. */
export interface OrganizationPlaces {
  readonly organizationId: string;
  readonly places: readonly PlannedPlace[];
  /** Places in which documents have other members after the plan. */
  readonly moved: readonly PlannedPlace[];
  readonly placeOf: ReadonlyMap<string, PlannedPlace>;
  readonly documents: ReadonlyMap<string, KnownDocument>;
  /** Levels of the folders that a plan moves, by which the access of all their members changes. */
  readonly movedLevels: ReadonlySet<string>;
}

/** @param now Unix milliseconds */
export function comparePlaces(
  { organizationId, folders, documents }: OrganizationContent,
  writes: readonly PlannedWrite[],
  now: number,
): OrganizationPlaces {
  const after = writeFolders(folders, organizationId, writes);
  const plainOf = new Map<string | undefined, Set<string>>();
  const places = [ROOT.folderId, ...folders.keys()].map((id) => {
    const paths = [findFolderPath(folders, id), findFolderPath(after, id)] as const;
    const plain = new Set<string>();
    plainOf.set(id, plain);
    return { ...createPlace(id, paths, now), plain };
  });
  const placeOf = new Map(places.map((place) => [place.id, place]));
  const byId = new Map<string, KnownDocument>();
  for (const document of documents) {
    byId.set(document.documentId, document);
    const { accessType, disabled, isIncomplete } = document;
    const isPlain = accessType !== 'restricted' && !disabled && !isIncomplete;
    if (isPlain) plainOf.get(document.folderId)?.add(document.documentId);
  }
  const moved = places.filter(({ isMoved }) => isMoved);
  return {
    organizationId,
    places,
    moved,
    placeOf,
    documents: byId,
    movedLevels: new Set(moved.flatMap(({ levels }) => [...levels])),
  };
}

function createPlace(
  id: string,
  [before, after]: readonly [readonly AccessLevelSettings[], readonly AccessLevelSettings[]],
  now: number,
): Omit<PlannedPlace, 'plain'> {
  const keys = (path: readonly AccessLevelSettings[]) => path.map(levelKey);
  return {
    id,
    before,
    after,
    isMoved: formatPath(before) !== formatPath(after),
    levels: new Set([...keys(before), ...keys(after)]),
    checks: [
      createAccessCheck({ disabled: false, path: before }, now),
      createAccessCheck({ disabled: false, path: after }, now),
    ],
  };
}

function formatPath(path: readonly AccessLevelSettings[]): string {
  return JSON.stringify(path.map(({ id, accessType, inherited }) => [id, accessType, inherited]));
}

/** Whether a plan may change the access of users with a membership without changing it. */
export function isRelevant(
  { movedLevels, documents, placeOf }: OrganizationPlaces,
  { level, id }: AccessMembership,
): boolean {
  return level === 'document'
    ? placeOf.get(documents.get(id)?.folderId ?? '')?.isMoved === true
    : movedLevels.has(levelKey({ level, id }));
}

/** The known access to organizations before a plan. */
export interface AccessSource {
  /**
   * Returns the folders and documents of an organization, as far as they are known; undefined if it
   * does not exist.
   */
  readonly readContent: (organizationId: string) => Promise<OrganizationContent | undefined>;
  /** Returns the known memberships of users; without those that are not wanted. */
  readonly readMembers: (
    organizationId: string,
    isWanted: (userId: string, membership: AccessMembership) => boolean,
  ) => Promise<ReadonlyMap<string, Memberships>>;
  /** Whether all members of the organization are known. */
  readonly isComplete: (organizationId: string) => boolean;
  /** Lists the documents in folders whose members are not known. */
  readonly listUnknown: (
    organizationId: string,
    folderIds: readonly string[],
  ) => Promise<readonly string[]>;
}
