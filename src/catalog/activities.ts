import * as z from 'zod';
import { defineOperation } from './define.ts';
import { documentId, flag, id, itemResults, organizationId, user } from './fields.ts';
import { placeholderWarnings } from './placeholders.ts';

const change = z.looseObject({ from: z.unknown(), to: z.unknown() });

const changeable = {
  changes: flag(
    { flag: 'change', as: 'changes' },
    z.record(z.string(), change).optional().describe('what changed: status=open:done'),
  ),
  entityData: z.unknown().optional().describe('what the activity is about'),
  entityTargetData: z.unknown().optional().describe('what it was done to'),
  displayMessageTemplate: z.string().optional().describe('text; {{name}} and the like are filled in'),
  displayMessageTemplateData: z.record(z.string(), z.unknown()).optional().describe('what placeholders stand for'),
  actionIcon: z.string().optional().describe('URL or name of an icon'),
};

/** The fields of an activity that an update may set. */
export const CHANGEABLE_FIELDS: ReadonlySet<string> = new Set(Object.keys(changeable));

interface Described {
  readonly displayMessageTemplate?: string | undefined;
}

const templateWarnings = ({ activities }: { activities: readonly Described[] }) =>
  activities.flatMap(({ displayMessageTemplate }) =>
    placeholderWarnings('displayMessageTemplate', displayMessageTemplate, '{{x}}'),
  );

export const activities = {
  'activities.add': defineOperation({
    command: ['activities', 'add'],
    summary: 'Add activities to the log of a document',
    examples: [
      {
        command:
          'svc activities add --org acme --document d1 --feature-type custom --action-type approved --action-user u1',
        does: 'log what a user did',
      },
    ],
    path: '/v2/activities/add',
    auth: 'key',
    effect: 'keyed',
    input: z.object({
      organizationId,
      documentId,
      activities: z
        .array(
          z.looseObject({
            id: flag('activity', id('activity id; made up when left out').optional()),
            featureType: z.string().min(1).describe('what it belongs to: comment, custom, …'),
            actionType: z.string().min(1).describe('what was done'),
            actionUser: flag({ as: 'entry' }, user.describe('who did it: an id, or user=u1,name=Ada')),
            ...changeable,
          }),
        )
        .min(1),
    }),
    output: itemResults,
    message: 'Activity(s) added successfully.',
    bulk: { field: 'activities', id: 'id', noun: 'activity', mints: true },
    warnings: templateWarnings,
  }),
  'activities.update': defineOperation({
    command: ['activities', 'update'],
    summary: 'Update activities of the log',
    examples: [
      { command: 'svc activities update --org acme --activity a1 --change status=open:done', does: 'set what changed' },
    ],
    path: '/v2/activities/update',
    auth: 'key',
    effect: 'set',
    input: z.object({
      organizationId,
      activities: z.array(z.looseObject({ id: flag('activity', id('activity id')), ...changeable })).min(1),
    }),
    output: itemResults,
    message: 'Activity(s) updated successfully.',
    bulk: { field: 'activities', id: 'id', noun: 'activity' },
    warnings: templateWarnings,
  }),
};
