import type { AccessPreview } from '../../access-preview.ts';
import { grantsOf } from '../../memberships.ts';
import type { PlannedWrite } from '../../plan.ts';

/** Whether writes may change the access to what exists before. */
export function mayChangeAccess(writes: readonly PlannedWrite[]): boolean {
  return (
    findMoving(writes).length > 0 ||
    writes.some(
      (write) => write.from !== undefined || write.items.some((item) => grantsOf(write, item)[0]),
    )
  );
}

/** Returns the organizations in which a plan moves folders. */
export function findMoving(writes: readonly PlannedWrite[]): readonly string[] {
  return writes
    .filter(
      ({ operation, items }) =>
        operation === 'folders.update' &&
        items.some(({ data }) => data['parentFolderId'] !== undefined),
    )
    .map(({ shared }) => String(shared['organizationId']));
}

/** The preview of a plan that changes no access. */
export const NO_ACCESS_CHANGES: AccessPreview = {
  counts: { gain: 0, lose: 0, change: 0 },
  total: 0,
  rows: [],
  unknown: { documents: 0, people: 0 },
  unknownPeople: [],
};
