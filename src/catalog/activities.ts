import * as z from 'zod';
import { defineOperation } from './define.ts';
import {
  createsOrganization,
  documentId,
  flag,
  id,
  itemResults,
  organizationId,
  records,
  user,
} from './fields.ts';
import { warnAboutPlaceholders } from './placeholders.ts';

const change = z.looseObject({ from: z.unknown(), to: z.unknown() });

const updatable = {
  changes: flag(
    { flag: 'change', as: 'changes' },
    z
      .record(z.string(), change)
      .optional()
      .describe('changed field, with old and new value: status=open:done'),
  ),
  entityData: z.unknown().optional().describe('subject of the activity'),
  entityTargetData: z.unknown().optional().describe('target of the activity'),
  displayMessageTemplate: z.string().optional().describe('text with placeholders such as {{name}}'),
  displayMessageTemplateData: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('values of the placeholders'),
  actionIcon: z.string().optional().describe('icon name or URL'),
};

export const UPDATABLE_FIELDS: ReadonlySet<string> = new Set(Object.keys(updatable));

const templateWarnings = ({
  activities,
}: {
  activities: readonly { displayMessageTemplate?: string | undefined }[];
}) =>
  activities.flatMap(({ displayMessageTemplate }) =>
    warnAboutPlaceholders('displayMessageTemplate', displayMessageTemplate, '{{x}}'),
  );

export const activities = {
  'activities.add': defineOperation('activities.add', {
    summary: 'Add activities to the activity log of a document',
    examples: {
      'svc activities add --org acme --document d1 --feature-type custom --action-type approved --action-user u1':
        'log an approval by a user',
    },
    createsParents: createsOrganization,
    path: '/v2/activities/add',
    effect: 'keyed',
    input: z.object({
      organizationId,
      documentId,
      activities: records({
        id: flag('activity', id('activity ID (default: generated)').optional()),
        featureType: z.string().min(1).describe('feature: comment, custom, …'),
        actionType: z.string().min(1).describe('action type'),
        actionUser: flag({ as: 'entry' }, user.describe('acting user: an ID, or user=u1,name=Ada')),
        ...updatable,
      }),
    }),
    output: itemResults,
    message: 'Activity(s) added successfully.',
    bulk: { field: 'activities', id: 'id', noun: 'activity', generatesIds: true },
    warnings: templateWarnings,
  }),
  'activities.update': defineOperation('activities.update', {
    summary: 'Update activities in the activity log',
    examples: {
      'svc activities update --org acme --activity a1 --change status=open:done':
        'set the changed fields of an activity',
    },
    path: '/v2/activities/update',
    effect: 'set',
    input: z.object({
      organizationId,
      activities: records({ id: flag('activity', id('activity ID')), ...updatable }),
    }),
    output: itemResults,
    message: 'Activity(s) updated successfully.',
    bulk: { field: 'activities', id: 'id', noun: 'activity' },
    warnings: templateWarnings,
  }),
};
