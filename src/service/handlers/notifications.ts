import { eventsOfNotification } from '../deliveries/document-events.ts';
import { recordDocumentEvents } from '../deliveries/outbox.ts';
import { ensureDocument, requireDocument } from '../records/documents.ts';
import { ensureOrganization, requireOrganization } from '../records/organizations.ts';
import { findRecipients } from '../records/recipients.ts';
import { generateId } from '../records/secrets.ts';
import { addUserData, insertParticipants, selectUserDataKeys } from '../records/user-data.ts';
import { lockName } from '../store/sharing.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';

export const notifications: HandlersOf<'notifications'> = {
  /**
   * Adds a notification. Does nothing if the ID exists, so a repeated call does not notify users
   * again.
   */
  'notifications.add': lockingOnlyRows(async (call, input) => {
    const { database } = call;
    const {
      organizationId,
      createOrganization,
      documentId,
      createDocument,
      notificationId = generateId(),
    } = input;
    const organization = await (createOrganization ? ensureOrganization : requireOrganization)(
      call,
      organizationId,
    );
    if (createDocument) await ensureDocument(call, organization, documentId);
    await requireDocument(database, organization, documentId);
    if (input.notificationId !== undefined)
      await lockName(database, `notification ${organization} ${notificationId}`);
    if ((await selectUserDataKeys(database, { organization, notificationId })).length === 0) {
      const feature = 'notifications';
      const item = await addUserData(
        database,
        organization,
        feature,
        toNotificationRecord(input, notificationId, call.now),
      );
      for await (const userIds of findRecipients(call, organization, input)) {
        await insertParticipants(
          database,
          userIds.map((userId) => ({ organization, userId, feature, item })),
        );
      }
      await recordDocumentEvents(call, eventsOfNotification(input));
    }
    return { data: { success: true, message: 'Notification added successfully.' } };
  }),
};

type NotificationInput = Parameters<(typeof notifications)['notifications.add']>[1];

function toNotificationRecord(input: NotificationInput, notificationId: string, timestamp: number) {
  const {
    createOrganization,
    createDocument,
    verifyUserPermissions,
    notifyAll,
    notifyUsers,
    ...shown
  } = input;
  return { ...shown, notificationId, timestamp };
}
