import * as z from 'zod/mini';
import { defineOperation } from './define.ts';
import { flag, id, itemResults, records } from './fields.ts';
import { described } from './metadata.ts';

export const organizations = {
  'organizations.add': defineOperation('organizations.add', {
    summary: 'Add organizations',
    path: '/v2/organizations/add',
    effect: 'keyed',
    input: z.object({
      organizations: records({
        organizationId: id('organization ID'),
        organizationName: flag('name', described(z.optional(z.string()), 'organization name')),
      }),
    }),
    output: itemResults,
    message: 'Organization(s) added successfully.',
    bulk: {
      field: 'organizations',
      id: 'organizationId',
      noun: 'organization',
      ifExists: {},
      listed: { readOnly: ['apiKey', 'createdAt'] },
    },
    decision: 'an organization that exists fails alone',
    isDocumented: false,
    settings: { writes: 'organizations' },
    sample: () => ({ organizations: [{ organizationId: 'beta', organizationName: 'Beta Ltd.' }] }),
  }),
};
