import type { Insertable } from 'kysely';
import { prepared } from '../store/prepared.ts';
import type { MemberLevel, Tables } from '../store/tables.ts';

/** Where users have access. Being a member of one level says nothing about any other. */
export interface Place {
  readonly organization: number;
  readonly level: MemberLevel;
  /** The document's or folder's id; empty at the organization's own level. */
  readonly resourceId: string;
}

/** Adds memberships. Who is a member already keeps the role where none is given, and has access until the end given now. */
export const upsertMembers = prepared((database, rows: readonly Insertable<Tables['members']>[]) =>
  database
    .insertInto('members')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'level', 'resourceId', 'userId']).doUpdateSet(({ fn, ref }) => ({
        accessRole: fn.coalesce(ref('excluded.accessRole'), ref('members.accessRole')),
        expiresAt: ref('excluded.expiresAt'),
      })),
    ),
);

/** Who of these users is a member there. */
export const selectMembers = prepared((database, given: Place & { readonly userIds: readonly string[] }) =>
  database
    .selectFrom('members')
    .select('userId')
    .where('organization', '=', given.organization)
    .where('level', '=', given.level)
    .where('resourceId', '=', given.resourceId)
    .where('userId', 'in', given.userIds),
);

/** Gives those of the users who are members there another role. */
export const setRole = prepared(
  (database, given: Place & { readonly accessRole: string; readonly userIds: readonly string[] }) =>
    database
      .updateTable('members')
      .set({ accessRole: given.accessRole })
      .where('organization', '=', given.organization)
      .where('level', '=', given.level)
      .where('resourceId', '=', given.resourceId)
      .where('userId', 'in', given.userIds),
);
