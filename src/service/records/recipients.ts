import { sql } from 'kysely';
import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../call.ts';
import { distinctBatchesOf, ROWS_PER_STATEMENT } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import { doorsTo, selectLetIn } from './access.ts';
import { selectUsers } from './users.ts';

type Notification = z.output<Operations['notifications.add']['input']>;
type AccessContext = NonNullable<Notification['context']>['access'];

/**
 * The users that a notification reaches, some at a time; who is named and a member of the organization may come twice.
 * A context reaches the users that carry a matching one in a `context` of their own, a field that users may be added with.
 */
export async function* recipients(
  call: KeyCall,
  organization: number,
  notification: Notification,
): AsyncGenerator<readonly string[]> {
  const { database, now } = call;
  const { documentId, verifyUserPermissions, context } = notification;
  const doors = verifyUserPermissions ? await doorsTo(database, organization, documentId) : undefined;
  for await (const audience of audienceOf(call, organization, notification)) {
    let userIds = audience;
    if (doors) userIds = (await selectLetIn(database, { organization, doors, userIds, now })).map(userIdOf);
    if (context && userIds.length > 0) {
      const found = await selectUsers(database, { organization, userIds });
      userIds = found.filter((user) => isInContext(user.otherFields, context.access)).map(userIdOf);
    }
    if (userIds.length > 0) yield userIds;
  }
}

const userIdOf = ({ userId }: { readonly userId: string }) => userId;

/** Those named, and unless the notification says otherwise all members of the organization. */
async function* audienceOf(
  { database, now }: KeyCall,
  organization: number,
  { notifyUsers, notifyAll = true }: Notification,
): AsyncGenerator<readonly string[]> {
  for (const batch of distinctBatchesOf(notifyUsers, userIdOf)) yield batch.map(userIdOf);
  let after = '';
  while (notifyAll) {
    const members = (await selectMembersBehind(database, { organization, after, now })).map(userIdOf);
    if (members.length > 0) yield members;
    if (members.length < ROWS_PER_STATEMENT) return;
    after = members.at(-1) ?? after;
  }
}

const selectMembersBehind = prepared(
  (database, given: { readonly organization: number; readonly after: string; readonly now: number }) =>
    database
      .selectFrom('members')
      .select('userId')
      .where('organization', '=', given.organization)
      .where('level', '=', 'organization')
      .where('resourceId', '=', '')
      .where('userId', '>', given.after)
      .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', given.now)]))
      .orderBy('userId')
      .limit(sql.lit(ROWS_PER_STATEMENT)),
);

/** Each key of the notification's context has to be among what the user has under it: a value, or a list of values. */
function isInContext(otherFields: string | null, wanted: AccessContext): boolean {
  const own = Object(otherFields === null ? {} : JSON.parse(otherFields).context?.access);
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(own, key) && [own[key]].flat().includes(value));
}
