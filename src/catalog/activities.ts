import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import {
  createsOrganization,
  documentId,
  flag,
  id,
  itemResults,
  openChoice,
  organizationId,
  records,
  user,
  warnAboutPlaceholders,
  warnAboutUnknownValues,
  withRules,
} from './fields.ts';
import { described, withMetadata } from './metadata.ts';
import { SAMPLE_ACTOR, SAMPLE_DOCUMENT, SAMPLE_ORG } from './sample-data.ts';

const change = z.looseObject({ from: z.unknown(), to: z.unknown() });

const updatable = {
  changes: flag(
    { flag: 'change', as: 'changes' },
    described(
      z.optional(z.record(z.string(), change)),
      'changed field, with old and new value: status=open:done',
    ),
  ),
  entityData: described(z.optional(z.unknown()), 'subject of the activity'),
  entityTargetData: described(z.optional(z.unknown()), 'target of the activity'),
  displayMessageTemplate: described(
    z.optional(z.string()),
    'text with placeholders such as {{name}}',
  ),
  displayMessageTemplateData: described(
    z.optional(z.record(z.string(), z.unknown())),
    'values of the placeholders',
  ),
  actionIcon: described(z.optional(z.string()), 'icon name or URL'),
};

export const UPDATABLE_FIELDS: ReadonlySet<string> = new Set(Object.keys(updatable));

/** Features that activities belong to. The embedded service knows only these. */
export const FEATURE_TYPES = ['comment', 'reaction', 'recorder', 'crdt', 'custom'];

const templateWarnings = ({
  activities,
}: {
  activities: readonly { displayMessageTemplate?: string | undefined }[];
}) =>
  activities.flatMap(({ displayMessageTemplate }) =>
    warnAboutPlaceholders('displayMessageTemplate', displayMessageTemplate, '{{x}}'),
  );

const SAMPLE_CHANGES = {
  changes: { status: { from: 'open', to: 'done' } },
  entityData: { any: 'thing' },
  entityTargetData: ['any', 'thing'],
  displayMessageTemplate: '{{actor}} did it',
  displayMessageTemplateData: { actor: 'Ada' },
  actionIcon: 'https://example.com/icon.png',
};

const STORED_TIMES = ['createdAt', 'lastUpdated'];

export const activities = {
  'activities.add': defineOperation('activities.add', {
    summary: 'Add activities to the activity log of a document',
    createsParents: createsOrganization,
    path: '/v2/activities/add',
    effect: 'keyed',
    input: z.object({
      organizationId,
      documentId,
      activities: z
        .array(
          withRules(
            z
              .looseObject({
                id: flag('activity', z.optional(id('activity ID (default: generated)'))),
                featureType: openChoice(FEATURE_TYPES, 'feature'),
                actionType: described(z.string().check(z.minLength(1)), 'action type'),
                actionUser: flag(
                  { as: 'entry' },
                  withMetadata(user, { description: 'acting user: an ID, or user=u1,name=Ada' }),
                ),
                targetEntityId: z.optional(id('ID of the target; required for custom activities')),
                ...updatable,
              })
              .check(
                z.refine(
                  ({ featureType, targetEntityId }) =>
                    featureType !== 'custom' || targetEntityId !== undefined,
                  { error: 'required', path: ['targetEntityId'] },
                ),
              ),
            {
              anyOf: [
                { properties: { featureType: { not: { const: 'custom' } } } },
                { required: ['targetEntityId'] },
              ],
            },
          ),
        )
        .check(z.minLength(1)),
    }),
    output: z.looseObject({ success: z.boolean(), message: z.optional(z.string()) }),
    message: 'Activity(s) added successfully.',
    bulk: {
      field: 'activities',
      id: 'id',
      noun: 'activity',
      generatesIds: true,
      emptyDataIsSuccess: true,
      listed: { id: 'activityId', readOnly: STORED_TIMES },
    },
    warnings: (input) => [
      ...templateWarnings(input),
      ...warnAboutUnknownValues(
        'feature',
        FEATURE_TYPES,
        input.activities.map(({ featureType }) => featureType),
      ),
    ],
    decision: 'an activity with a known ID is overwritten, and all activities share one success',
    isDocumented: false,
    settings: { notSettings: 'content that users create' },
    sample: () => ({
      ...SAMPLE_DOCUMENT,
      activities: [
        {
          id: 'a2',
          featureType: 'custom',
          targetEntityId: 't1',
          actionType: 'added',
          actionUser: SAMPLE_ACTOR,
          ...SAMPLE_CHANGES,
        },
      ],
    }),
  }),
  'activities.update': defineOperation('activities.update', {
    summary: 'Update activities in the activity log',
    path: '/v2/activities/update',
    effect: 'set',
    input: z.object({
      organizationId,
      activities: records({ id: flag('activity', id('activity ID')), ...updatable }),
    }),
    output: itemResults,
    message: 'Activity(s) updated successfully.',
    bulk: {
      field: 'activities',
      id: 'id',
      noun: 'activity',
      emptyDataIsSuccess: true,
      listed: {
        id: 'activityId',
        readOnly: [
          'documentId',
          'featureType',
          'actionType',
          'actionUser',
          'targetEntityId',
          ...STORED_TIMES,
        ],
      },
    },
    warnings: templateWarnings,
    decision: 'a bulk call reports each item by its ID, also if some items fail',
    settings: { notSettings: 'content that users create' },
    sample: () => ({ ...SAMPLE_ORG, activities: [{ id: 'a1', ...SAMPLE_CHANGES }] }),
  }),
};
