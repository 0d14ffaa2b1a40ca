import { sql } from 'kysely';
import type * as z from 'zod/mini';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../calls/call.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { chunkRows, ROWS_PER_STATEMENT } from '../store/statements.ts';
import { decideAccess, findDocumentAccess } from './document-access.ts';
import { selectUsers } from './users.ts';

type Notification = z.output<Operations['notifications.add']['input']>;
type AccessContext = NonNullable<Notification['context']>['access'];

/**
 * May yield a user twice. A notification with a context only has recipients with a matching
 * `context` field.
 */
export async function* findRecipients(
  call: KeyCall,
  organization: number,
  notification: Notification,
): AsyncGenerator<readonly string[]> {
  const { database, now } = call;
  const { documentId, verifyUserPermissions, context } = notification;
  const access = verifyUserPermissions
    ? await findDocumentAccess(database, organization, documentId)
    : undefined;
  for await (const candidates of findCandidates(call, organization, notification)) {
    let userIds = candidates;
    if (verifyUserPermissions) {
      const decisions = await decideAccess(database, { organization, userIds, now }, access);
      userIds = candidates.filter((userId) => decisions.get(userId)?.allowed);
    }
    if (context && userIds.length > 0) {
      const found = await selectUsers(database, { organization, userId: userIds });
      userIds = found
        .filter((user) => matchesContext(user.otherFields, context.access))
        .map(userIdOf);
    }
    if (userIds.length > 0) yield userIds;
  }
}

const userIdOf = ({ userId }: { readonly userId: string }) => userId;

/**
 * Yields the users in `notifyUsers`, and all members of the organization unless `notifyAll` is
 * false.
 */
async function* findCandidates(
  { database, now }: KeyCall,
  organization: number,
  { notifyUsers, notifyAll = true }: Notification,
): AsyncGenerator<readonly string[]> {
  yield* chunkRows([...new Set(notifyUsers.map(userIdOf))]);
  let after = '';
  while (notifyAll) {
    const members = (await selectMembersAfter(database, { organization, after, now })).map(
      userIdOf,
    );
    if (members.length > 0) yield members;
    if (members.length < ROWS_PER_STATEMENT) return;
    after = members.at(-1) ?? after;
  }
}

const selectMembersAfter = prepareQuery(
  (
    _,
    {
      organization,
      after,
      now,
    }: { readonly organization: number; readonly after: string; readonly now: number },
  ) =>
    sql<{ userId: string }>`
      select "userId" from members
      where organization = ${organization} and level = 'organization' and "resourceId" = '' and "userId" > ${after}
        and ("expiresAt" is null or "expiresAt" > ${now})
      order by "userId" limit ${sql.lit(ROWS_PER_STATEMENT)}`,
);

/**
 * Whether a user's context contains all values of the required context. A user can have several
 * values per key.
 */
function matchesContext(otherFields: string | null, required: AccessContext): boolean {
  const own = Object(otherFields === null ? {} : JSON.parse(otherFields).context?.access);
  return Object.entries(required).every(
    ([key, value]) => Object.hasOwn(own, key) && [own[key]].flat().includes(value),
  );
}
