import { prepareDelete, prepareUpsert } from '../store/statements.ts';

/** Adds users as present. For users who are already present, updates the given fields. */
export const upsertPresence = prepareUpsert('presence', ['organization', 'documentId', 'userId'], {
  merged: ['name', 'email', 'status', 'otherFields'],
  replaced: ['lastUpdated'],
});

export const deletePresence = prepareDelete('presence');
