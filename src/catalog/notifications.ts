import * as z from 'zod/mini';
import { quoteId } from '../kernel/id-text.ts';
import { defineOperation } from './define.ts';
import {
  documentId,
  flag,
  organizationId,
  user,
  warnAboutPlaceholders,
  withRules,
} from './fields.ts';
import { described, withMetadata } from './metadata.ts';
import { SAMPLE_ACTOR, SAMPLE_DOCUMENT } from './sample-data.ts';

const text = z.union([z.string(), z.looseObject({})]);

const input = withRules(
  z
    .object({
      organizationId,
      createOrganization: described(
        z.optional(z.boolean()),
        'create the organization if it does not exist',
      ),
      documentId,
      createDocument: described(
        z.optional(z.boolean()),
        'create the document if it does not exist',
      ),
      actionUser: flag(
        { as: 'entry' },
        withMetadata(user, { description: 'acting user: an ID, or user=u1,name=Ada' }),
      ),
      verifyUserPermissions: described(
        z.optional(z.boolean()),
        'notify only users with access to the document',
      ),
      notificationId: described(
        z.optional(
          z
            .string()
            .check(
              z.regex(/^[\p{L}\p{N}_-]+$/u, { error: 'only letters, digits, _ and - are allowed' }),
            ),
        ),
        'notification ID (default: generated)',
      ),
      isNotificationResolverUsed: described(
        z.optional(z.boolean()),
        'let your own server provide the text when the notification is read',
      ),
      displayHeadlineMessageTemplate: flag(
        'headline',
        described(
          z.optional(z.string().check(z.minLength(1))),
          'headline, with placeholders such as {actionUser}',
        ),
      ),
      displayHeadlineMessageTemplateData: flag(
        'headline-data',
        described(
          z.optional(z.record(z.string(), text)),
          'values of the placeholders in the headline',
        ),
      ),
      displayBodyMessage: flag(
        'body',
        described(z.optional(z.string().check(z.minLength(1))), 'body text'),
      ),
      notifyUsers: flag(
        // By default, the service notifies everyone. If the user names recipients, the command
        // notifies only them.
        { flag: 'notify-user', as: 'entries', implies: { notifyAll: false } },
        described(z.array(user), 'user to notify: an ID, or user=u1,name=Ada'),
      ),
      notifyAll: flag(
        { implies: { notifyUsers: [] } },
        described(
          z.optional(z.boolean()),
          'notify the whole organization, not only the named users (default in data and files: true)',
        ),
      ),
      notificationSource: described(
        z.optional(z.string()),
        'source: custom, comment, huddle, or crdt',
      ),
      notificationSourceData: described(
        z.optional(z.record(z.string(), z.unknown())),
        'data returned when the notification is clicked',
      ),
      context: z.optional(
        z.object({
          access: described(
            z.record(z.string(), z.union([z.string(), z.number()])),
            'notify only recipients with this access',
          ),
        }),
      ),
    })
    .check(
      z.superRefine((notification, refinement) => {
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
    ),
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
      'svc notifications add --org acme --document d1 --action-user u1 --headline "Maintenance" --body "Tonight at 10" --notify-all --yes':
        'notify the whole organization; --yes skips the confirmation',
    },
    path: '/v2/notifications/add',
    effect: 'keyed',
    input,
    output: z.looseObject({ success: z.boolean(), message: z.optional(z.string()) }),
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
      return `Notify every user of organization ${quoteId(organizationId)}${isSurprising ? ', not only the named users' : ''}?`;
    },
    warnings: ({ displayHeadlineMessageTemplate, displayBodyMessage }) => [
      ...warnAboutPlaceholders('headline', displayHeadlineMessageTemplate, '{x}'),
      ...warnAboutPlaceholders('body', displayBodyMessage, '{x}'),
    ],
    decision: 'a notification for a missing organization or document is INVALID_ARGUMENT',
    settings: { notSettings: 'a notification is an event' },
    sample: () => ({
      ...SAMPLE_DOCUMENT,
      actionUser: SAMPLE_ACTOR,
      displayHeadlineMessageTemplate: '{actionUser} shared a plan',
      displayBodyMessage: 'Have a look',
      notifyUsers: [SAMPLE_ACTOR],
      notificationId: 'n2',
      createOrganization: true,
      createDocument: true,
      verifyUserPermissions: false,
      isNotificationResolverUsed: false,
      displayHeadlineMessageTemplateData: { actionUser: SAMPLE_ACTOR, recipientUser: SAMPLE_ACTOR },
      notifyAll: false,
      notificationSource: 'custom',
      notificationSourceData: { any: 'thing' },
      context: { access: { team: 'a' } },
    }),
  }),
};
