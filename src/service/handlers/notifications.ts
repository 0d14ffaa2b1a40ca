import { sql } from 'kysely';
import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../call.ts';
import { eventsOfNotification } from '../deliveries/document-events.ts';
import { recordDocumentEvents } from '../deliveries/outbox.ts';
import { findGrantingLevels, selectUsersWithAccess } from '../records/access.ts';
import { ensureDocument, requireDocument } from '../records/documents.ts';
import { ensureOrganization, requireOrganization } from '../records/organizations.ts';
import { addUserData, insertParticipants, selectUserDataKeys } from '../records/user-data.ts';
import { selectUsers } from '../records/users.ts';
import { generateId } from '../secrets.ts';
import { chunkDistinctRows, ROWS_PER_STATEMENT } from '../store/chunks.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { HandlersOf } from './handler.ts';

export const notifications: HandlersOf<'notifications'> = {
  /** Adds a notification. Does nothing if the ID exists, so a repeated call does not notify users again. */
  'notifications.add': async (call, input) => {
    const { database } = call;
    const { organizationId, createOrganization, documentId, createDocument, notificationId = generateId() } = input;
    const organization = await (createOrganization ? ensureOrganization : requireOrganization)(call, organizationId);
    if (createDocument) await ensureDocument(call, organization, documentId);
    await requireDocument(database, organization, documentId);
    if ((await selectUserDataKeys(database, { organization, notificationId })).length === 0) {
      const feature = 'notifications';
      const item = await addUserData(database, organization, feature, toNotificationRecord(input, notificationId, call.now));
      for await (const userIds of findRecipients(call, organization, input)) {
        await insertParticipants(
          database,
          userIds.map((userId) => ({ organization, userId, feature, item })),
        );
      }
      await recordDocumentEvents(call, eventsOfNotification(input));
    }
    return { data: { success: true, message: 'Notification added successfully.' } };
  },
};

type NotificationInput = Parameters<(typeof notifications)['notifications.add']>[1];

/** Returns the fields that recipients can see. Omits fields that select recipients or create records. */
function toNotificationRecord(input: NotificationInput, notificationId: string, timestamp: number) {
  const { createOrganization, createDocument, verifyUserPermissions, notifyAll, notifyUsers, ...shown } = input;
  return { ...shown, notificationId, timestamp };
}

type Notification = z.output<Operations['notifications.add']['input']>;
type AccessContext = NonNullable<Notification['context']>['access'];

/** May yield a user twice. A notification with a context only has recipients with a matching `context` field. */
async function* findRecipients(
  call: KeyCall,
  organization: number,
  notification: Notification,
): AsyncGenerator<readonly string[]> {
  const { database, now } = call;
  const { documentId, verifyUserPermissions, context } = notification;
  const levels = verifyUserPermissions ? await findGrantingLevels(database, organization, documentId) : undefined;
  for await (const candidates of findCandidates(call, organization, notification)) {
    let userIds = candidates;
    if (levels) userIds = (await selectUsersWithAccess(database, { organization, levels, userIds, now })).map(userIdOf);
    if (context && userIds.length > 0) {
      const found = await selectUsers(database, { organization, userId: userIds });
      userIds = found.filter((user) => matchesContext(user.otherFields, context.access)).map(userIdOf);
    }
    if (userIds.length > 0) yield userIds;
  }
}

const userIdOf = ({ userId }: { readonly userId: string }) => userId;

/** Yields the users in `notifyUsers`, and all members of the organization unless `notifyAll` is false. */
async function* findCandidates(
  { database, now }: KeyCall,
  organization: number,
  { notifyUsers, notifyAll = true }: Notification,
): AsyncGenerator<readonly string[]> {
  for (const batch of chunkDistinctRows(notifyUsers, userIdOf)) yield batch.map(userIdOf);
  let after = '';
  while (notifyAll) {
    const members = (await selectMembersAfter(database, { organization, after, now })).map(userIdOf);
    if (members.length > 0) yield members;
    if (members.length < ROWS_PER_STATEMENT) return;
    after = members.at(-1) ?? after;
  }
}

const selectMembersAfter = prepareQuery(
  (database, filter: { readonly organization: number; readonly after: string; readonly now: number }) =>
    database
      .selectFrom('members')
      .select('userId')
      .where('organization', '=', filter.organization)
      .where('level', '=', 'organization')
      .where('resourceId', '=', '')
      .where('userId', '>', filter.after)
      .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', filter.now)]))
      .orderBy('userId')
      .limit(sql.lit(ROWS_PER_STATEMENT)),
);

/** Whether a user's context contains all values of the required context. A user can have several values per key. */
function matchesContext(otherFields: string | null, required: AccessContext): boolean {
  const own = Object(otherFields === null ? {} : JSON.parse(otherFields).context?.access);
  return Object.entries(required).every(([key, value]) => Object.hasOwn(own, key) && [own[key]].flat().includes(value));
}
