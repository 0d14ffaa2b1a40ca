import * as z from 'zod';
import { defineOperation } from './define.ts';
import { documentId, flag, organizationId, user, withRules } from './fields.ts';
import { placeholderWarnings } from './placeholders.ts';

const text = z.union([z.string(), z.looseObject({})]);

const input = withRules(
  z
    .object({
      organizationId,
      createOrganization: z.boolean().optional().describe('create the organization when it does not exist'),
      documentId,
      createDocument: z.boolean().optional().describe('create the document when it does not exist'),
      actionUser: flag({ as: 'entry' }, user.describe('who acted: an id, or user=u1,name=Ada')),
      verifyUserPermissions: z.boolean().optional().describe('only users with access to the document'),
      notificationId: z
        .string()
        .regex(/^[\p{L}\p{N}_-]+$/u, { error: 'only letters, digits, _ and - are allowed' })
        .optional()
        .describe('id of the notification; made up when left out'),
      isNotificationResolverUsed: z.boolean().optional().describe('your own service supplies the text when it is read'),
      displayHeadlineMessageTemplate: flag(
        'headline',
        z.string().min(1).optional().describe('headline; {actionUser} and the like are filled in'),
      ),
      displayHeadlineMessageTemplateData: flag(
        'headline-data',
        z.record(z.string(), text).optional().describe('what placeholders of the headline stand for'),
      ),
      displayBodyMessage: flag('body', z.string().min(1).optional().describe('text')),
      notifyUsers: flag(
        { flag: 'notify-user', as: 'entries' },
        z.array(user).describe('whom to notify: an id, or user=u1,name=Ada'),
      ),
      notifyAll: z
        .boolean()
        .optional()
        .describe('notify the whole organization, not only those named (yes when left out)'),
      notificationSource: z.string().optional().describe('custom, comment, huddle or crdt'),
      notificationSourceData: z.record(z.string(), z.unknown()).optional().describe('handed back when it is clicked'),
      context: z
        .object({
          access: z.record(z.string(), z.union([z.string(), z.number()])).describe('only recipients with this'),
        })
        .optional(),
    })
    .superRefine((notification, refinement) => {
      const missing = (field: string, message: string) =>
        refinement.addIssue({ code: 'custom', path: [field], message, input: undefined });
      if (!notification.isNotificationResolverUsed) {
        if (!notification.displayHeadlineMessageTemplate) missing('displayHeadlineMessageTemplate', 'required');
        if (!notification.displayBodyMessage) missing('displayBodyMessage', 'required');
      }
      if (notification.notifyUsers.length === 0 && notification.notifyAll === false) {
        missing('notifyUsers', 'nobody to notify: name users, or notify all');
      }
    }),
  {
    anyOf: [
      { properties: { isNotificationResolverUsed: { const: true } }, required: ['isNotificationResolverUsed'] },
      {
        properties: { displayHeadlineMessageTemplate: { type: 'string' }, displayBodyMessage: { type: 'string' } },
        required: ['displayHeadlineMessageTemplate', 'displayBodyMessage'],
      },
    ],
    not: { properties: { notifyUsers: { maxItems: 0 }, notifyAll: { const: false } }, required: ['notifyAll'] },
  },
);

export const notifications = {
  'notifications.add': defineOperation({
    command: ['notifications', 'add'],
    summary: 'Notify users, or a whole organization',
    examples: [
      {
        command:
          'svc notifications add --org acme --document d1 --action-user u1 --headline "{actionUser} shared a plan" --body "Have a look" --notify-user u2 --no-notify-all',
        does: 'notify one user',
      },
    ],
    path: '/v2/notifications/add',
    auth: 'key',
    effect: 'keyed',
    input,
    output: z.looseObject({ success: z.boolean(), message: z.string().optional() }),
    message: 'Notification added successfully.',
    mints: 'notificationId',
    // A user's data holds what was sent to the user, and nobody is told whom permissions or the context left out.
    lookup: {
      operation: 'users.data',
      by: { organizationId: 'organizationId', userId: ['notifyUsers.0.userId', 'actionUser.userId'] },
      made: {
        list: 'notifications',
        id: 'notificationId',
        same: [],
        absenceTells: false,
        data: () => ({ success: true, message: 'Notification added successfully.' }),
      },
    },
    bulk: { id: 'notificationId', noun: 'notification', mints: true, wholeReply: true },
    confirm: ({ notifyAll, notifyUsers, organizationId }) => {
      if (notifyAll === false) return undefined;
      // Who names some may not know that all are notified unless told otherwise.
      const otherwise = notifyAll === undefined && notifyUsers.length > 0;
      return `Notify every user of organization ${organizationId}${otherwise ? ', not only those named' : ''}?`;
    },
    warnings: ({ displayHeadlineMessageTemplate, displayBodyMessage }) => [
      ...placeholderWarnings('headline', displayHeadlineMessageTemplate, '{x}'),
      ...placeholderWarnings('body', displayBodyMessage, '{x}'),
    ],
  }),
};
