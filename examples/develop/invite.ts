import type { Client } from '@collab-svc/svc';

export interface Invitation {
  readonly organizationId: string;
  readonly documentId: string;
  readonly userId: string;
  /** Unix time, in seconds. */
  readonly expiresAt: number;
}

/** Grants a user temporary edit access to a document and notifies the user. This is the code under test. */
export async function invite(client: Client, { organizationId, documentId, userId, expiresAt }: Invitation): Promise<void> {
  await client.call('permissions.add', {
    user: { userId },
    permissions: { resources: [{ type: 'document', id: documentId, organizationId, accessRole: 'editor', expiresAt }] },
  });
  await client.call('notifications.add', {
    organizationId,
    documentId,
    notificationId: `invitation-${documentId}-${userId}`,
    actionUser: { userId: 'ada' },
    displayHeadlineMessageTemplate: 'You are invited',
    displayBodyMessage: 'Open the plan',
    notifyUsers: [{ userId }],
    notifyAll: false,
    verifyUserPermissions: true,
  });
}
