import { prepareQuery } from '../store/prepared-query.ts';
import { prepareUpsert } from '../store/upsert.ts';

/** Adds users as present. For users who are already present, updates the given fields. */
export const upsertPresence = prepareUpsert('presence', ['organization', 'documentId', 'userId'], {
  merged: ['name', 'email', 'status', 'otherFields'],
  replaced: ['lastUpdated'],
});

export const deletePresence = prepareQuery(
  (
    database,
    filter: { readonly organization: number; readonly documentId: string; readonly userIds: readonly string[] },
  ) =>
    database
      .deleteFrom('presence')
      .where('organization', '=', filter.organization)
      .where('documentId', '=', filter.documentId)
      .where('userId', 'in', filter.userIds),
);
