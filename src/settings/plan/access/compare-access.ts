import { createHash } from 'node:crypto';
import type { AccessLevelSettings, AccessMembership } from '../../../catalog/local/access.ts';
import { createAccessCheck } from '../../../service/records/access.ts';
import { ROOT } from '../../../service/records/folder.ts';
import {
  type AccessRow,
  type ChangedResource,
  classifyChange,
  MAX_ROWS,
} from '../../access-preview.ts';
import { levelKey, type Memberships } from '../../memberships.ts';
import { isSameAccess, summarizeAccess } from './access.ts';
import {
  isRelevant,
  type KnownDocument,
  type OrganizationPlaces,
  type PlannedPlace,
} from './organization-places.ts';

/** A user with the memberships before and after a plan. */
export interface ComparedUser {
  readonly userId: string;
  readonly before: Memberships;
  readonly after: Memberships;
}

interface AccessChange extends Pick<AccessRow, 'before' | 'after'> {
  readonly through: AccessMembership;
}

/** A change of access to a folder and the documents in it, or to a single document. */
interface ResourceChange {
  readonly change: AccessChange;
  readonly place: PlannedPlace | undefined;
  readonly document?: string;
  /** Documents of the folder whose access changes in another way, or not at all. */
  readonly except?: ReadonlySet<string>;
}

interface NumberedRow {
  readonly position: number;
  readonly row: AccessRow;
}

interface ChangedAccess {
  readonly changes: readonly ResourceChange[];
  readonly count: number;
  readonly digest: string;
  /** Documents whose access depends on a folder that is not known. */
  readonly unknown: readonly string[];
}

/** Collects the differences between the access before and after a plan, user by user. */
export class AccessComparison {
  /** The first row of each change of a user, and the others, with their positions. */
  readonly #first: NumberedRow[] = [];
  readonly #others: NumberedRow[] = [];
  readonly #digest = createHash('sha256');
  readonly #people = {
    gain: new Set<string>(),
    lose: new Set<string>(),
    change: new Set<string>(),
  };
  readonly #unknown = new Set<string>();
  readonly #now: number;
  #total = 0;

  /** @param now Unix milliseconds */
  constructor(now: number) {
    this.#now = now;
  }

  /** Returns a function that compares the access of users to an organization. */
  createComparer(places: OrganizationPlaces): (user: ComparedUser) => void {
    const known = new Map<string, ChangedAccess>();
    return (user) => {
      const relevant = selectRelevant(places, user);
      if (!relevant) return;
      const { before, after } = relevant;
      // Users with the same memberships have the same access.
      const signature = JSON.stringify([[...before.values()], [...after.values()]]);
      const found = known.get(signature) ?? findChanges(places, relevant, this.#now);
      known.set(signature, found);
      this.#add(places.organizationId, user.userId, found);
    };
  }

  /** Adds documents whose access is not known. */
  addUnknown(organizationId: string, documentIds: readonly string[]): void {
    for (const id of documentIds) this.#unknown.add(JSON.stringify([organizationId, id]));
  }

  finish() {
    const { gain, lose, change } = this.#people;
    return {
      counts: { gain: gain.size, lose: lose.size, change: change.size },
      total: this.#total,
      rows: this.#selectRows(),
      ...(this.#total > 0 && { sha256: this.#digest.digest('hex') }),
      /** Number of documents whose access is not known. */
      documents: this.#unknown.size,
    };
  }

  #add(organizationId: string, user: string, found: ChangedAccess): void {
    const { changes, count, digest, unknown } = found;
    this.addUnknown(organizationId, unknown);
    if (count === 0) return;
    this.#total += count;
    this.#digest.update(`${JSON.stringify([organizationId, user, digest])}\n`);
    for (const { change } of changes) this.#people[classifyChange(change)].add(user);
    this.#addRows(organizationId, user, changes);
  }

  #addRows(organizationId: string, user: string, changes: readonly ResourceChange[]): void {
    const shown = new Set<string>();
    for (const each of changes) {
      const key = JSON.stringify(each.change);
      for (const resource of listResources(organizationId, each)) {
        const rows = shown.has(key) ? this.#others : this.#first;
        shown.add(key);
        if (rows.length === MAX_ROWS) break;
        const position = this.#first.length + this.#others.length;
        rows.push({ position, row: createRow(organizationId, user, resource, each.change) });
      }
    }
  }

  /** Selects rows about as many people as possible, in their order. */
  #selectRows(): readonly AccessRow[] {
    return [...this.#first, ...this.#others]
      .slice(0, MAX_ROWS)
      .toSorted((a, b) => a.position - b.position)
      .map(({ row }) => row);
  }
}

/**
 * Returns the memberships that may make a difference: all of them if the plan changes one, otherwise
 * those in folders that it moves.
 */
