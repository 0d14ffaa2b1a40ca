import * as z from 'zod';
import { defineOperation } from './define.ts';
import { documentId, flag, organizationId, user, withRules } from './fields.ts';
import { warnAboutPlaceholders } from './placeholders.ts';

const text = z.union([z.string(), z.looseObject({})]);

const input = withRules(
  z
    .object({
      organizationId,
      createOrganization: z
        .boolean()
        .optional()
        .describe('create the organization if it does not exist'),
      documentId,
      createDocument: z.boolean().optional().describe('create the document if it does not exist'),
      actionUser: flag({ as: 'entry' }, user.describe('acting user: an ID, or user=u1,name=Ada')),
      verifyUserPermissions: z
        .boolean()
        .optional()
        .describe('notify only users with access to the document'),
      notificationId: z
        .string()
        .regex(/^[\p{L}\p{N}_-]+$/u, { error: 'only letters, digits, _ and - are allowed' })
        .optional()
        .describe('notification ID (default: generated)'),
      isNotificationResolverUsed: z
        .boolean()
        .optional()
        .describe('let your own server provide the text when the notification is read'),
      displayHeadlineMessageTemplate: flag(
        'headline',
        z.string().min(1).optional().describe('headline, with placeholders such as {actionUser}'),
      ),
      displayHeadlineMessageTemplateData: flag(
        'headline-data',
        z
          .record(z.string(), text)
          .optional()
          .describe('values of the placeholders in the headline'),
      ),
      displayBodyMessage: flag('body', z.string().min(1).optional().describe('body text')),
      notifyUsers: flag(
        // By default, the service notifies everyone. If the user names recipients, the command
        // notifies only them.
        { flag: 'notify-user', as: 'entries', implies: { notifyAll: false } },
        z.array(user).describe('user to notify: an ID, or user=u1,name=Ada'),
      ),
      notifyAll: flag(
        { implies: { notifyUsers: [] } },
        z
          .boolean()
          .optional()
          .describe(
            'notify the whole organization, not only the named users (default in data and files: true)',
          ),
      ),
      notificationSource: z
        .string()
        .optional()
        .describe('source: custom, comment, huddle, or crdt'),
      notificationSourceData: z
        .record(z.string(), z.unknown())
        .optional()
        .describe('data returned when the notification is clicked'),
      context: z
        .object({
          access: z
            .record(z.string(), z.union([z.string(), z.number()]))
            .describe('notify only recipients with this access'),
        })
        .optional(),
    })
    .superRefine((notification, refinement) => {
      const missing = (field: string, message: string) =>
        refinement.addIssue({ code: 'custom', path: [field], message, input: undefined });
      if (!notification.isNotificationResolverUsed) {
        if (!notification.displayHeadlineMessageTemplate)
          missing('displayHeadlineMessageTemplate', 'required');
        if (!notification.displayBodyMessage) missing('displayBodyMessage', 'required');
      }
      if (notification.notifyUsers.length === 0 && notification.notifyAll === false)
        missing('notifyUsers', 'no users to notify: name users, or notify all');
    }),
  {
    anyOf: [
      {
        properties: { isNotificationResolverUsed: { const: true } },
        required: ['isNotificationResolverUsed'],
      },
      {
        properties: {
          displayHeadlineMessageTemplate: { type: 'string' },
          displayBodyMessage: { type: 'string' },
        },
        required: ['displayHeadlineMessageTemplate', 'displayBodyMessage'],
      },
    ],
    not: {
      properties: { notifyUsers: { maxItems: 0 }, notifyAll: { const: false } },
      required: ['notifyAll'],
    },
  },
);

export const notifications = {
  'notifications.add': defineOperation('notifications.add', {
    summary: 'Send a notification to users or to a whole organization',
    examples: {
      'svc notifications add --org acme --document d1 --action-user u1 --headline "{actionUser} shared a plan" --body "Have a look" --notify-user u2':
        'notify one user',
      'svc notifications add --org acme --document d1 --action-user u1 --headline "Maintenance" --body "Tonight at 10" --notify-all --yes':
        'notify the whole organization; --yes skips the confirmation',
    },
    path: '/v2/notifications/add',
    effect: 'keyed',
    input,
    output: z.looseObject({ success: z.boolean(), message: z.string().optional() }),
    message: 'Notification added successfully.',
    generatedId: 'notificationId',
    // A user's data contains the notifications sent to the user. It does not show users excluded by
    // permissions or context.
    lookup: {
      operation: 'users.data',
      inputFields: {
        organizationId: 'organizationId',
        userId: ['notifyUsers.0.userId', 'actionUser.userId'],
      },
      created: {
        list: 'notifications',
        idField: 'notificationId',
        matchingFields: [],
        absenceMeansNotApplied: false,
        data: () => ({ success: true, message: 'Notification added successfully.' }),
      },
    },
    bulk: { id: 'notificationId', noun: 'notification', generatesIds: true, sharedResult: true },
    confirm: ({ notifyAll, notifyUsers, organizationId }) => {
      if (notifyAll === false) return undefined;
      // Users who name recipients may not know that everyone is notified by default.
      const isSurprising = notifyAll === undefined && notifyUsers.length > 0;
      return `Notify every user of organization ${organizationId}${isSurprising ? ', not only the named users' : ''}?`;
    },
    warnings: ({ displayHeadlineMessageTemplate, displayBodyMessage }) => [
      ...warnAboutPlaceholders('headline', displayHeadlineMessageTemplate, '{x}'),
      ...warnAboutPlaceholders('body', displayBodyMessage, '{x}'),
    ],
  }),
};
