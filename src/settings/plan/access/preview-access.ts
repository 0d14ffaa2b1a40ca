import type { AccessPreview } from '../../access-preview.ts';
import {
  addGrants,
  type Grant,
  GrantLog,
  type GrantsByUser,
  grantsOf,
  NO_MEMBERSHIPS,
} from '../../memberships.ts';
import type { PlannedWrite } from '../../plan.ts';
import { AccessComparison } from './compare-access.ts';
import { findMoving } from './no-changes.ts';
import { type AccessSource, comparePlaces, isRelevant } from './organization-places.ts';

export interface PreviewedPlan {
  readonly writes: readonly PlannedWrite[];
  /** Grants of the users of a file, which the writes do not contain. */
  readonly fileGrants?: GrantsByUser;
  /** Current time of the service in Unix milliseconds. */
  readonly now: number;
}

const MAX_NAMED = 5;

/** Compares who has access to what before and after the writes of a plan. */
export async function previewAccess(
  { writes, fileGrants, now }: PreviewedPlan,
  source: AccessSource,
): Promise<AccessPreview> {
  const comparison = new AccessComparison(now);
  // Users are declared in the settings file or in a file of their own, never in both.
  const grants = fileGrants ?? collectGrants(writes);
  const unknownPeople = new Set<string>();
  const organizations = new Set([...grants.keys(), ...findMoving(writes)]);
  for (const organizationId of organizations) {
    const content = await source.readContent(organizationId);
    if (!content) continue;
    const own = grants.get(organizationId) ?? new Map<string, readonly Grant[]>();
    const places = comparePlaces(content, writes, now);
    const moved = places.moved.map(({ id }) => id);
    const members = await source.readMembers(
      organizationId,
      (userId, membership) => own.has(userId) || isRelevant(places, membership),
    );
    const isComplete = source.isComplete(organizationId);
    const compare = comparison.createComparer(places);
    for (const [userId, before] of members) {
      const after = addGrants(before, own.get(userId) ?? []);
      compare({ userId, before, after });
    }
    for (const [userId, added] of own) {
      if (members.has(userId)) continue;
      if (isComplete)
        compare({ userId, before: NO_MEMBERSHIPS, after: addGrants(NO_MEMBERSHIPS, added) });
      else unknownPeople.add(userId);
    }
    if (moved.length > 0)
      comparison.addUnknown(organizationId, await source.listUnknown(organizationId, moved));
  }
  const { documents, ...found } = comparison.finish();
  return {
    ...found,
    unknown: { documents, people: unknownPeople.size },
    unknownPeople: [...unknownPeople].slice(0, MAX_NAMED),
  };
}

function collectGrants(writes: readonly PlannedWrite[]): GrantsByUser {
  const log = new GrantLog();
  for (const write of writes) {
    for (const grant of write.items.flatMap((item) => grantsOf(write, item))) log.add(grant);
  }
  return log.grants;
}