function selectRelevant(
  places: OrganizationPlaces,
  { before, after }: ComparedUser,
): Omit<ComparedUser, 'userId'> | undefined {
  if (before !== after && !isEqual(before, after)) return { before, after };
  const own = new Map([...before].filter(([, membership]) => isRelevant(places, membership)));
  return own.size > 0 ? { before: own, after: own } : undefined;
}

function isEqual(left: Memberships, right: Memberships): boolean {
  return left.size === right.size && listChanged(left, right).length === 0;
}

function listChanged(left: Memberships, right: Memberships): readonly string[] {
  const isSame = (one?: AccessMembership, other?: AccessMembership) =>
    one?.role === other?.role && one?.expiresAt === other?.expiresAt;
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].filter((key) => !isSame(left.get(key), right.get(key)));
}

function findChanges(
  places: OrganizationPlaces,
  { before, after }: Omit<ComparedUser, 'userId'>,
  now: number,
): ChangedAccess {
  const changed = listChanged(before, after);
  const outer = changed.filter((key) => !key.startsWith('document/'));
  const isTouched = (place: PlannedPlace | undefined) =>
    place?.isMoved || outer.some((key) => place?.levels.has(key));
  const own = listOwnDocuments(places, [...before.values(), ...after.values()]);
  const except = new Set(own.map(({ documentId }) => documentId));
  const changes: ResourceChange[] = [];
  for (const place of places.places) {
    if (!isTouched(place)) continue;
    const [checkBefore, checkAfter] = place.checks;
    const change = compareDecisions(
      checkBefore(select(before, place.before)).via,
      checkAfter(select(after, place.after)).via,
    );
    if (change) changes.push({ change, place, except });
  }
  const hasOuter = [...before.values(), ...after.values()].some(
    ({ level }) => level !== 'document',
  );
  const unknown: string[] = [];
  for (const { documentId: id, folderId, accessType, disabled, isIncomplete } of own) {
    const place = places.placeOf.get(folderId ?? '');
    if (!isTouched(place) && !changed.includes(`document/${id}`)) continue;
    if (isIncomplete || (!place && hasOuter)) {
      unknown.push(id);
      continue;
    }
    const level: AccessLevelSettings = { level: 'document', id, accessType };
    const decide = (memberships: Memberships, outer: readonly AccessLevelSettings[] = []) => {
      const path = [level, ...outer];
      return createAccessCheck({ disabled, path }, now)(select(memberships, path)).via;
    };
    const change = compareDecisions(decide(before, place?.before), decide(after, place?.after));
    if (change) changes.push({ change, place, document: id });
  }
  return { ...summarize(places.organizationId, changes), unknown };
}

function listOwnDocuments(
  { documents }: OrganizationPlaces,
  memberships: readonly AccessMembership[],
): readonly KnownDocument[] {
  const ids = memberships.filter(({ level }) => level === 'document').map(({ id }) => id);
  return [...new Set(ids)].flatMap((id) => documents.get(id) ?? []);
}

/** Selects the memberships at the levels of a path. */
function select(
  memberships: Memberships,
  path: readonly AccessLevelSettings[],
): readonly AccessMembership[] {
  return path.flatMap((level) => memberships.get(levelKey(level)) ?? []);
}

function compareDecisions(
  viaBefore: readonly AccessMembership[],
  viaAfter: readonly AccessMembership[],
): AccessChange | undefined {
  const [before, after] = [summarizeAccess(viaBefore), summarizeAccess(viaAfter)];
  const granted = after ?? before;
  if (!granted || isSameAccess(before?.access, after?.access)) return undefined;
  return {
    before: before?.access ?? null,
    after: after?.access ?? null,
    through: granted.through,
  };
}

function summarize(
  organizationId: string,
  changes: readonly ResourceChange[],
): Omit<ChangedAccess, 'unknown'> {
  const digest = createHash('sha256');
  let count = 0;
  for (const each of changes) {
    digest.update(`${JSON.stringify(each.change)}\n`);
    for (const resource of listResources(organizationId, each)) {
      count += 1;
      digest.update(`${JSON.stringify(resource)}\n`);
    }
  }
  return { changes, count, digest: digest.digest('hex') };
}

function* listResources(
  organizationId: string,
  { place, document, except }: ResourceChange,
): Generator<ChangedResource> {
  const folderId = place && { folderId: place.id };
  if (document !== undefined || !place) {
    yield { type: 'document', id: String(document), organizationId, ...folderId };
    return;
  }
  yield place.id === ROOT.folderId
    ? { type: 'organization', id: organizationId, organizationId }
    : { type: 'folder', id: place.id, organizationId };
  for (const id of place.plain)
    if (!except?.has(id)) yield { type: 'document', id, organizationId, ...folderId };
}

function createRow(
  organizationId: string,
  user: string,
  resource: ChangedResource,
  { before, after, through: { level, id } }: AccessChange,
): AccessRow {
  const through = { type: level, id: level === 'organization' ? organizationId : id };
  return { user, resource, before, after, through };
}
