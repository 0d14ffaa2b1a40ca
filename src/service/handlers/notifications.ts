import { notificationAdded } from '../deliveries/causes.ts';
import { recordHappenings } from '../deliveries/outbox.ts';
import { ensureDocument, requireDocument } from '../records/documents.ts';
import { ensureOrganization, requireOrganization } from '../records/organizations.ts';
import { recipients } from '../records/recipients.ts';
import { addUserData, insertParticipants, isKnownNotification } from '../records/user-data.ts';
import { newId } from '../secrets.ts';
import type { HandlersOf } from './handler.ts';

export const notifications: HandlersOf<'notifications'> = {
  /** A notification that comes again under the same id is the same one: nobody is notified twice. */
  'notifications.add': async (call, input) => {
    const { database } = call;
    const { organizationId, createOrganization, documentId, createDocument, notificationId = newId() } = input;
    const organization = await (createOrganization ? ensureOrganization : requireOrganization)(call, organizationId);
    if (createDocument) await ensureDocument(call, organization, documentId);
    await requireDocument(database, organization, documentId);
    if (!(await isKnownNotification(database, organization, notificationId))) {
      const feature = 'notifications';
      const item = await addUserData(
        database,
        organization,
        feature,
        notificationRecord(input, notificationId, call.now),
      );
      for await (const userIds of recipients(call, organization, input)) {
        await insertParticipants(
          database,
          userIds.map((userId) => ({ organization, userId, feature, item })),
        );
      }
      await recordHappenings(call, notificationAdded(input));
    }
    return { data: { success: true, message: 'Notification added successfully.' } };
  },
};

type Input = Parameters<(typeof notifications)['notifications.add']>[1];

/** What its readers see of a notification: all but what told the service whom to notify, and what to create. */
function notificationRecord(input: Input, notificationId: string, timestamp: number) {
  const { createOrganization, createDocument, verifyUserPermissions, notifyAll, notifyUsers, ...shown } = input;
  return { ...shown, notificationId, timestamp };
}
